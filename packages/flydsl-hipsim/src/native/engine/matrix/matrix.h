// Matrix instructions of CDNA: register layouts in, blocks of rows and columns out.
//
// D = A B + C, in `Blocks` blocks of M x N x K. A lane holds K * M * Blocks / 64 consecutive k of row (or column) lane
// % M of block lane / M % Blocks; the rest of the lane number says which. Results come in groups of four rows: word v
// of lane l belongs to group (v / 4) * (64 / N) + l / N, counted through all blocks.
#pragma once
#include "engine/core/access.h"
#include "engine/vector/lanes.h"
#include "engine/vector/small_floats.h"

#include <algorithm>

#ifdef __AVX2__
#include <immintrin.h>
#endif

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

// The two halves of each of eight words.
inline void widen_pairs(const uint32_t *words, float *low, float *high) {
#if defined(__F16C__) && defined(__AVX2__)
  const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(words));
  const __m256i packed =
      _mm256_packus_epi32(_mm256_and_si256(both, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(both, 16));
  const __m256i order = _mm256_permute4x64_epi64(packed, 0xd8);
  _mm256_storeu_ps(low, _mm256_cvtph_ps(_mm256_castsi256_si128(order)));
  _mm256_storeu_ps(high, _mm256_cvtph_ps(_mm256_extracti128_si256(order, 1)));
#else
  for (int l = 0; l < 8; ++l) low[l] = half_to_float(words[l] & 0xffff), high[l] = half_to_float(words[l] >> 16);
#endif
}

// The codes of one operand to values[(block * K + k) * Rows + row]. The k of a lane are in runs of `Run`, which
// alternate between the lanes of a row, or in one.
template <class Format, int Rows, int K, int Blocks, int Run = K>
inline void unpack(const uint32_t *rows, typename Format::Value *values) {
  constexpr int per_lane = K * Rows * Blocks / 64, bits = Format::bits, run = std::min(Run, per_lane);
  constexpr int step = 64 / (Rows * Blocks) * run;
  if constexpr (std::is_same_v<Format, MatrixHalf> && Rows % 8 == 0) {
    for (int e = 0; e < per_lane; e += 2)
      for (int first = 0; first < 64; first += 8) {
        const int block = first / Rows % Blocks, k = first / (Rows * Blocks) * per_lane + e;
        float *to = values + (block * K + k) * Rows + first % Rows;
        widen_pairs(rows + e / 2 * kLanes + first, to, to + Rows);
      }
    return;
  }
  for (int e = 0; e < per_lane; ++e) {
    const int word = e * bits / 32, shift = e * bits % 32;
    const bool split = shift + bits > 32;
    for (int first = 0; first < 64; first += Rows) {
      const int block = first / Rows % Blocks, k = first / (Rows * Blocks) * run + e / run * step + e % run;
      const uint32_t *from = rows + word * kLanes + first;
      auto *to = values + (block * K + k) * Rows;
      for (int row = 0; row < Rows; ++row) {
        const uint32_t above = split ? from[row + kLanes] << (-shift & 31) : 0;
        to[row] = Format::widen(from[row] >> shift | above);
      }
    }
  }
}
// The same, a lane's data coming from lane `lane_of(l)`.
template <class Format, int Rows, int K, int Blocks, class LaneOf>
inline void unpack_moved(const uint32_t *rows, typename Format::Value *values, LaneOf lane_of) {
  constexpr int words = (K * Rows * Blocks / 64 * Format::bits + 31) / 32;
  uint32_t moved[words * kLanes];
  for (int word = 0; word < words; ++word)
    for (int l = 0; l < 64; ++l) moved[word * kLanes + l] = rows[word * kLanes + lane_of(l)];
  unpack<Format, Rows, K, Blocks>(moved, values);
}

// Eight columns, or the four there are, in one variable.
constexpr int kColumns = 8;
template <class Value, int Width> using Columns [[gnu::vector_size(Width * sizeof(Value))]] = Value;

template <class Value, int Width> inline Columns<Value, Width> load_columns(const Value *from) {
  Columns<Value, Width> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
// sum + x * y, rounded once.
template <class Value, int Width> inline void accumulate(Columns<Value, Width> &sum, Value x, Columns<Value, Width> y) {
  if constexpr (std::is_same_v<Value, int32_t>) {
    using Unsigned = Columns<uint32_t, Width>;
    sum = Columns<Value, Width>(Unsigned(sum) + uint32_t(x) * Unsigned(y));
    return;
  }
#if defined(__FMA__) && defined(__AVX2__)
  if constexpr (std::is_same_v<Value, float> && Width == 8) {
    sum = Columns<Value, Width>(_mm256_fmadd_ps(_mm256_set1_ps(x), __m256(y), __m256(sum)));
    return;
  }
#endif
  for (int j = 0; j < Width; ++j) sum[j] = std::fma(x, y[j], sum[j]);
}

// Four rows and some columns of one block, in k order. Not inlined: what a loop around it would keep of A is more than
// the registers hold.
template <class Value, int M, int N, int K, int Width, int Parts>
[[gnu::noinline]] inline void multiply_strip(const Value *a, const Value *b, Value *c) {
  using Vector = Columns<Value, Width>;
  Vector sum[4][Parts];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r)
#pragma GCC unroll 4
    for (int p = 0; p < Parts; ++p) sum[r][p] = load_columns<Value, Width>(c + r * kLanes + p * Width);
#pragma GCC unroll 4
  for (int k = 0; k < K; ++k) {
    Vector y[Parts];
#pragma GCC unroll 4
    for (int p = 0; p < Parts; ++p) y[p] = load_columns<Value, Width>(b + k * N + p * Width);
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
#pragma GCC unroll 4
      for (int p = 0; p < Parts; ++p) accumulate<Value, Width>(sum[r][p], a[k * M + r], y[p]);
  }
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r)
#pragma GCC unroll 4
    for (int p = 0; p < Parts; ++p) std::memcpy(c + r * kLanes + p * Width, &sum[r][p], sizeof(Vector));
}
template <class Value, int M, int N, int K, int Blocks>
inline void multiply_blocks(const Value *a, const Value *b, Value *c) { // c: rows of kLanes words, as in registers
  constexpr int per_word = 64 / N, width = N < kColumns ? N : kColumns, strip = N < 2 * kColumns ? N : 2 * kColumns;
  for (int group = 0; group < M / 4 * Blocks; ++group) {
    const int block = group / (M / 4), first = group % (M / 4) * 4;
    Value *at = c + group / per_word * 4 * kLanes + group % per_word * N;
    for (int n = 0; n < N; n += strip)
      multiply_strip<Value, M, N, K, width, strip / width>(a + block * K * M + first, b + block * K * N + n, at + n);
  }
}

// The accumulator before, registers or one constant, to the destination's rows, where the sums are made. A and B have
// been read.
inline void place_accumulator(Wave &w, const FlySimOperand &operand, uint32_t *to, int words) {
  if (operand.kind != FLYSIM_VGPR) std::fill_n(to, words * kLanes, operand.value);
  else if (w.row(operand.index) != to) std::memmove(to, w.row(operand.index), size_t(words) * kLanes * 4);
}

template <class Format, int M, int N, int K, int Blocks, class FormatB = Format> void multiply_add(Wave &w,
                                                                                                   const Inst &i) {
  using Value = typename Format::Value;
  constexpr int words = M * N * Blocks / 64;
  const FlySimRecord &r = *i.record;
  alignas(64) Value a[M * K * Blocks], b[N * K * Blocks];
  const uint32_t *from_a = w.row(r.operands[1].index), *from_b = w.row(r.operands[2].index);
  if (const int groups = (1 << r.cbsz) - 1) {
    unpack_moved<Format, M, K, Blocks>(from_a, a, [&](int l) {
      const int block = l / M % Blocks, chosen = (block & ~groups) | (r.abid & groups);
      return l + (chosen - block) * M;
    });
  } else unpack<Format, M, K, Blocks>(from_a, a);
  if (r.blgp) unpack_moved<FormatB, N, K, Blocks>(from_b, b, [&](int l) { return permuted_lane(r.blgp, l); });
  else unpack<FormatB, N, K, Blocks>(from_b, b);
  uint32_t *to = w.row(r.operands[0].index);
  place_accumulator(w, r.operands[3], to, words);
  multiply_blocks<Value, M, N, K, Blocks>(a, b, reinterpret_cast<Value *>(to));
}

} // namespace flysim
