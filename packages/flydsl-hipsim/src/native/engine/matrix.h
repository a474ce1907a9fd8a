// Matrix instructions of CDNA: register layouts in, blocks of rows and columns out.
//
// D = A B + C, in `Blocks` blocks of M x N x K. A lane holds K * M * Blocks / 64 consecutive k of row (or column) lane % M of block
// lane / M % Blocks; the rest of the lane number says which. Results come in groups of four rows: word v of lane l belongs to group
// (v / 4) * (64 / N) + l / N, counted through all blocks.
#pragma once
#include "access.h"
#include "small_floats.h"

namespace flysim {

struct MatrixHalf {
  static constexpr int bits = 16;
  using Value = float;
  static float widen(uint32_t code) { return half_to_float(code & 0xffff); }
};
struct MatrixBf16 {
  static constexpr int bits = 16;
  using Value = float;
  static float widen(uint32_t code) { return bf16_to_float(code & 0xffff); }
};
struct MatrixFloat {
  static constexpr int bits = 32;
  using Value = float;
  static float widen(uint32_t code) { return as_float(code); }
};
struct MatrixXf32 { // the lower 13 bits of the mantissa do not count
  static constexpr int bits = 32;
  using Value = float;
  static float widen(uint32_t code) { return as_float(code & 0xffffe000u); }
};
struct MatrixInt8 {
  static constexpr int bits = 8;
  using Value = int32_t;
  static int32_t widen(uint32_t code) { return int8_t(code); }
};
template <class Format, int Bits = 8> struct MatrixSmall {
  static constexpr int bits = Bits;
  using Value = float;
  static float widen(uint32_t code) { return widen_table<Format>()[code & ((1u << Bits) - 1)]; }
};

// Which lane's data lane `l` of B uses.
inline int permuted_lane(int control, int l) {
  switch (control) {
  case 0: return l;
  case 1: return l & 31;
  case 2: return 32 | (l & 31);
  case 3: return (l + 16) & 63;
  default: return (control - 4) * 16 + (l & 15);
  }
}

// The codes of one operand to values[(block * K + k) * Rows + row]; `lane_of` says where a lane's data come from.
template <class Format, int Rows, int K, int Blocks, class LaneOf>
inline void unpack(const uint32_t *rows, typename Format::Value *values, LaneOf lane_of) {
  constexpr int per_lane = K * Rows * Blocks / 64, bits = Format::bits;
  for (int e = 0; e < per_lane; ++e) {
    const int bit = e * bits, word = bit / 32, shift = bit % 32;
    const bool split = shift + bits > 32;
    for (int l = 0; l < 64; ++l) {
      const int from = lane_of(l);
      uint32_t code = rows[word * kLanes + from] >> shift;
      if (split) code |= rows[(word + 1) * kLanes + from] << (32 - shift);
      const int row = l % Rows, block = l / Rows % Blocks, k = l / (Rows * Blocks) * per_lane + e;
      values[(block * K + k) * Rows + row] = Format::widen(code);
    }
  }
}

// Four rows of a block at a time, in k order.
template <class Value, int M, int N, int K, int Blocks>
inline void multiply_blocks(const Value *a, const Value *b, Value *c) { // c: rows of kLanes words, as in registers
  constexpr int per_word = 64 / N, strip = N < 16 ? N : 16;
  for (int group = 0; group < M / 4 * Blocks; ++group) {
    const int block = group / (M / 4), first = group % (M / 4) * 4;
    Value *at = c + group / per_word * 4 * kLanes + group % per_word * N;
    for (int n = 0; n < N; n += strip) {
      Value sum[4][strip];
      for (int r = 0; r < 4; ++r)
        for (int j = 0; j < strip; ++j) sum[r][j] = at[r * kLanes + n + j];
      for (int k = 0; k < K; ++k) {
        const Value *column = a + (block * K + k) * M + first, *row = b + (block * K + k) * N + n;
        for (int r = 0; r < 4; ++r)
          for (int j = 0; j < strip; ++j) {
            if constexpr (std::is_same_v<Value, float>) sum[r][j] = __builtin_fmaf(column[r], row[j], sum[r][j]);
            else sum[r][j] = Value(uint32_t(sum[r][j]) + uint32_t(column[r]) * uint32_t(row[j]));
          }
      }
      for (int r = 0; r < 4; ++r)
        for (int j = 0; j < strip; ++j) at[r * kLanes + n + j] = sum[r][j];
    }
  }
}

// Operand 3, the accumulator before: registers, or one constant.
inline void read_accumulator(Wave &w, const FlySimOperand &operand, uint32_t *to, int words) {
  if (operand.kind == FLYSIM_VGPR) {
    std::memcpy(to, w.row(operand.index), size_t(words) * kLanes * 4);
    return;
  }
  for (int l = 0; l < words * kLanes; ++l) to[l] = operand.value;
}

template <class Format, int M, int N, int K, int Blocks, class FormatB = Format> void multiply_add(Wave &w, const Inst &i) {
  using Value = typename Format::Value;
  constexpr int words = M * N * Blocks / 64;
  const FlySimRecord &r = *i.record;
  alignas(64) static thread_local Value a[M * K * Blocks], b[N * K * Blocks];
  alignas(64) Value c[words * kLanes];
  const int groups = (1 << r.cbsz) - 1;
  unpack<Format, M, K, Blocks>(w.row(r.operands[1].index), a, [&](int l) {
    if (!groups) return l;
    const int block = l / M % Blocks, chosen = (block & ~groups) | (r.abid & groups);
    return l + (chosen - block) * M;
  });
  if (r.blgp) unpack<FormatB, N, K, Blocks>(w.row(r.operands[2].index), b, [&](int l) { return permuted_lane(r.blgp, l); });
  else unpack<FormatB, N, K, Blocks>(w.row(r.operands[2].index), b, [](int l) { return l; });
  read_accumulator(w, r.operands[3], reinterpret_cast<uint32_t *>(c), words);
  multiply_blocks<Value, M, N, K, Blocks>(a, b, c);
  std::memcpy(w.row(r.operands[0].index), c, sizeof c);
}

} // namespace flysim
