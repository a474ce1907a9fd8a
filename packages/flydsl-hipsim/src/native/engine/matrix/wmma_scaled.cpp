// Matrix instructions of gfx1250 whose operands have formats of their own, of 8, 6 or 4 bits, and scales of blocks of
// k.
//
// 16 lanes hold runs of 16 k of 8 bits or of 32 k of fewer bits that alternate between the halves of the wave. The
// scales of a row of A are in lane row % 16, or 16 lanes further on: a byte for each 32 k (`scale`) or each 16 k
// (`scale16`). A of 32 rows has those from 16 on in the registers that follow, and their scales in the second half of
// the wave.
#include "engine/vector/small_floats.h"
#include "wmma.h"

namespace flysim {
namespace {

constexpr int kDepth = 128;

struct SmallFormat {
  int bits;
  const float *values;
};
SmallFormat format_of(unsigned number) {
  switch (number) {
  case 0: return {8, widen_table<Fp8>()};
  case 1: return {8, widen_table<Bf8>()};
  case 2: return {6, widen_table<Fp6>()};
  case 3: return {6, widen_table<Bf6>()};
  default: return {4, widen_table<Fp4>()};
  }
}

// Sixteen rows of A, or columns of B, whose registers begin with `first`.
void unpack_small(Wave &w, unsigned first, SmallFormat format, float (*to)[kTile]) {
  const int run = format.bits == 8 ? 16 : 32;
  const Spread spread{kDepth / 2, 2, run, false};
  for (int e = 0; e < kDepth / 2; ++e) {
    const int bit = e * format.bits, word = bit / 32, shift = bit % 32;
    const uint32_t *row = w.row(first + word), *above = shift + format.bits > 32 ? w.row(first + word + 1) : nullptr;
    for (int l = 0; l < 2 * kTile; ++l) {
      const uint32_t code = row[l] >> shift | (above ? above[l] << (32 - shift) : 0);
      to[spread.k_of(e, l / kTile)][l % kTile] = format.values[code & ((1u << format.bits) - 1)];
    }
  }
}

// What the modifiers say of scales: their halves of the wave in bits 0 and 1, their formats from bits 2 and 4 on.
struct ScaleForm {
  explicit ScaleForm(uint32_t bits, unsigned slot) : upper(bits >> slot & 1), format(bits >> (2 + 2 * slot) & 3) {}
  bool upper;
  unsigned format;
  float value(uint32_t code) const {
    if (format == 1) return e5m3_to_float(code);
    if (format == 2) return fp8_to_float(code);
    return code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, int(code) - 127);
  }
};

// Scales of a row, or a column, for each of its `blocks`.
void read_scales(const Wave &w, const FlySimOperand &operand, ScaleForm form, int lane, int blocks, float *to) {
  for (int block = 0; block < blocks; ++block) {
    const unsigned word = unsigned(block / 4);
    uint32_t bits = word ? 0 : operand.value;
    if (operand.kind == FLYSIM_VGPR) bits = w.v[(operand.index + word) * kLanes + unsigned(lane)];
    else if (operand.kind == FLYSIM_SGPR) bits = w.s[operand.index + word];
    to[block] = form.value(bits >> 8 * (block % 4) & 255);
  }
}

// `Blocks` of k with a scale each; 0: none has one.
template <int Rows, int Blocks> void multiply_formats(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const bool fixed = Rows == 32; // its formats are not written
  const SmallFormat form_a = format_of(fixed ? 4 : r.cbsz), form_b = format_of(fixed ? 4 : r.blgp);
  alignas(64) float a[Rows / kTile][kDepth][kTile], b[kDepth][kTile], c[Rows][kTile];
  for (int part = 0; part < Rows / kTile; ++part)
    unpack_small(w, r.operands[1].index + unsigned(part * kDepth / 2 * form_a.bits / 32), form_a, a[part]);
  unpack_small(w, r.operands[2].index, form_b, b);
  read_sum<FloatSum, Rows>(w, r, r.operands[3], false, c);
  constexpr int parts = Blocks ? Blocks : 1, each = kDepth / parts;
  float scale_a[parts], scale_b[kTile][parts];
  const ScaleForm of_a(r.dpp_control, kSlotA), of_b(r.dpp_control, kSlotB);
  if (Blocks)
    for (int n = 0; n < kTile; ++n) read_scales(w, r.operands[5], of_b, n + kTile * of_b.upper, parts, scale_b[n]);
  for (int m = 0; m < Rows; ++m) {
    if (Blocks) read_scales(w, r.operands[4], of_a, Rows == kTile ? m + kTile * of_a.upper : m, parts, scale_a);
    for (int block = 0; block < parts; ++block) {
      float sum[kTile] = {};
      if (!Blocks) std::copy_n(c[m], kTile, sum);
      for (int k = block * each; k < (block + 1) * each; ++k)
        for (int n = 0; n < kTile; ++n) sum[n] = __builtin_fmaf(a[m / kTile][k][m % kTile], b[k][n], sum[n]);
      for (int n = 0; n < kTile; ++n) c[m][n] = Blocks ? c[m][n] + sum[n] * scale_a[block] * scale_b[n][block] : sum[n];
    }
  }
  write_sum<FloatSum, Rows>(w, r, false, c);
}

const Registration formats({
    {"v_wmma_f32_16x16x128_f8f6f4", multiply_formats<16, 0>, "*"},
    {"v_wmma_f32_32x16x128_f4", multiply_formats<32, 0>, "*"},
    {"v_wmma_scale_f32_16x16x128_f8f6f4", multiply_formats<16, 4>, "*"},
    {"v_wmma_scale_f32_32x16x128_f4", multiply_formats<32, 4>, "*"},
    {"v_wmma_scale16_f32_16x16x128_f8f6f4", multiply_formats<16, 8>, "*"},
    {"v_wmma_scale16_f32_32x16x128_f4", multiply_formats<32, 8>, "*"},
});

} // namespace
} // namespace flysim
