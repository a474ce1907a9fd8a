// Minima, maxima and medians of floats: those of gfx9 and RDNA 3, which look at IEEE mode; those where a number wins
// (`num`); those where a NaN wins (`minimum`).
#include "float_lanes.h"

namespace flysim {
namespace {

template <bool Ieee> struct ByMode {
  template <class T> static T low(T a, T b) { return smaller<Ieee>(a, b); }
  template <class T> static T high(T a, T b) { return larger<Ieee>(a, b); }
};
// Two NaNs give a quiet one.
struct Number {
  template <class T> static T low(T a, T b) { return is_nan(a) && is_nan(b) ? quiet(a) : minimum_number(a, b); }
  template <class T> static T high(T a, T b) { return is_nan(a) && is_nan(b) ? quiet(a) : maximum_number(a, b); }
};
struct Propagating {
  template <class T> static T low(T a, T b) { return minimum(a, b); }
  template <class T> static T high(T a, T b) { return maximum(a, b); }
};
template <class K> struct Low {
  template <class T> static T of(T a, T b) { return K::low(a, b); }
};
template <class K> struct High {
  template <class T> static T of(T a, T b) { return K::high(a, b); }
};
template <class First, class Second> struct Then {
  template <class T> static T of(T a, T b, T c) { return Second::of(First::of(a, b), c); }
};
// As the ISA has it: the largest one is left out; zeros of both signs are equal here.
template <class K> struct Median {
  template <class T> static T of(T a, T b, T c) {
    if (is_nan(a) || is_nan(b) || is_nan(c)) return K::low(K::low(a, b), c);
    const T top = K::high(K::high(a, b), c);
    return top == a ? K::high(b, c) : top == b ? K::high(a, c) : K::high(a, b);
  }
};

template <class F> struct Two {
  static constexpr auto f32 = [](float a, float b) { return F::of(a, b); };
  static constexpr auto f64 = [](double a, double b) { return F::of(a, b); };
  static constexpr auto f16 = [](flysim::f16 a, flysim::f16 b) { return flysim::f16{F::of(a.v, b.v)}; };
  static constexpr auto pk = [](Halves a, Halves b) { return Halves{F::of(a.x, b.x), F::of(a.y, b.y)}; };
};
template <class F> struct Three {
  static constexpr auto f32 = [](float a, float b, float c) { return F::of(a, b, c); };
  static constexpr auto f16 = [](flysim::f16 a, flysim::f16 b, flysim::f16 c) {
    return flysim::f16{F::of(a.v, b.v, c.v)};
  };
  static constexpr auto pk = [](Halves a, Halves b, Halves c) {
    return Halves{F::of(a.x, b.x, c.x), F::of(a.y, b.y, c.y)};
  };
};
// Table entries; `F` is for IEEE mode, `G` for the other.
template <class F> Opcode plain(const char *name, F) {
  return {name, VectorOp<Selecting<F>>::run, VectorOp<F>::signature()};
}
template <class F, class G> void run_by_ieee(Wave &w, const Inst &i) {
  if (w.mode & kModeIeee) VectorOp<Selecting<F>>::run(w, i);
  else VectorOp<Selecting<G>>::run(w, i);
}
template <class F, class G> Opcode by_mode(const char *name, F, G) {
  return {name, run_by_ieee<F, G>, VectorOp<F>::signature()};
}

using Yes = ByMode<true>;
using No = ByMode<false>;
template <class K> using Low3 = Then<Low<K>, Low<K>>;
template <class K> using High3 = Then<High<K>, High<K>>;
template <class K> using LowHigh = Then<Low<K>, High<K>>;
template <class K> using HighLow = Then<High<K>, Low<K>>;

#define FLYSIM_TWO(NAME, CHOICE) \
  by_mode("v_" NAME "_f32", Two<CHOICE<Yes>>::f32, Two<CHOICE<No>>::f32), \
      by_mode("v_" NAME "_f64", Two<CHOICE<Yes>>::f64, Two<CHOICE<No>>::f64), \
      by_mode("v_" NAME "_f16", Two<CHOICE<Yes>>::f16, Two<CHOICE<No>>::f16), \
      by_mode("v_pk_" NAME "_f16", Two<CHOICE<Yes>>::pk, Two<CHOICE<No>>::pk)
#define FLYSIM_THREE(NAME, CHOICE) \
  by_mode("v_" NAME "_f32", Three<CHOICE<Yes>>::f32, Three<CHOICE<No>>::f32), \
      keeping(by_mode("v_" NAME "_f16", Three<CHOICE<Yes>>::f16, Three<CHOICE<No>>::f16))
const Registration with_mode({
    FLYSIM_TWO("min", Low),
    FLYSIM_TWO("max", High),
    FLYSIM_THREE("min3", Low3),
    FLYSIM_THREE("max3", High3),
    FLYSIM_THREE("med3", Median),
    FLYSIM_THREE("minmax", LowHigh),
    FLYSIM_THREE("maxmin", HighLow),
});
#undef FLYSIM_TWO
#undef FLYSIM_THREE

#define FLYSIM_TWO(NAME, ...) \
  plain("v_" NAME "_f32", Two<__VA_ARGS__>::f32), plain("v_" NAME "_f64", Two<__VA_ARGS__>::f64), \
      plain("v_" NAME "_f16", Two<__VA_ARGS__>::f16), plain("v_pk_" NAME "_f16", Two<__VA_ARGS__>::pk)
#define FLYSIM_THREE(NAME, ...) \
  plain("v_" NAME "_f32", Three<__VA_ARGS__>::f32), plain("v_" NAME "_f16", Three<__VA_ARGS__>::f16)
const Registration without_mode({
    FLYSIM_TWO("min_num", Low<Number>),
    FLYSIM_TWO("max_num", High<Number>),
    FLYSIM_TWO("minimum", Low<Propagating>),
    FLYSIM_TWO("maximum", High<Propagating>),
    FLYSIM_THREE("min3_num", Low3<Number>),
    FLYSIM_THREE("max3_num", High3<Number>),
    FLYSIM_THREE("med3_num", Median<Number>),
    FLYSIM_THREE("minmax_num", LowHigh<Number>),
    FLYSIM_THREE("maxmin_num", HighLow<Number>),
    FLYSIM_THREE("minimum3", Low3<Propagating>),
    FLYSIM_THREE("maximum3", High3<Propagating>),
    FLYSIM_THREE("minimummaximum", LowHigh<Propagating>),
    FLYSIM_THREE("maximumminimum", HighLow<Propagating>),
    plain("v_pk_minimum3_f16", Three<Low3<Propagating>>::pk),
    plain("v_pk_maximum3_f16", Three<High3<Propagating>>::pk),
    plain("v_pk_min3_num_f16", Three<Low3<Number>>::pk),
    plain("v_pk_max3_num_f16", Three<High3<Number>>::pk),
});
#undef FLYSIM_TWO
#undef FLYSIM_THREE

} // namespace
} // namespace flysim
