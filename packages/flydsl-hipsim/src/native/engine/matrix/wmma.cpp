// Matrix instructions of RDNA: 16x16 tiles over a wave, dense and with two of four k kept, by the layouts of gfx11 and
// gfx12.
#include "wmma.h"
#include "engine/vector/small_floats.h"

namespace flysim {
namespace {

// ---- elements of A and B: `flip` is what neg_lo or neg_hi says of this one; for integers neg_lo means that it is
// signed ----
struct Single {
  static constexpr int bits = 32;
  using Sum = float;
  static float widen(uint32_t c, bool flip) { return as_float(c ^ uint32_t(flip) << 31); }
};
struct Half {
  static constexpr int bits = 16;
  using Sum = float;
  static float widen(uint32_t c, bool flip) { return half_to_float(c ^ uint32_t(flip) << 15); }
};
struct Brain {
  static constexpr int bits = 16;
  using Sum = float;
  static float widen(uint32_t c, bool flip) { return bf16_to_float(c ^ uint32_t(flip) << 15); }
};
struct Eight {
  static constexpr int bits = 8;
  using Sum = float;
  static float widen(uint32_t c, bool) { return fp8_to_float(c); }
};
struct EightWide {
  static constexpr int bits = 8;
  using Sum = float;
  static float widen(uint32_t c, bool) { return bf8_to_float(c); }
};
template <int Bits> struct Whole {
  static constexpr int bits = Bits;
  using Sum = int64_t;
  static int64_t widen(uint32_t c, bool is_signed) {
    return is_signed ? int32_t(c << (32 - Bits)) >> (32 - Bits) : int64_t(c);
  }
};

template <class Format> void unpack(Wave &w, const FlySimRecord &r, unsigned slot, Spread spread,
                                    typename Format::Sum (*to)[kTile]) {
  const FlySimOperand &operand = r.operands[1 + slot];
  const bool even = has_bit(r.neg_lo, slot), odd = Format::bits == 16 ? has_bit(r.neg_hi, slot) : even;
  for (int e = 0; e < spread.per_lane; ++e) {
    const int bit = e * Format::bits;
    const bool flip = e & 1 ? odd : even;
    for (int group = 0; group < spread.groups; ++group) {
      const uint32_t *row = w.row(operand.index + bit / 32) + group * kTile;
      auto *made = to[spread.k_of(e, group)];
      for (int n = 0; n < kTile; ++n) made[n] = Format::widen(row[n] >> bit % 32 & (~0u >> (32 - Format::bits)), flip);
    }
  }
}

template <class Sum> Sum plus_product(Sum sum, Sum x, Sum y) {
  if constexpr (std::is_same_v<Sum, float>) return __builtin_fmaf(x, y, sum);
  else return sum + x * y;
}

// In k order; `which` has the k of B that each element of A belongs to.
template <class Sum, int Kept> void multiply(const Sum (*a)[kTile], const Sum (*b)[kTile],
                                             const uint8_t (*which)[kTile], Sum (*c)[kTile]) {
  for (int m = 0; m < kTile; ++m) {
    Sum sum[kTile]; // in registers
    std::copy_n(c[m], kTile, sum);
    for (int k = 0; k < Kept; ++k) {
      const Sum x = a[k][m], *row = b[which[k][m]];
      for (int n = 0; n < kTile; ++n) sum[n] = plus_product(sum[n], x, row[n]);
    }
    std::copy_n(sum, kTile, c[m]);
  }
}

template <class A, class B, class Result, int K, int Run = 0, class Before = Result> void dense(Wave &w,
                                                                                                const Inst &i) {
  using Sum = typename A::Sum;
  const FlySimRecord &r = *i.record;
  alignas(64) Sum a[K][kTile], b[K][kTile], c[kTile][kTile];
  uint8_t which[K][kTile];
  const Spread spread = spread_of(r.operands[1], A::bits, K, Run, A::bits == 4);
  unpack<A>(w, r, kSlotA, spread, a);
  unpack<B>(w, r, kSlotB, spread, b);
  for (int k = 0; k < K; ++k) std::fill_n(which[k], kTile, uint8_t(k));
  read_sum<Before>(w, r, r.operands[3], spread.groups == 1, c);
  multiply<Sum, K>(a, b, which, c);
  write_sum<Result>(w, r, spread.groups == 1, c);
}

// The index that goes with element e of the lanes' A, two bits an element: gfx12 has it in the same lane, and `abid`
// says in which part of the register; gfx1250 has those of a row one after the other, the first half in lanes 0 to 15.
template <int K, bool InOrder> void read_index(Wave &w, const FlySimRecord &r, Spread kept, uint8_t (*which)[kTile]) {
  const FlySimOperand &operand = r.operands[3];
  const int each = InOrder ? K / 4 : kept.per_lane, first = 2 * each * r.abid;
  if (first + 2 * each > 32 * operand.count) throw Fault("an index_key beyond the index register");
  for (int l = 0; l < kept.groups * kTile; ++l)
    for (int e = 0; e < kept.per_lane; ++e) {
      const int k = kept.k_of(e, l / kTile), bit = first + 2 * (InOrder ? k % each : e);
      const int lane = InOrder ? k / each * kTile + l % kTile : l;
      which[k][l % kTile] = uint8_t(k / 2 * 4 + (w.row(operand.index + bit / 32)[lane] >> bit % 32 & 3));
    }
}

// A has two of each four k. D is C as well, but for formats.
template <class A, class B, class Result, int K, int Run = 0, bool InOrder = false, class Before = Result> void
sparse(Wave &w, const Inst &i) {
  using Sum = typename A::Sum;
  const FlySimRecord &r = *i.record;
  alignas(64) Sum a[K / 2][kTile], b[K][kTile], c[kTile][kTile];
  uint8_t which[K / 2][kTile];
  const Spread kept = spread_of(r.operands[1], A::bits, K / 2, Run / 2, A::bits < 16);
  unpack<A>(w, r, kSlotA, kept, a);
  unpack<B>(w, r, kSlotB, spread_of(r.operands[2], B::bits, K, Run, B::bits < 16), b);
  read_index<K, InOrder>(w, r, kept, which);
  read_sum<Before>(w, r, r.operands[0], false, c);
  multiply<Sum, K / 2>(a, b, which, c);
  write_sum<Result>(w, r, false, c);
}

const Registration tiles({
    {"v_wmma_f32_16x16x16_f16", dense<Half, Half, FloatSum, 16>, "*"},
    {"v_wmma_f32_16x16x16_bf16", dense<Brain, Brain, FloatSum, 16>, "*"},
    {"v_wmma_f16_16x16x16_f16", dense<Half, Half, HalfSum, 16>, "*"},
    {"v_wmma_bf16_16x16x16_bf16", dense<Brain, Brain, BrainSum, 16>, "*"},
    {"v_wmma_i32_16x16x16_iu8", dense<Whole<8>, Whole<8>, IntSum, 16>, "*"},
    {"v_wmma_i32_16x16x16_iu4", dense<Whole<4>, Whole<4>, IntSum, 16>, "*"},
    {"v_wmma_i32_16x16x32_iu4", dense<Whole<4>, Whole<4>, IntSum, 32, 8>, "*"},
    {"v_wmma_f32_16x16x16_fp8_fp8", dense<Eight, Eight, FloatSum, 16>, "*"},
    {"v_wmma_f32_16x16x16_fp8_bf8", dense<Eight, EightWide, FloatSum, 16>, "*"},
    {"v_wmma_f32_16x16x16_bf8_fp8", dense<EightWide, Eight, FloatSum, 16>, "*"},
    {"v_wmma_f32_16x16x16_bf8_bf8", dense<EightWide, EightWide, FloatSum, 16>, "*"},
});
// gfx1250: deeper, in runs of sixteen bytes.
const Registration deep_tiles({
    {"v_wmma_f32_16x16x4_f32", dense<Single, Single, FloatSum, 4>, "*"},
    {"v_wmma_f32_16x16x32_f16", dense<Half, Half, FloatSum, 32, 8>, "*"},
    {"v_wmma_f16_16x16x32_f16", dense<Half, Half, HalfSum, 32, 8>, "*"},
    {"v_wmma_f32_16x16x32_bf16", dense<Brain, Brain, FloatSum, 32, 8>, "*"},
    {"v_wmma_bf16_16x16x32_bf16", dense<Brain, Brain, BrainSum, 32, 8>, "*"},
    {"v_wmma_bf16f32_16x16x32_bf16", dense<Brain, Brain, BrainSum, 32, 8, FloatSum>, "*"},
    {"v_wmma_i32_16x16x64_iu8", dense<Whole<8>, Whole<8>, IntSum, 64, 16>, "*"},
    {"v_wmma_f32_16x16x64_fp8_fp8", dense<Eight, Eight, FloatSum, 64, 16>, "*"},
    {"v_wmma_f32_16x16x64_fp8_bf8", dense<Eight, EightWide, FloatSum, 64, 16>, "*"},
    {"v_wmma_f32_16x16x64_bf8_fp8", dense<EightWide, Eight, FloatSum, 64, 16>, "*"},
    {"v_wmma_f32_16x16x64_bf8_bf8", dense<EightWide, EightWide, FloatSum, 64, 16>, "*"},
    {"v_wmma_f32_16x16x128_fp8_fp8", dense<Eight, Eight, FloatSum, 128, 16>, "*"},
    {"v_wmma_f32_16x16x128_fp8_bf8", dense<Eight, EightWide, FloatSum, 128, 16>, "*"},
    {"v_wmma_f32_16x16x128_bf8_fp8", dense<EightWide, Eight, FloatSum, 128, 16>, "*"},
    {"v_wmma_f32_16x16x128_bf8_bf8", dense<EightWide, EightWide, FloatSum, 128, 16>, "*"},
    {"v_wmma_f16_16x16x64_fp8_fp8", dense<Eight, Eight, HalfSum, 64, 16>, "*"},
    {"v_wmma_f16_16x16x64_fp8_bf8", dense<Eight, EightWide, HalfSum, 64, 16>, "*"},
    {"v_wmma_f16_16x16x64_bf8_fp8", dense<EightWide, Eight, HalfSum, 64, 16>, "*"},
    {"v_wmma_f16_16x16x64_bf8_bf8", dense<EightWide, EightWide, HalfSum, 64, 16>, "*"},
    {"v_wmma_f16_16x16x128_fp8_fp8", dense<Eight, Eight, HalfSum, 128, 16>, "*"},
    {"v_wmma_f16_16x16x128_fp8_bf8", dense<Eight, EightWide, HalfSum, 128, 16>, "*"},
    {"v_wmma_f16_16x16x128_bf8_fp8", dense<EightWide, Eight, HalfSum, 128, 16>, "*"},
    {"v_wmma_f16_16x16x128_bf8_bf8", dense<EightWide, EightWide, HalfSum, 128, 16>, "*"},
});
const Registration sparse_tiles({
    {"v_swmmac_f32_16x16x32_f16", sparse<Half, Half, FloatSum, 32, 8>, "*"},
    {"v_swmmac_f32_16x16x32_bf16", sparse<Brain, Brain, FloatSum, 32, 8>, "*"},
    {"v_swmmac_f16_16x16x32_f16", sparse<Half, Half, HalfSum, 32, 8>, "*"},
    {"v_swmmac_bf16_16x16x32_bf16", sparse<Brain, Brain, BrainSum, 32, 8>, "*"},
    {"v_swmmac_i32_16x16x32_iu8", sparse<Whole<8>, Whole<8>, IntSum, 32>, "*"},
    {"v_swmmac_i32_16x16x32_iu4", sparse<Whole<4>, Whole<4>, IntSum, 32>, "*"},
    {"v_swmmac_i32_16x16x64_iu4", sparse<Whole<4>, Whole<4>, IntSum, 64, 16>, "*"},
    {"v_swmmac_f32_16x16x32_fp8_fp8", sparse<Eight, Eight, FloatSum, 32>, "*"},
    {"v_swmmac_f32_16x16x32_fp8_bf8", sparse<Eight, EightWide, FloatSum, 32>, "*"},
    {"v_swmmac_f32_16x16x32_bf8_fp8", sparse<EightWide, Eight, FloatSum, 32>, "*"},
    {"v_swmmac_f32_16x16x32_bf8_bf8", sparse<EightWide, EightWide, FloatSum, 32>, "*"},
});
const Registration deep_sparse_tiles({
    {"v_swmmac_f32_16x16x64_f16", sparse<Half, Half, FloatSum, 64, 16, true>, "*"},
    {"v_swmmac_f32_16x16x64_bf16", sparse<Brain, Brain, FloatSum, 64, 16, true>, "*"},
    {"v_swmmac_f16_16x16x64_f16", sparse<Half, Half, HalfSum, 64, 16, true>, "*"},
    {"v_swmmac_bf16_16x16x64_bf16", sparse<Brain, Brain, BrainSum, 64, 16, true>, "*"},
    {"v_swmmac_bf16f32_16x16x64_bf16", sparse<Brain, Brain, BrainSum, 64, 16, true, FloatSum>, "*"},
    {"v_swmmac_i32_16x16x128_iu8", sparse<Whole<8>, Whole<8>, IntSum, 128, 32, true>, "*"},
    {"v_swmmac_f32_16x16x128_fp8_fp8", sparse<Eight, Eight, FloatSum, 128, 32, true>, "*"},
    {"v_swmmac_f32_16x16x128_fp8_bf8", sparse<Eight, EightWide, FloatSum, 128, 32, true>, "*"},
    {"v_swmmac_f32_16x16x128_bf8_fp8", sparse<EightWide, Eight, FloatSum, 128, 32, true>, "*"},
    {"v_swmmac_f32_16x16x128_bf8_bf8", sparse<EightWide, EightWide, FloatSum, 128, 32, true>, "*"},
    {"v_swmmac_f16_16x16x128_fp8_fp8", sparse<Eight, Eight, HalfSum, 128, 32, true>, "*"},
    {"v_swmmac_f16_16x16x128_fp8_bf8", sparse<Eight, EightWide, HalfSum, 128, 32, true>, "*"},
    {"v_swmmac_f16_16x16x128_bf8_fp8", sparse<EightWide, Eight, HalfSum, 128, 32, true>, "*"},
    {"v_swmmac_f16_16x16x128_bf8_bf8", sparse<EightWide, EightWide, HalfSum, 128, 32, true>, "*"},
});

} // namespace
} // namespace flysim
