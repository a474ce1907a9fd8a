// A function of one lane's values in, a handler over all lanes of a wave out: operand fetch, the loop, the masked
// write.
#pragma once
#include "engine/core/registry.h"
#include "float_mode.h"
#include "numbers.h"

#include <type_traits>
#include <utility>

namespace flysim {

// ---- values as functions of one lane see them ----
struct f16 { float v; };   // rounded to half when written
struct bf16 { float v; };  // rounded to bfloat16 when written
struct Bit { bool v; };    // a lane's bit of a mask
struct Half2 { uint32_t v; }; // two halves, float, as they are
struct Halves { float x, y; }; // two halves, rounded when written
struct Int2 { uint32_t v; };  // two halves, int
struct Brain2 { uint32_t v; }; // two bfloat16
struct Float2 { float x, y; };
struct Wide { uint32_t low, high; }; // 64 bits as two rows have them: loops need not join them
struct Mixed { float v; }; // f32 or half, by op_sel_hi
template <class T> struct Old { T v; }; // the destination before
template <class T> struct Carry {
  T v;
  bool carry;
}; // also writes a mask
struct Vcc { bool v; };    // the lane's bit of vcc, not an operand

template <class T> struct Lane;
template <char Letter, class T> struct Lane32 {
  static constexpr char letter = Letter;
  static constexpr int words = 1;
  static T get(const uint32_t *p, int l) { return std::bit_cast<T>(p[l]); }
  static void put(uint32_t *p, int l, T value) { p[l] = std::bit_cast<uint32_t>(value); }
};
template <char Letter, class T> struct Lane64 {
  static constexpr char letter = Letter;
  static constexpr int words = 2;
  static T get(const uint32_t *p, int l) { return std::bit_cast<T>(uint64_t(p[l]) | uint64_t(p[l + kLanes]) << 32); }
  static void put(uint32_t *p, int l, T value) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    p[l] = uint32_t(bits);
    p[l + kLanes] = uint32_t(bits >> 32);
  }
};
template <class T> struct Lane16 {
  static constexpr char letter = 'w';
  static constexpr int words = 1;
  static T get(const uint32_t *p, int l) { return T(p[l]); }
  static void put(uint32_t *p, int l, T value) { p[l] = uint16_t(value); }
};
template <> struct Lane<float> : Lane32<'f', float> {};
template <> struct Lane<uint32_t> : Lane32<'u', uint32_t> {};
template <> struct Lane<int32_t> : Lane32<'u', int32_t> {};
template <> struct Lane<Half2> : Lane32<'p', Half2> {};
template <> struct Lane<Int2> : Lane32<'i', Int2> {};
template <> struct Lane<Brain2> : Lane32<'B', Brain2> {};
template <> struct Lane<Mixed> : Lane32<'x', Mixed> {};
template <> struct Lane<double> : Lane64<'d', double> {};
template <> struct Lane<uint64_t> : Lane64<'q', uint64_t> {};
template <> struct Lane<int64_t> : Lane64<'q', int64_t> {};
template <> struct Lane<Float2> {
  static constexpr char letter = 'P';
  static constexpr int words = 2;
  static Float2 get(const uint32_t *p, int l) { return {as_float(p[l]), as_float(p[l + kLanes])}; }
  static void put(uint32_t *p, int l, Float2 value) { p[l] = as_bits(value.x), p[l + kLanes] = as_bits(value.y); }
};
template <> struct Lane<Wide> {
  static constexpr char letter = 'q';
  static constexpr int words = 2;
  static Wide get(const uint32_t *p, int l) { return {p[l], p[l + kLanes]}; }
  static void put(uint32_t *p, int l, Wide value) { p[l] = value.low, p[l + kLanes] = value.high; }
};
template <> struct Lane<uint16_t> : Lane16<uint16_t> {};
template <> struct Lane<int16_t> : Lane16<int16_t> {};
template <> struct Lane<f16> {
  static constexpr char letter = 'h';
  static constexpr int words = 1;
  static f16 get(const uint32_t *p, int l) { return {half_to_float(p[l])}; }
  static void put(uint32_t *p, int l, f16 value) { p[l] = float_to_half(value.v); }
};
template <> struct Lane<Halves> {
  static constexpr char letter = 'p';
  static constexpr int words = 1;
  static Halves get(const uint32_t *p, int l) { return {half_to_float(p[l] & 0xffff), half_to_float(p[l] >> 16)}; }
  static void put(uint32_t *p, int l, Halves value) { p[l] = float_to_half(value.x) | float_to_half(value.y) << 16; }
};
template <> struct Lane<bf16> {
  static constexpr char letter = 'b';
  static constexpr int words = 1;
  static bf16 get(const uint32_t *p, int l) { return {bf16_to_float(p[l])}; }
  static void put(uint32_t *p, int l, bf16 value) { p[l] = float_to_bf16(value.v); }
};
template <> struct Lane<Bit> {
  static constexpr char letter = 'm';
  static constexpr int words = 1;
  static Bit get(const uint32_t *p, int l) { return {p[l] != 0}; }
};
template <> struct Lane<Vcc> {
  static constexpr char letter = 'V';
  static constexpr int words = 1;
  static Vcc get(const uint32_t *p, int l) { return {p[l] != 0}; }
};
template <class T> struct Lane<Old<T>> {
  static constexpr char letter = 'O';
  static constexpr int words = Lane<T>::words;
  static Old<T> get(const uint32_t *p, int l) { return {Lane<T>::get(p, l)}; }
};

// ---- the same in other modes than the usual one: denormals to zero, other roundings of halves ----
constexpr uint32_t kUsualMode = 0xf0, kModeIeee = 0x200;
inline thread_local uint32_t lane_mode = kUsualMode;

inline uint32_t kept_half(uint32_t half, uint32_t bit) {
  return (lane_mode & bit) || (half & 0x7c00u) ? half : half & 0x8000u;
}
inline float kept_float(float value, uint32_t bit) {
  const uint32_t bits = as_bits(value);
  return (lane_mode & bit) || (bits & 0x7f800000u) ? value : as_float(bits & 0x80000000u);
}
inline double kept_float(double value, uint32_t bit) {
  const uint64_t bits = as_bits64(value);
  return (lane_mode & bit) || (bits >> 52 & 0x7ff) ? value : as_double(bits & 1ull << 63);
}
template <class T> struct ModeLane : Lane<T> {};
template <class T> struct ModeLane<Old<T>> : Lane<Old<T>> {
  static Old<T> get(const uint32_t *p, int l) { return {ModeLane<T>::get(p, l)}; }
};
template <> struct ModeLane<f16> : Lane<f16> {
  static f16 get(const uint32_t *p, int l) { return {half_to_float(kept_half(p[l] & 0xffff, 0x40))}; }
  static void put(uint32_t *p, int l, f16 value) {
    p[l] = kept_half(float_to_half_in(value.v, lane_mode >> 2 & 3), 0x80);
  }
};
template <> struct ModeLane<Halves> : Lane<Halves> {
  static Halves get(const uint32_t *p, int l) {
    return {half_to_float(kept_half(p[l] & 0xffff, 0x40)), half_to_float(kept_half(p[l] >> 16, 0x40))};
  }
  static void put(uint32_t *p, int l, Halves value) {
    const uint32_t rounding = lane_mode >> 2 & 3;
    p[l] = kept_half(float_to_half_in(value.x, rounding), 0x80) |
        kept_half(float_to_half_in(value.y, rounding), 0x80) << 16;
  }
};
template <> struct ModeLane<Half2> : Lane<Half2> {
  static Half2 get(const uint32_t *p, int l) {
    return {kept_half(p[l] & 0xffff, 0x40) | kept_half(p[l] >> 16, 0x40) << 16};
  }
  static void put(uint32_t *p, int l, Half2 value) {
    p[l] = kept_half(value.v & 0xffff, 0x80) | kept_half(value.v >> 16, 0x80) << 16;
  }
};
template <> struct ModeLane<float> : Lane<float> {
  static float get(const uint32_t *p, int l) { return kept_float(Lane<float>::get(p, l), 0x10); }
  static void put(uint32_t *p, int l, float value) { Lane<float>::put(p, l, kept_float(value, 0x20)); }
};
template <> struct ModeLane<double> : Lane<double> {
  static double get(const uint32_t *p, int l) { return kept_float(Lane<double>::get(p, l), 0x40); }
  static void put(uint32_t *p, int l, double value) { Lane<double>::put(p, l, kept_float(value, 0x80)); }
};
// A function that moves f32 or f64 values without arithmetic, and treats denormals as the mode says all the same.
template <class F> struct Moding : F {};
template <class F> constexpr bool is_moding = false;
template <class F> constexpr bool is_moding<Moding<F>> = true;
// A minimum, maximum or median: denormals that RDNA lets in come out whatever the mode says of results.
template <class F> struct Selecting : F {};
template <class F> constexpr bool is_selecting = false;
template <class F> constexpr bool is_selecting<Selecting<F>> = true;
template <class F> constexpr bool is_moding<Selecting<F>> = true;
template <class T> constexpr bool is_half_float = Lane<T>::letter == 'h' || Lane<T>::letter == 'p';
template <class T> constexpr bool is_half_float<Old<T>> = is_half_float<T>;
template <> inline constexpr bool is_half_float<bool> = false;

// While lanes are computed in such a mode; arithmetic of halves is done in f32 with their rounding, which is that of
// f64.
class LaneMode {
public:
  LaneMode(uint32_t mode, bool other) : mode(mode), other(other) {
    lane_mode = mode;
    if (other) set_host_mode(host_mode(mode >> 2 & 3, 3));
  }
  ~LaneMode() {
    if (other) set_host_mode(host_mode_32(mode));
  }

private:
  const uint32_t mode;
  const bool other;
};

// ---- operands and results at run time ----
// A source that is not a plain row: broadcast, selected, negated, or moved between lanes, into a temporary row.
const uint32_t *fetch_slow(Wave &w, const Inst &i, int k);
inline const uint32_t *fetch(Wave &w, const Inst &i, int k) {
  const Source &s = i.src[k];
  if (s.kind == Source::vgpr && s.plain) return w.row(s.index);
  if (s.kind == Source::constant) return s.row;
  return fetch_slow(w, i, k);
}
// Modifiers of a source applied to rows; for constants this happens once, when the module is built.
void apply_modifiers(uint32_t *row, const Source &s, const FlySimRecord &record, int lanes);
// w.out to the destination: clamp, omod, half-words, DPP and SDWA, under exec.
void finish(Wave &w, const Inst &i, int words);
uint64_t pack_bits(const uint32_t *words, int lanes); // bit l: words[l] != 0
inline uint64_t active_lanes(const Wave &w, const Inst &i) {
  const bool moved = !i.simple && (i.record->form == FLYSIM_DPP || i.record->form == FLYSIM_DPP8);
  return moved ? w.exec() & w.dpp_mask : w.exec();
}

template <class> struct Signature;
template <class R, class... A> struct Signature<R (*)(A...)> {
  static std::string text(const char *result) {
    std::string made = std::string(result) + "=";
    ((made += Lane<A>::letter), ...);
    return made;
  }
};

template <class F> using Plain = decltype(+std::declval<F>());

template <class F, template <class> class L = Lane, class P = Plain<F>> struct VectorOp;
template <class F, template <class> class L, class R, class... A> struct VectorOp<F, L, R (*)(A...)> {
  static std::string signature() { return Signature<R (*)(A...)>::text(std::string(1, Lane<R>::letter).c_str()); }
  template <int N, size_t... K>
  static void loop(uint32_t *out, const uint32_t *const *p, std::index_sequence<K...>) {
#pragma GCC ivdep
    for (int l = 0; l < N; ++l) L<R>::put(out, l, F{}(L<A>::get(p[K], l)...));
  }
  template <size_t... K> static void call(Wave &w, const Inst &i, std::index_sequence<K...> order) {
    const uint32_t *p[] = {fetch(w, i, K)..., nullptr};
    const bool direct = i.simple && w.exec() == w.full() && !(i.keep_high && half);
    uint32_t *out = direct ? w.row(i.dst) : w.out;
    if (w.lanes == 64) loop<64>(out, p, order);
    else loop<32>(out, p, order);
    if (!direct) finish(w, i, Lane<R>::words);
  }
  static constexpr bool half = Lane<R>::letter == 'h' || Lane<R>::letter == 'w' || Lane<R>::letter == 'b';
  static constexpr bool from_halves = (is_half_float<A> || ...),
                        moded = is_half_float<R> || from_halves || is_moding<F>;
  static void run(Wave &w, const Inst &i) {
    if constexpr (moded)
      if ((w.mode & 0xff) != kUsualMode) [[unlikely]] {
        const LaneMode mode(w.mode, (is_half_float<R> && from_halves) || (std::is_same_v<A, double> || ...));
        if (is_selecting<F> && !w.gfx9) lane_mode |= 0xa0;
        return VectorOp<F, ModeLane>::call(w, i, std::index_sequence_for<A...>{});
      }
    call(w, i, std::index_sequence_for<A...>{});
  }
};

// With a carry: the value and a mask in SGPRs.
template <class F, template <class> class L, class R, class... A> struct VectorOp<F, L, Carry<R> (*)(A...)> {
  static std::string signature() {
    return Signature<R (*)(A...)>::text((std::string(1, Lane<R>::letter) + "M").c_str());
  }
  template <int N, size_t... K>
  static void loop(uint32_t *out, uint32_t *carries, const uint32_t *const *p, std::index_sequence<K...>) {
#pragma GCC ivdep
    for (int l = 0; l < N; ++l) {
      const Carry<R> r = F{}(Lane<A>::get(p[K], l)...);
      Lane<R>::put(out, l, r.v);
      carries[l] = r.carry;
    }
  }
  template <size_t... K> static void call(Wave &w, const Inst &i, std::index_sequence<K...> order) {
    const uint32_t *p[] = {fetch(w, i, K)..., nullptr};
    alignas(64) uint32_t carries[kLanes];
    const bool direct = i.simple && w.exec() == w.full();
    uint32_t *out = direct ? w.row(i.dst) : w.out;
    if (w.lanes == 64) loop<64>(out, carries, p, order);
    else loop<32>(out, carries, p, order);
    if (!direct) finish(w, i, Lane<R>::words);
    w.set_lane_mask(i.sdst, pack_bits(carries, w.lanes) & active_lanes(w, i));
  }
  static void run(Wave &w, const Inst &i) { call(w, i, std::index_sequence_for<A...>{}); }
};

// A comparison: a mask in SGPRs; lanes that are off give 0.
template <class F, template <class> class L, class... A> struct VectorOp<F, L, bool (*)(A...)> {
  static std::string signature() { return Signature<bool (*)(A...)>::text("M"); }
  template <size_t... K> static uint64_t bits(Wave &w, const Inst &i, std::index_sequence<K...>) {
    const uint32_t *p[] = {fetch(w, i, K)..., nullptr};
    alignas(64) uint32_t result[kLanes];
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) result[l] = F{}(L<A>::get(p[K], l)...);
    return pack_bits(result, w.lanes) & active_lanes(w, i);
  }
  static uint64_t all_bits(Wave &w, const Inst &i) {
    if constexpr ((is_half_float<A> || ...))
      if ((w.mode & 0xff) != kUsualMode) [[unlikely]] {
        const LaneMode mode(w.mode, false);
        return VectorOp<F, ModeLane>::bits(w, i, std::index_sequence_for<A...>{});
      }
    if constexpr ((std::is_same_v<A, double> || ...)) {
      const DoubleMode mode(w.mode);
      return bits(w, i, std::index_sequence_for<A...>{});
    }
    return bits(w, i, std::index_sequence_for<A...>{});
  }
  static void run(Wave &w, const Inst &i) { w.set_lane_mask(i.sdst, all_bits(w, i)); }
  // v_cmpx: exec too; on RDNA only exec, and no destination is printed (or exec itself).
  static void run_exec(Wave &w, const Inst &i) {
    const uint64_t mask = all_bits(w, i);
    if (w.gfx9) w.set_lane_mask(i.sdst, mask);
    w.set_lane_mask(kExec, mask);
  }
};

// A table entry: the signature follows from the function's types.
template <class F> Opcode vop(const char *name, F) { return {name, VectorOp<F>::run, VectorOp<F>::signature()}; }
// On gfx9 these keep the upper half of their destination; most others clear it.
inline Opcode keeping(Opcode opcode) {
  opcode.signature.insert(0, "!");
  return opcode;
}
template <class F> Opcode moding(const char *name, F) { return vop(name, Moding<F>{}); }
template <class F> Opcode cmpx(const char *name, F) { return {name, VectorOp<F>::run_exec, VectorOp<F>::signature()}; }

} // namespace flysim
