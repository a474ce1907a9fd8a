// Matrix instructions of RDNA: 16x16 tiles over a wave, dense and with two of four k kept, by the layouts of gfx11 and gfx12.
//
// gfx11: every 16 lanes hold all k of A's rows (B's columns); register r of lane l is D[r * (lanes / 16) + l / 16][l % 16], and
// 16-bit results are in one half of their registers. gfx12, wave32: 16 lanes hold half of the k; register r of lane l is
// D[r + 8 * (l / 16)][l % 16], two a register when they have 16 bits. How many registers A has tells which of the two it is.
#include "lanes.h"
#include "small_floats.h"

#include <algorithm>
#include <cmath>

namespace flysim {
namespace {

constexpr int kTile = 16;
constexpr unsigned kSlotA = 0, kSlotB = 1, kSlotC = 2;

bool has_bit(uint8_t bits, unsigned slot) { return bits >> slot & 1; }

// ---- elements of A and B: `flip` is what neg_lo or neg_hi says of this one; for integers neg_lo means that it is signed ----
struct Single { static constexpr int bits = 32; using Sum = float; static float widen(uint32_t c, bool flip) { return as_float(c ^ uint32_t(flip) << 31); } };
struct Half { static constexpr int bits = 16; using Sum = float; static float widen(uint32_t c, bool flip) { return half_to_float(c ^ uint32_t(flip) << 15); } };
struct Brain { static constexpr int bits = 16; using Sum = float; static float widen(uint32_t c, bool flip) { return bf16_to_float(c ^ uint32_t(flip) << 15); } };
struct Eight { static constexpr int bits = 8; using Sum = float; static float widen(uint32_t c, bool) { return fp8_to_float(c); } };
struct EightWide { static constexpr int bits = 8; using Sum = float; static float widen(uint32_t c, bool) { return bf8_to_float(c); } };
template <int Bits> struct Whole {
  static constexpr int bits = Bits;
  using Sum = int64_t;
  static int64_t widen(uint32_t c, bool is_signed) { return is_signed ? int32_t(c << (32 - Bits)) >> (32 - Bits) : int64_t(c); }
};

// ---- elements of C and D ----
struct FloatSum { static constexpr int bits = 32; static float widen(uint32_t c) { return as_float(c); } static uint32_t narrow(float x) { return as_bits(x); } };
struct HalfSum { static constexpr int bits = 16; static float widen(uint32_t c) { return half_to_float(c); } static uint32_t narrow(float x) { return float_to_half(x); } };
struct BrainSum { static constexpr int bits = 16; static float widen(uint32_t c) { return bf16_to_float(c); } static uint32_t narrow(float x) { return float_to_bf16(x); } };
struct IntSum { static constexpr int bits = 32; static int64_t widen(uint32_t c) { return int32_t(c); } static uint32_t narrow(int64_t x) { return uint32_t(x); } };

// How the k of an operand with `count` registers are spread: each group of 16 lanes has `per_lane` of them, in runs that
// alternate between the groups; one run when none is given.
struct Spread {
  int per_lane, groups, run;
};
template <class Format, int Run = 0> Spread spread_of(const Wave &w, const FlySimOperand &operand, int k) {
  const int per_lane = operand.count * 32 / Format::bits, groups = k / per_lane;
  if (groups > 1 && (groups != 2 || w.lanes != 32)) throw Fault("a matrix instruction with a layout that the simulator does not have");
  return {per_lane, groups, Run && Run < per_lane ? Run : per_lane};
}

template <class Format> void unpack(Wave &w, const FlySimRecord &r, unsigned slot, Spread spread, typename Format::Sum (*to)[kTile]) {
  const FlySimOperand &operand = r.operands[1 + slot];
  const bool even = has_bit(r.neg_lo, slot), odd = Format::bits == 16 ? has_bit(r.neg_hi, slot) : even;
  for (int e = 0; e < spread.per_lane; ++e) {
    const int bit = e * Format::bits;
    const uint32_t *row = w.row(operand.index + bit / 32);
    for (int l = 0; l < spread.groups * kTile; ++l) {
      const uint32_t code = row[l] >> bit % 32 & (~0u >> (32 - Format::bits));
      to[(e / spread.run * spread.groups + l / kTile) * spread.run + e % spread.run][l % kTile] = Format::widen(code, e & 1 ? odd : even);
    }
  }
}

// Where element (m, n) of C and D is.
struct Place {
  int word, lane, shift;
};
template <class Result> Place place_of(const Wave &w, const FlySimRecord &r, bool interleaved, int m, int n) {
  if (interleaved) { // gfx11
    const int step = w.lanes / kTile;
    return {m / step, m % step * kTile + n, Result::bits == 16 && has_bit(r.op_sel, kSlotC) ? 16 : 0};
  }
  const int bit = m % 8 * Result::bits;
  return {bit / 32, m / 8 * kTile + n, bit % 32};
}

template <class Result> uint32_t constant_of(const FlySimOperand &operand) {
  if (operand.kind != FLYSIM_INLINE_FLOAT) return operand.value;
  return Result::bits == 32 ? operand.value : Result::narrow(as_float(operand.value));
}

template <class Result, class Sum>
void read_sum(Wave &w, const FlySimRecord &r, const FlySimOperand &operand, bool interleaved, Sum (*to)[kTile]) {
  const bool absolute = has_bit(r.neg_hi, kSlotC), negative = has_bit(r.neg_lo, kSlotC);
  for (int m = 0; m < kTile; ++m)
    for (int n = 0; n < kTile; ++n) {
      const Place at = place_of<Result>(w, r, interleaved, m, n);
      const uint32_t bits = operand.kind == FLYSIM_VGPR ? w.row(operand.index + at.word)[at.lane] >> at.shift : constant_of<Result>(operand);
      Sum value = Result::widen(Result::bits == 16 ? bits & 0xffff : bits);
      if (absolute) value = value < 0 || (value == 0 && std::signbit(double(value))) ? -value : value;
      to[m][n] = negative ? -value : value;
    }
}

template <class Result, class Sum> void write_sum(Wave &w, const FlySimRecord &r, bool interleaved, const Sum (*from)[kTile]) {
  const bool clamp = r.flags & FLYSIM_CLAMP;
  for (int m = 0; m < kTile; ++m)
    for (int n = 0; n < kTile; ++n) {
      Sum value = from[m][n];
      if (clamp && std::is_same_v<Sum, int64_t>) value = std::clamp<Sum>(value, Sum(INT32_MIN), Sum(INT32_MAX));
      const Place at = place_of<Result>(w, r, interleaved, m, n);
      const uint32_t field = (Result::bits == 16 ? 0xffffu : ~0u) << at.shift;
      uint32_t &word = w.row(r.operands[0].index + at.word)[at.lane];
      word = (word & ~field) | Result::narrow(value) << at.shift;
    }
}

template <class Sum> Sum plus_product(Sum sum, Sum x, Sum y) {
  if constexpr (std::is_same_v<Sum, float>) return __builtin_fmaf(x, y, sum);
  else return sum + x * y;
}

// In k order; `which` has the k of B that each element of A belongs to.
template <class Sum, int Kept> void multiply(const Sum (*a)[kTile], const Sum (*b)[kTile], const uint8_t (*which)[kTile], Sum (*c)[kTile]) {
  for (int m = 0; m < kTile; ++m)
    for (int k = 0; k < Kept; ++k) {
      const Sum x = a[k][m], *row = b[which[k][m]];
      for (int n = 0; n < kTile; ++n) c[m][n] = plus_product(c[m][n], x, row[n]);
    }
}

template <class A, class B, class Result, int K, int Run = 0, class Before = Result> void dense(Wave &w, const Inst &i) {
  using Sum = typename A::Sum;
  const FlySimRecord &r = *i.record;
  alignas(64) Sum a[K][kTile], b[K][kTile], c[kTile][kTile];
  uint8_t which[K][kTile];
  const Spread spread = spread_of<A, Run>(w, r.operands[1], K);
  unpack<A>(w, r, kSlotA, spread, a);
  unpack<B>(w, r, kSlotB, spread, b);
  for (int k = 0; k < K; ++k) std::fill_n(which[k], kTile, uint8_t(k));
  read_sum<Before>(w, r, r.operands[3], spread.groups == 1, c);
  multiply<Sum, K>(a, b, which, c);
  write_sum<Result>(w, r, spread.groups == 1, c);
}

// A has two of each four k; two bits an element of the lane's index say which. D is C as well.
template <class A, class B, class Result, int K> void sparse(Wave &w, const Inst &i) {
  using Sum = typename A::Sum;
  const FlySimRecord &r = *i.record;
  alignas(64) Sum a[K / 2][kTile], b[K][kTile], c[kTile][kTile];
  uint8_t which[K / 2][kTile];
  const Spread kept = spread_of<A>(w, r.operands[1], K / 2);
  unpack<A>(w, r, kSlotA, kept, a);
  unpack<B>(w, r, kSlotB, spread_of<B>(w, r.operands[2], K), b);
  const int shift = 2 * kept.per_lane < 32 ? r.abid * 2 * kept.per_lane : 0;
  const uint32_t *index = w.row(r.operands[3].index);
  for (int l = 0; l < kept.groups * kTile; ++l)
    for (int e = 0; e < kept.per_lane; ++e) {
      const int k = l / kTile * kept.per_lane + e;
      which[k][l % kTile] = uint8_t(k / 2 * 4 + (index[l] >> (shift + 2 * e) & 3));
    }
  read_sum<Result>(w, r, r.operands[0], false, c);
  multiply<Sum, K / 2>(a, b, which, c);
  write_sum<Result>(w, r, false, c);
}

const Registration tiles({
    {"v_wmma_f32_16x16x16_f16", dense<Half, Half, FloatSum, 16>, "*"}, {"v_wmma_f32_16x16x16_bf16", dense<Brain, Brain, FloatSum, 16>, "*"},
    {"v_wmma_f16_16x16x16_f16", dense<Half, Half, HalfSum, 16>, "*"}, {"v_wmma_bf16_16x16x16_bf16", dense<Brain, Brain, BrainSum, 16>, "*"},
    {"v_wmma_i32_16x16x16_iu8", dense<Whole<8>, Whole<8>, IntSum, 16>, "*"}, {"v_wmma_i32_16x16x16_iu4", dense<Whole<4>, Whole<4>, IntSum, 16>, "*"},
    {"v_wmma_i32_16x16x32_iu4", dense<Whole<4>, Whole<4>, IntSum, 32>, "*"},
    {"v_wmma_f32_16x16x16_fp8_fp8", dense<Eight, Eight, FloatSum, 16>, "*"}, {"v_wmma_f32_16x16x16_fp8_bf8", dense<Eight, EightWide, FloatSum, 16>, "*"},
    {"v_wmma_f32_16x16x16_bf8_fp8", dense<EightWide, Eight, FloatSum, 16>, "*"}, {"v_wmma_f32_16x16x16_bf8_bf8", dense<EightWide, EightWide, FloatSum, 16>, "*"},
});
// gfx1250: deeper, in runs of eight k.
constexpr int kRun = 8;
const Registration deep_tiles({
    {"v_wmma_f32_16x16x4_f32", dense<Single, Single, FloatSum, 4>, "*"},
    {"v_wmma_f32_16x16x32_f16", dense<Half, Half, FloatSum, 32, kRun>, "*"}, {"v_wmma_f16_16x16x32_f16", dense<Half, Half, HalfSum, 32, kRun>, "*"},
    {"v_wmma_f32_16x16x32_bf16", dense<Brain, Brain, FloatSum, 32, kRun>, "*"}, {"v_wmma_bf16_16x16x32_bf16", dense<Brain, Brain, BrainSum, 32, kRun>, "*"},
    {"v_wmma_bf16f32_16x16x32_bf16", dense<Brain, Brain, BrainSum, 32, kRun, FloatSum>, "*"},
    {"v_wmma_i32_16x16x64_iu8", dense<Whole<8>, Whole<8>, IntSum, 64, kRun>, "*"},
    {"v_wmma_f32_16x16x64_fp8_fp8", dense<Eight, Eight, FloatSum, 64, kRun>, "*"}, {"v_wmma_f32_16x16x64_fp8_bf8", dense<Eight, EightWide, FloatSum, 64, kRun>, "*"},
    {"v_wmma_f32_16x16x64_bf8_fp8", dense<EightWide, Eight, FloatSum, 64, kRun>, "*"}, {"v_wmma_f32_16x16x64_bf8_bf8", dense<EightWide, EightWide, FloatSum, 64, kRun>, "*"},
    {"v_wmma_f16_16x16x64_fp8_fp8", dense<Eight, Eight, HalfSum, 64, kRun>, "*"}, {"v_wmma_f16_16x16x64_fp8_bf8", dense<Eight, EightWide, HalfSum, 64, kRun>, "*"},
    {"v_wmma_f16_16x16x64_bf8_fp8", dense<EightWide, Eight, HalfSum, 64, kRun>, "*"}, {"v_wmma_f16_16x16x64_bf8_bf8", dense<EightWide, EightWide, HalfSum, 64, kRun>, "*"},
    {"v_wmma_f32_16x16x128_fp8_fp8", dense<Eight, Eight, FloatSum, 128, kRun>, "*"}, {"v_wmma_f32_16x16x128_fp8_bf8", dense<Eight, EightWide, FloatSum, 128, kRun>, "*"},
    {"v_wmma_f32_16x16x128_bf8_fp8", dense<EightWide, Eight, FloatSum, 128, kRun>, "*"}, {"v_wmma_f32_16x16x128_bf8_bf8", dense<EightWide, EightWide, FloatSum, 128, kRun>, "*"},
    {"v_wmma_f16_16x16x128_fp8_fp8", dense<Eight, Eight, HalfSum, 128, kRun>, "*"}, {"v_wmma_f16_16x16x128_fp8_bf8", dense<Eight, EightWide, HalfSum, 128, kRun>, "*"},
    {"v_wmma_f16_16x16x128_bf8_fp8", dense<EightWide, Eight, HalfSum, 128, kRun>, "*"}, {"v_wmma_f16_16x16x128_bf8_bf8", dense<EightWide, EightWide, HalfSum, 128, kRun>, "*"},
});
const Registration sparse_tiles({
    {"v_swmmac_f32_16x16x32_f16", sparse<Half, Half, FloatSum, 32>, "*"}, {"v_swmmac_f32_16x16x32_bf16", sparse<Brain, Brain, FloatSum, 32>, "*"},
    {"v_swmmac_f16_16x16x32_f16", sparse<Half, Half, HalfSum, 32>, "*"}, {"v_swmmac_bf16_16x16x32_bf16", sparse<Brain, Brain, BrainSum, 32>, "*"},
    {"v_swmmac_i32_16x16x32_iu8", sparse<Whole<8>, Whole<8>, IntSum, 32>, "*"}, {"v_swmmac_i32_16x16x32_iu4", sparse<Whole<4>, Whole<4>, IntSum, 32>, "*"},
    {"v_swmmac_i32_16x16x64_iu4", sparse<Whole<4>, Whole<4>, IntSum, 64>, "*"},
    {"v_swmmac_f32_16x16x32_fp8_fp8", sparse<Eight, Eight, FloatSum, 32>, "*"}, {"v_swmmac_f32_16x16x32_fp8_bf8", sparse<Eight, EightWide, FloatSum, 32>, "*"},
    {"v_swmmac_f32_16x16x32_bf8_fp8", sparse<EightWide, Eight, FloatSum, 32>, "*"}, {"v_swmmac_f32_16x16x32_bf8_bf8", sparse<EightWide, EightWide, FloatSum, 32>, "*"},
});

} // namespace
} // namespace flysim
