// Vector arithmetic on f32 and f64.
#include "float_lanes.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;

// 64-bit arithmetic has rounding and denormal modes of its own.
template <Handler Run> void in_double_mode(Wave &w, const Inst &i) {
  const DoubleMode mode(w.mode);
  Run(w, i);
}
template <class F> Opcode dop(const char *name, F) {
  return {name, in_double_mode<VectorOp<F>::run>, VectorOp<F>::signature()};
}

float legacy_product(float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }

const Registration single({
    vop("v_add_f32", [](float a, float b) { return a + b; }),
    vop("v_sub_f32", [](float a, float b) { return a - b; }),
    vop("v_subrev_f32", [](float a, float b) { return b - a; }),
    vop("v_mul_f32", [](float a, float b) { return a * b; }),
    vop("v_mul_legacy_f32", [](float a, float b) { return legacy_product(a, b); }),
    vop("v_mul_dx9_zero_f32", [](float a, float b) { return legacy_product(a, b); }),
    vop("v_fma_f32", [](float a, float b, float c) { return __builtin_fmaf(a, b, c); }),
    vop("v_mad_f32", [](float a, float b, float c) { return a * b + c; }),
    vop("v_fmac_f32", [](float a, float b, Old<float> c) { return __builtin_fmaf(a, b, c.v); }),
    vop("v_fmac_legacy_f32",
        [](float a, float b, Old<float> c) { return a == 0 || b == 0 ? c.v : __builtin_fmaf(a, b, c.v); }),
    vop("v_mac_f32", [](float a, float b, Old<float> c) { return a * b + c.v; }),
    vop("v_fmaak_f32", [](float a, float b, float k) { return __builtin_fmaf(a, b, k); }),
    vop("v_fmamk_f32", [](float a, float k, float b) { return __builtin_fmaf(a, k, b); }),
    vop("v_madak_f32", [](float a, float b, float k) { return a * b + k; }),
    vop("v_madmk_f32", [](float a, float k, float b) { return a * k + b; }),
    vop("v_floor_f32", [](float a) { return std::floor(a); }),
    vop("v_ceil_f32", [](float a) { return std::ceil(a); }),
    vop("v_trunc_f32", [](float a) { return std::trunc(a); }),
    vop("v_rndne_f32", [](float a) { return __builtin_roundevenf(a); }),
    vop("v_fract_f32", [](float a) { return fraction(a); }),
    vop("v_rcp_f32", [](float a) { return 1.0f / a; }),
    vop("v_rcp_iflag_f32", [](float a) { return 1.0f / a; }),
    vop("v_rsq_f32", [](float a) { return float(1.0 / std::sqrt(double(a))); }),
    vop("v_sqrt_f32", [](float a) { return std::sqrt(a); }),
    vop("v_exp_f32", [](float a) { return std::exp2(a); }),
    vop("v_log_f32", [](float a) { return std::log2(a); }),
    vop("v_exp_legacy_f32", [](float a) { return std::exp2(a); }),
    vop("v_log_legacy_f32", [](float a) { return std::log2(a); }),
    vop("v_sin_f32", [](float a) { return sine_of_turns(a); }),
    vop("v_cos_f32", [](float a) { return cosine_of_turns(a); }),
    moding("v_frexp_mant_f32", [](float a) { return mantissa(a); }),
    moding("v_frexp_exp_i32_f32", [](float a) { return exponent_of(a); }),
    moding("v_ldexp_f32", [](float a, i32 b) { return std::ldexp(a, b); }),
});

// Which numbers of a class mask: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
// From the bits: denormals are denormals in every mode.
template <int Exponent, int Mantissa> int class_of_bits(u64 bits) {
  constexpr u64 top = (1ull << Exponent) - 1;
  const bool negative = bits >> (Exponent + Mantissa) & 1;
  const u64 exponent = bits >> Mantissa & top, fraction = bits & ((1ull << Mantissa) - 1);
  if (exponent == top) return fraction ? int(fraction >> (Mantissa - 1)) : negative ? 2 : 9;
  if (exponent == 0) return fraction ? (negative ? 4 : 7) : negative ? 5 : 6;
  return negative ? 3 : 8;
}
int class_of(float x) { return class_of_bits<8, 23>(as_bits(x)); }
int class_of(double x) { return class_of_bits<11, 52>(as_bits64(x)); }
int class_of(uint16_t x) { return class_of_bits<5, 10>(x); }
const Registration classes({
    vop("v_cmp_class_f32", [](float a, u32 mask) { return bool(mask >> class_of(a) & 1); }),
    vop("v_cmp_class_f64", [](double a, u32 mask) { return bool(mask >> class_of(a) & 1); }),
    vop("v_cmp_class_f16", [](uint16_t a, u32 mask) { return bool(mask >> class_of(a) & 1); }),
    cmpx("v_cmpx_class_f32", [](float a, u32 mask) { return bool(mask >> class_of(a) & 1); }),
    cmpx("v_cmpx_class_f64", [](double a, u32 mask) { return bool(mask >> class_of(a) & 1); }),
    cmpx("v_cmpx_class_f16", [](uint16_t a, u32 mask) { return bool(mask >> class_of(a) & 1); }),
});

// ---- division: scale, refine with fma, fix up ----
template <class T> struct Layout;
template <> struct Layout<float> { static constexpr int bias = 127, top = 96, step = 64, low = 23, nothing = -150; };
template <> struct Layout<double> {
  static constexpr int bias = 1023, top = 768, step = 128, low = 53, nothing = -1075;
};

template <class T> int biased_exponent(T x) {
  if constexpr (sizeof(T) == 8) return as_bits64(x) >> 52 & 0x7ff;
  else return as_bits(x) >> 23 & 0xff;
}

// One of numerator and denominator (the one that `value` is) scaled so that the quotient's steps neither over- nor
// underflow.
template <class T> Carry<T> scaled_operand(T value, T denominator, T numerator) {
  using L = Layout<T>;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto same = [](T x, T y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  const int n = biased_exponent(numerator), d = biased_exponent(denominator);
  if (numerator == 0 || denominator == 0) return {nan, false};
  if (n - d >= L::top) return {same(value, denominator) ? T(std::ldexp(value, L::step)) : value, true};
  if (d == 0) return {T(std::ldexp(value, L::step)), false};
  const bool small_reciprocal = d >= 2 * L::bias - 1; // 1 / denominator is denormal
  const bool small_quotient = n - d <= -(L::bias - 1);
  if (small_reciprocal && small_quotient)
    return {same(value, denominator) ? T(std::ldexp(value, -L::step)) : value, true};
  if (small_reciprocal) return {T(std::ldexp(value, -L::step)), false};
  if (small_quotient) return {same(value, numerator) ? T(std::ldexp(value, L::step)) : value, true};
  if (n <= L::low) return {T(std::ldexp(value, L::step)), false};
  return {value, false};
}

template <class T> T fixed_quotient(T quotient, T denominator, T numerator) {
  const bool negative = std::signbit(denominator) != std::signbit(numerator);
  const T inf = std::numeric_limits<T>::infinity(), zero = 0;
  if (is_nan(numerator)) return quiet(numerator);
  if (is_nan(denominator)) return quiet(denominator);
  if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator)))
    return std::numeric_limits<T>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator)) return negative ? -inf : inf;
  if (std::isinf(denominator) || numerator == 0) return negative ? -zero : zero;
  if (biased_exponent(numerator) - biased_exponent(denominator) < Layout<T>::nothing) return negative ? -zero : zero;
  const T size =
      is_nan(quotient) ? inf : std::fabs(quotient); // the steps of a quotient that is too large end in inf - inf
  return negative ? -size : size;
}

// The last step, scaled back: up, or down where the result may be denormal; rounded once, so down from a wider type.
template <class T> T scaled_fma(T a, T b, T c, bool scale) {
  if (!scale) return std::fma(a, b, c);
  const int step = Layout<T>::step;
  if (biased_exponent(c) >= Layout<T>::bias) return std::ldexp(std::fma(a, b, c), step);
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  return T(std::ldexp(std::fma(Wide(a), Wide(b), Wide(c)), -step));
}

const Registration division({
    vop("v_div_scale_f32", [](float a, float b, float c) { return scaled_operand(a, b, c); }),
    dop("v_div_scale_f64", [](double a, double b, double c) { return scaled_operand(a, b, c); }),
    vop("v_div_fmas_f32", [](float a, float b, float c, Vcc s) { return scaled_fma(a, b, c, s.v); }),
    dop("v_div_fmas_f64", [](double a, double b, double c, Vcc s) { return scaled_fma(a, b, c, s.v); }),
    moding("v_div_fixup_f32", [](float a, float b, float c) { return fixed_quotient(a, b, c); }),
    moding("v_div_fixup_f64", [](double a, double b, double c) { return fixed_quotient(a, b, c); }),
});

double two_over_pi_part(double a, u32 segment);

const Registration wide({
    dop("v_add_f64", [](double a, double b) { return a + b; }),
    dop("v_mul_f64", [](double a, double b) { return a * b; }),
    dop("v_fma_f64", [](double a, double b, double c) { return __builtin_fma(a, b, c); }),
    dop("v_fmac_f64", [](double a, double b, Old<double> c) { return __builtin_fma(a, b, c.v); }),
    dop("v_floor_f64", [](double a) { return std::floor(a); }),
    dop("v_ceil_f64", [](double a) { return std::ceil(a); }),
    dop("v_trunc_f64", [](double a) { return std::trunc(a); }),
    dop("v_rndne_f64", [](double a) { return __builtin_roundeven(a); }),
    dop("v_fract_f64", [](double a) { return fraction(a); }),
    dop("v_rcp_f64", [](double a) { return 1.0 / a; }),
    dop("v_rsq_f64", [](double a) { return 1.0 / std::sqrt(a); }),
    dop("v_sqrt_f64", [](double a) { return std::sqrt(a); }),
    moding("v_frexp_mant_f64", [](double a) { return mantissa(a); }),
    moding("v_frexp_exp_i32_f64", [](double a) { return exponent_of(a); }),
    dop("v_ldexp_f64", [](double a, i32 b) { return std::ldexp(a, b); }),
    dop("v_trig_preop_f64", [](double a, u32 b) { return two_over_pi_part(a, b); }),
});

// 53 bits of 2/pi, from where the argument's exponent and the segment say.
double two_over_pi_part(double a, u32 segment) {
  static const u32 digits[] = { // 2/pi, 1216 bits after the point
                               0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
                               0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
                               0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
                               0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
                               0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
                               0x1f8d5d08, 0x56033046, 0xfc7b6bab};
  const int exponent = biased_exponent(a);
  u32 shift = (segment & 31) * 53;
  if (exponent > 1077) shift += exponent - 1077;
  u64 bits = 0;
  for (u32 k = 0; k < 53; ++k) {
    const u32 at = shift + k;
    bits = bits << 1 | (at / 32 < std::size(digits) ? digits[at / 32] >> (31 - at % 32) & 1 : 0);
  }
  int scale = -53 - int(shift);
  if (exponent >= 1968) scale += 128;
  return std::ldexp(double(bits), scale);
}

} // namespace
} // namespace flysim
