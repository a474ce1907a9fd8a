// The MFMA family: dense, with many blocks, f64, sparse, and scaled.
#include "engine/core/registry.h"
#include "matrix.h"

namespace flysim {
namespace {

using Fp8z = MatrixSmall<Fp8Fnuz>;
using Bf8z = MatrixSmall<Bf8Fnuz>;
using Fp8o = MatrixSmall<Fp8>;
using Bf8o = MatrixSmall<Bf8>;

// 8-bit floats: the chip says which kind.
template <int M, int N, int K, bool A, bool B> void eight_bits(Wave &w, const Inst &i) {
  using Fnuz = std::pair<std::conditional_t<A, Bf8z, Fp8z>, std::conditional_t<B, Bf8z, Fp8z>>;
  using Ocp = std::pair<std::conditional_t<A, Bf8o, Fp8o>, std::conditional_t<B, Bf8o, Fp8o>>;
  if (w.fnuz) multiply_add<typename Fnuz::first_type, M, N, K, 1, typename Fnuz::second_type>(w, i);
  else multiply_add<typename Ocp::first_type, M, N, K, 1, typename Ocp::second_type>(w, i);
}

// Row (v * 64 / (N * Blocks)) + l / (N * Blocks) of block l / N % Blocks; blgp negates A, B and C.
template <int M, int N, int K, int Blocks> void multiply_add_f64(Wave &w, const Inst &i) {
  constexpr int values = M * N * Blocks / 64, wide = N * Blocks;
  const FlySimRecord &r = *i.record;
  const auto at = [&](const FlySimOperand &operand, int v, int l) {
    if (operand.kind != FLYSIM_VGPR) return operand.kind == FLYSIM_INLINE_FLOAT ? double(as_float(operand.value)) : 0.0;
    return Lane<double>::get(w.row(operand.index) + 2 * v * kLanes, l);
  };
  const int negative = r.neg_lo | r.blgp;
  double result[values * 64];
  for (int v = 0; v < values; ++v)
    for (int l = 0; l < 64; ++l) {
      const int row = v * (64 / wide) + l / wide, column = l % N, block = l / N % Blocks;
      const double before = at(r.operands[3], v, l);
      double sum = negative & 4 ? -before : before;
      for (int k = 0; k < K; ++k) {
        const double x = at(r.operands[1], 0, row + M * (block + Blocks * k)),
                     y = at(r.operands[2], 0, column + N * (block + Blocks * k));
        sum = __builtin_fma(negative & 1 ? -x : x, negative & 2 ? -y : y, sum);
      }
      result[v * 64 + l] = sum;
    }
  for (int v = 0; v < values; ++v)
    for (int l = 0; l < 64; ++l) Lane<double>::put(w.row(r.operands[0].index + 2 * v), l, result[v * 64 + l]);
}

// A has two of each four k; two bits an element of the index register say which. D is also the accumulator.
template <class FormatA, class FormatB, int M, int N, int K> void sparse(Wave &w, const Inst &i) {
  using Value = typename FormatA::Value;
  constexpr int words = M * N / 64, kept = K * M / 128;
  const FlySimRecord &r = *i.record;
  alignas(64) Value half[M * K / 2], a[M * K], b[N * K];
  unpack<FormatA, M, K / 2, 1>(w.row(r.operands[1].index), half);
  unpack<FormatB, N, K, 1>(w.row(r.operands[2].index), b);
  constexpr int index_bits = 2 * kept;
  const int shift = index_bits >= 32 ? 0 : (r.abid % (32 / index_bits)) * index_bits * (r.cbsz == 0);
  std::fill_n(a, M * K, Value(0));
  for (int l = 0; l < 64; ++l) {
    const uint32_t index = w.row(r.operands[3].index)[l] >> shift;
    for (int e = 0; e < kept; ++e) {
      const int place = index >> (2 * e) & 3, group = l / M * (kept / 2) + e / 2;
      a[(group * 4 + place) * M + l % M] = half[(l / M * kept + e) * M + l % M];
    }
  }
  uint32_t *to = w.row(r.operands[0].index);
  place_accumulator(w, r.operands[0], to, words);
  multiply_blocks<Value, M, N, K, 1>(a, b, reinterpret_cast<Value *>(to));
}
template <int M, int N, int K, bool A, bool B> void sparse_eight_bits(Wave &w, const Inst &i) {
  if (w.fnuz) sparse<std::conditional_t<A, Bf8z, Fp8z>, std::conditional_t<B, Bf8z, Fp8z>, M, N, K>(w, i);
  else sparse<std::conditional_t<A, Bf8o, Fp8o>, std::conditional_t<B, Bf8o, Fp8o>, M, N, K>(w, i);
}

// ---- gfx950: formats of 8, 6 and 4 bits, each operand its own, in groups of 32 k with a power of two each ----
// 8 bits are in two runs of 16 bytes.
template <int Rows, int K> void unpack_any(int format, const uint32_t *rows, float *values) {
  switch (format) {
  case 0: return unpack<Fp8o, Rows, K, 1, 16>(rows, values);
  case 1: return unpack<Bf8o, Rows, K, 1, 16>(rows, values);
  case 2: return unpack<MatrixSmall<Fp6, 6>, Rows, K, 1>(rows, values);
  case 3: return unpack<MatrixSmall<Bf6, 6>, Rows, K, 1>(rows, values);
  case 4: return unpack<MatrixSmall<Fp4, 4>, Rows, K, 1>(rows, values);
  }
  throw Fault("a matrix format that the simulator does not have");
}
// A scale is a byte: an exponent with bias 127; 255 is NaN.
template <int Rows, int K> void apply_scales(Wave &w, const FlySimOperand &operand, int byte, float *values) {
  for (int l = 0; l < 64; ++l) {
    const uint32_t word = operand.kind == FLYSIM_VGPR ? w.row(operand.index)[l] : scalar_operand(w, operand);
    const uint32_t code = word >> (8 * byte) & 255;
    const float scale = code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, int(code) - 127);
    for (int e = 0; e < K * Rows / 64; ++e) values[(l / Rows * (K * Rows / 64) + e) * Rows + l % Rows] *= scale;
  }
}
template <int M, int N, int K, bool Scaled> void mixed_formats(Wave &w, const Inst &i) {
  constexpr int words = M * N / 64;
  const FlySimRecord &r = *i.record;
  alignas(64) float a[M * K], b[N * K];
  unpack_any<M, K>(r.cbsz, w.row(r.operands[1].index), a);
  unpack_any<N, K>(r.blgp, w.row(r.operands[2].index), b);
  if constexpr (Scaled) {
    const auto byte = [&](int slot) {
      return (r.op_sel >> slot & 1) | (r.op_sel_hi == 0xff ? 0 : r.op_sel_hi >> slot & 1) * 2;
    };
    apply_scales<M, K>(w, r.operands[4], byte(0), a);
    apply_scales<N, K>(w, r.operands[5], byte(1), b);
  }
  uint32_t *to = w.row(r.operands[0].index);
  place_accumulator(w, r.operands[3], to, words);
  multiply_blocks<float, M, N, K, 1>(a, b, reinterpret_cast<float *>(to));
}

using H = MatrixHalf;
using B = MatrixBf16;
using F = MatrixFloat;
using X = MatrixXf32;
using I = MatrixInt8;

const Registration dense({
    {"v_mfma_f32_32x32x1_2b_f32", multiply_add<F, 32, 32, 1, 2>, "*"},
    {"v_mfma_f32_16x16x1_4b_f32", multiply_add<F, 16, 16, 1, 4>, "*"},
    {"v_mfma_f32_4x4x1_16b_f32", multiply_add<F, 4, 4, 1, 16>, "*"},
    {"v_mfma_f32_32x32x2_f32", multiply_add<F, 32, 32, 2, 1>, "*"},
    {"v_mfma_f32_16x16x4_f32", multiply_add<F, 16, 16, 4, 1>, "*"},
    {"v_mfma_f32_32x32x4_2b_f16", multiply_add<H, 32, 32, 4, 2>, "*"},
    {"v_mfma_f32_16x16x4_4b_f16", multiply_add<H, 16, 16, 4, 4>, "*"},
    {"v_mfma_f32_4x4x4_16b_f16", multiply_add<H, 4, 4, 4, 16>, "*"},
    {"v_mfma_f32_32x32x8_f16", multiply_add<H, 32, 32, 8, 1>, "*"},
    {"v_mfma_f32_16x16x16_f16", multiply_add<H, 16, 16, 16, 1>, "*"},
    {"v_mfma_f32_32x32x16_f16", multiply_add<H, 32, 32, 16, 1>, "*"},
    {"v_mfma_f32_16x16x32_f16", multiply_add<H, 16, 16, 32, 1>, "*"},
    {"v_mfma_f32_32x32x4_2b_bf16", multiply_add<B, 32, 32, 4, 2>, "*"},
    {"v_mfma_f32_16x16x4_4b_bf16", multiply_add<B, 16, 16, 4, 4>, "*"},
    {"v_mfma_f32_4x4x4_16b_bf16", multiply_add<B, 4, 4, 4, 16>, "*"},
    {"v_mfma_f32_32x32x8_bf16", multiply_add<B, 32, 32, 8, 1>, "*"},
    {"v_mfma_f32_16x16x16_bf16", multiply_add<B, 16, 16, 16, 1>, "*"},
    {"v_mfma_f32_32x32x16_bf16", multiply_add<B, 32, 32, 16, 1>, "*"},
    {"v_mfma_f32_16x16x32_bf16", multiply_add<B, 16, 16, 32, 1>, "*"},
    {"v_mfma_i32_32x32x4_2b_i8", multiply_add<I, 32, 32, 4, 2>, "*"},
    {"v_mfma_i32_16x16x4_4b_i8", multiply_add<I, 16, 16, 4, 4>, "*"},
    {"v_mfma_i32_4x4x4_16b_i8", multiply_add<I, 4, 4, 4, 16>, "*"},
    {"v_mfma_i32_32x32x16_i8", multiply_add<I, 32, 32, 16, 1>, "*"},
    {"v_mfma_i32_16x16x32_i8", multiply_add<I, 16, 16, 32, 1>, "*"},
    {"v_mfma_i32_32x32x32_i8", multiply_add<I, 32, 32, 32, 1>, "*"},
    {"v_mfma_i32_16x16x64_i8", multiply_add<I, 16, 16, 64, 1>, "*"},
    {"v_mfma_f32_16x16x8_xf32", multiply_add<X, 16, 16, 8, 1>, "*"},
    {"v_mfma_f32_32x32x4_xf32", multiply_add<X, 32, 32, 4, 1>, "*"},
    {"v_mfma_f64_16x16x4_f64", multiply_add_f64<16, 16, 4, 1>, "*"},
    {"v_mfma_f64_4x4x4_4b_f64", multiply_add_f64<4, 4, 4, 4>, "*"},
});

const Registration small({
    {"v_mfma_f32_16x16x32_fp8_fp8", eight_bits<16, 16, 32, false, false>, "*"},
    {"v_mfma_f32_16x16x32_fp8_bf8", eight_bits<16, 16, 32, false, true>, "*"},
    {"v_mfma_f32_16x16x32_bf8_fp8", eight_bits<16, 16, 32, true, false>, "*"},
    {"v_mfma_f32_16x16x32_bf8_bf8", eight_bits<16, 16, 32, true, true>, "*"},
    {"v_mfma_f32_32x32x16_fp8_fp8", eight_bits<32, 32, 16, false, false>, "*"},
    {"v_mfma_f32_32x32x16_fp8_bf8", eight_bits<32, 32, 16, false, true>, "*"},
    {"v_mfma_f32_32x32x16_bf8_fp8", eight_bits<32, 32, 16, true, false>, "*"},
    {"v_mfma_f32_32x32x16_bf8_bf8", eight_bits<32, 32, 16, true, true>, "*"},
    {"v_mfma_f32_16x16x128_f8f6f4", mixed_formats<16, 16, 128, false>, "*"},
    {"v_mfma_f32_32x32x64_f8f6f4", mixed_formats<32, 32, 64, false>, "*"},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", mixed_formats<16, 16, 128, true>, "*"},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", mixed_formats<32, 32, 64, true>, "*"},
});

const Registration with_zeros({
    {"v_smfmac_i32_16x16x128_i8", sparse<I, I, 16, 16, 128>, "*"},
    {"v_smfmac_f32_16x16x128_fp8_fp8", sparse_eight_bits<16, 16, 128, false, false>, "*"},
    {"v_smfmac_f32_16x16x128_fp8_bf8", sparse_eight_bits<16, 16, 128, false, true>, "*"},
    {"v_smfmac_f32_16x16x128_bf8_fp8", sparse_eight_bits<16, 16, 128, true, false>, "*"},
    {"v_smfmac_f32_16x16x128_bf8_bf8", sparse_eight_bits<16, 16, 128, true, true>, "*"},
    {"v_smfmac_i32_32x32x64_i8", sparse<I, I, 32, 32, 64>, "*"},
    {"v_smfmac_f32_32x32x64_fp8_fp8", sparse_eight_bits<32, 32, 64, false, false>, "*"},
    {"v_smfmac_f32_32x32x64_fp8_bf8", sparse_eight_bits<32, 32, 64, false, true>, "*"},
    {"v_smfmac_f32_32x32x64_bf8_fp8", sparse_eight_bits<32, 32, 64, true, false>, "*"},
    {"v_smfmac_f32_32x32x64_bf8_bf8", sparse_eight_bits<32, 32, 64, true, true>, "*"},
    {"v_smfmac_f32_16x16x32_f16", sparse<H, H, 16, 16, 32>, "*"},
    {"v_smfmac_f32_32x32x16_f16", sparse<H, H, 32, 32, 16>, "*"},
    {"v_smfmac_f32_16x16x32_bf16", sparse<B, B, 16, 16, 32>, "*"},
    {"v_smfmac_f32_32x32x16_bf16", sparse<B, B, 32, 32, 16>, "*"},
    {"v_smfmac_i32_16x16x64_i8", sparse<I, I, 16, 16, 64>, "*"},
    {"v_smfmac_i32_32x32x32_i8", sparse<I, I, 32, 32, 32>, "*"},
    {"v_smfmac_f32_16x16x64_fp8_fp8", sparse_eight_bits<16, 16, 64, false, false>, "*"},
    {"v_smfmac_f32_16x16x64_fp8_bf8", sparse_eight_bits<16, 16, 64, false, true>, "*"},
    {"v_smfmac_f32_16x16x64_bf8_fp8", sparse_eight_bits<16, 16, 64, true, false>, "*"},
    {"v_smfmac_f32_16x16x64_bf8_bf8", sparse_eight_bits<16, 16, 64, true, true>, "*"},
    {"v_smfmac_f32_32x32x32_fp8_fp8", sparse_eight_bits<32, 32, 32, false, false>, "*"},
    {"v_smfmac_f32_32x32x32_fp8_bf8", sparse_eight_bits<32, 32, 32, false, true>, "*"},
    {"v_smfmac_f32_32x32x32_bf8_fp8", sparse_eight_bits<32, 32, 32, true, false>, "*"},
    {"v_smfmac_f32_32x32x32_bf8_bf8", sparse_eight_bits<32, 32, 32, true, true>, "*"},
    {"v_smfmac_f32_16x16x64_f16", sparse<H, H, 16, 16, 64>, "*"},
    {"v_smfmac_f32_32x32x32_f16", sparse<H, H, 32, 32, 32>, "*"},
    {"v_smfmac_f32_16x16x64_bf16", sparse<B, B, 16, 16, 64>, "*"},
    {"v_smfmac_f32_32x32x32_bf16", sparse<B, B, 32, 32, 32>, "*"},
});

// gfx90a's names; bf16 without `_1k` has half as many k.
const Registration gfx90a({
    {"v_mfma_f32_32x32x1f32", multiply_add<F, 32, 32, 1, 2>, "*"},
    {"v_mfma_f32_16x16x1f32", multiply_add<F, 16, 16, 1, 4>, "*"},
    {"v_mfma_f32_4x4x1f32", multiply_add<F, 4, 4, 1, 16>, "*"},
    {"v_mfma_f32_32x32x2f32", multiply_add<F, 32, 32, 2, 1>, "*"},
    {"v_mfma_f32_16x16x4f32", multiply_add<F, 16, 16, 4, 1>, "*"},
    {"v_mfma_f32_32x32x4f16", multiply_add<H, 32, 32, 4, 2>, "*"},
    {"v_mfma_f32_16x16x4f16", multiply_add<H, 16, 16, 4, 4>, "*"},
    {"v_mfma_f32_4x4x4f16", multiply_add<H, 4, 4, 4, 16>, "*"},
    {"v_mfma_f32_32x32x8f16", multiply_add<H, 32, 32, 8, 1>, "*"},
    {"v_mfma_f32_16x16x16f16", multiply_add<H, 16, 16, 16, 1>, "*"},
    {"v_mfma_f32_32x32x2bf16", multiply_add<B, 32, 32, 2, 2>, "*"},
    {"v_mfma_f32_16x16x2bf16", multiply_add<B, 16, 16, 2, 4>, "*"},
    {"v_mfma_f32_4x4x2bf16", multiply_add<B, 4, 4, 2, 16>, "*"},
    {"v_mfma_f32_32x32x4bf16", multiply_add<B, 32, 32, 4, 1>, "*"},
    {"v_mfma_f32_16x16x8bf16", multiply_add<B, 16, 16, 8, 1>, "*"},
    {"v_mfma_f32_32x32x4bf16_1k", multiply_add<B, 32, 32, 4, 2>, "*"},
    {"v_mfma_f32_16x16x4bf16_1k", multiply_add<B, 16, 16, 4, 4>, "*"},
    {"v_mfma_f32_4x4x4bf16_1k", multiply_add<B, 4, 4, 4, 16>, "*"},
    {"v_mfma_f32_32x32x8bf16_1k", multiply_add<B, 32, 32, 8, 1>, "*"},
    {"v_mfma_f32_16x16x16bf16_1k", multiply_add<B, 16, 16, 16, 1>, "*"},
    {"v_mfma_i32_32x32x4i8", multiply_add<I, 32, 32, 4, 2>, "*"},
    {"v_mfma_i32_16x16x4i8", multiply_add<I, 16, 16, 4, 4>, "*"},
    {"v_mfma_i32_4x4x4i8", multiply_add<I, 4, 4, 4, 16>, "*"},
    {"v_mfma_i32_32x32x8i8", multiply_add<I, 32, 32, 8, 1>, "*"},
    {"v_mfma_i32_16x16x16i8", multiply_add<I, 16, 16, 16, 1>, "*"},
    {"v_mfma_f64_16x16x4f64", multiply_add_f64<16, 16, 4, 1>, "*"},
    {"v_mfma_f64_4x4x4f64", multiply_add_f64<4, 4, 4, 4>, "*"},
});

} // namespace
} // namespace flysim
