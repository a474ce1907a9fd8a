// Where the elements of RDNA's matrix instructions are: registers of a wave in, tiles of 16 columns out, and back.
//
// gfx11: every 16 lanes hold all k of A's rows (B's columns); register r of lane l is D[r * (lanes / 16) + l / 16][l %
// 16], and 16-bit results are in one half of their registers. gfx12, wave32: 16 lanes hold half of the k; register r of
// lane l is D[r + 8 * (l / 16)][l % 16], two a register when they have 16 bits. gfx12, wave64: a quarter of the k each;
// lanes 16 to 31 have the rows of D from 8 on, lanes 32 to 47 those from 4 on. How many registers A has tells gfx11 and
// gfx12 apart.
#pragma once
#include "engine/vector/lanes.h"

#include <algorithm>
#include <cmath>

namespace flysim {

constexpr int kTile = 16;
constexpr unsigned kSlotA = 0, kSlotB = 1, kSlotC = 2;

inline bool has_bit(uint8_t bits, unsigned slot) { return bits >> slot & 1; }

// ---- elements of C and D ----
struct FloatSum {
  static constexpr int bits = 32;
  static float widen(uint32_t c) { return as_float(c); }
  static uint32_t narrow(float x) { return as_bits(x); }
};
struct HalfSum {
  static constexpr int bits = 16;
  static float widen(uint32_t c) { return half_to_float(c); }
  static uint32_t narrow(float x) { return float_to_half(x); }
};
struct BrainSum {
  static constexpr int bits = 16;
  static float widen(uint32_t c) { return bf16_to_float(c); }
  static uint32_t narrow(float x) { return float_to_bf16(x); }
};
struct IntSum {
  static constexpr int bits = 32;
  static int64_t widen(uint32_t c) { return int32_t(c); }
  static uint32_t narrow(int64_t x) { return uint32_t(x); }
};

// How the k of an operand are spread: each group of 16 lanes has `per_lane` of them, in runs that alternate between the
// groups.
struct Spread {
  int per_lane, groups, run;
  bool swapped; // of four groups, the second and the third have changed places
  int k_of(int element, int group) const {
    const int place = swapped && groups == 4 ? (group & 1) << 1 | group >> 1 : group;
    return (element / run * groups + place) * run + element % run;
  }
};
// One run when none is given.
inline Spread spread_of(const FlySimOperand &operand, int bits, int k, int run, bool swapped) {
  const int per_lane = operand.count * 32 / bits;
  return {per_lane, k / per_lane, run && run < per_lane ? run : per_lane, swapped};
}

// Where element (m, n) of C and D is; those of a row follow one another.
struct Place { int word, lane, shift; };
template <class Result> Place place_of(const Wave &w, const FlySimRecord &r, bool interleaved, int m, int n) {
  if (interleaved) { // gfx11
    const int step = w.lanes / kTile;
    return {m / step, m % step * kTile + n, Result::bits == 16 && has_bit(r.op_sel, kSlotC) ? 16 : 0};
  }
  const bool wide = w.lanes == 64;
  const int bit = (wide ? m % 4 : m / kTile * 8 + m % 8) * Result::bits,
            group = wide ? (m >> 3 & 1) | (m >> 2 & 1) << 1 : m / 8 % 2;
  return {bit / 32, group * kTile + n, bit % 32};
}

template <class Result> uint32_t constant_of(const FlySimOperand &operand) {
  if (operand.kind != FLYSIM_INLINE_FLOAT) return operand.value;
  return Result::bits == 32 ? operand.value : Result::narrow(as_float(operand.value));
}

template <class Result, int Rows = kTile, class Sum>
void read_sum(Wave &w, const FlySimRecord &r, const FlySimOperand &operand, bool interleaved, Sum (*to)[kTile]) {
  const bool absolute = has_bit(r.neg_hi, kSlotC), negative = has_bit(r.neg_lo, kSlotC),
             is_row = operand.kind == FLYSIM_VGPR;
  const Sum constant =
      Result::widen(Result::bits == 16 ? constant_of<Result>(operand) & 0xffff : constant_of<Result>(operand));
  for (int m = 0; m < Rows; ++m) {
    const Place at = place_of<Result>(w, r, interleaved, m, 0);
    const uint32_t *row = is_row ? w.row(operand.index + at.word) + at.lane : nullptr;
    for (int n = 0; n < kTile; ++n)
      to[m][n] = is_row ? Sum(Result::widen(Result::bits == 16 ? row[n] >> at.shift & 0xffff : row[n])) : constant;
    if (absolute)
      for (Sum &value : to[m]) value = value < 0 || (value == 0 && std::signbit(double(value))) ? -value : value;
    if (negative)
      for (Sum &value : to[m]) value = -value;
  }
}

template <class Result, int Rows = kTile, class Sum> void write_sum(Wave &w, const FlySimRecord &r, bool interleaved,
                                                                    const Sum (*from)[kTile]) {
  const bool clamp = std::is_same_v<Sum, int64_t> && (r.flags & FLYSIM_CLAMP);
  for (int m = 0; m < Rows; ++m) {
    const Place at = place_of<Result>(w, r, interleaved, m, 0);
    const uint32_t field = (Result::bits == 16 ? 0xffffu : ~0u) << at.shift;
    uint32_t *row = w.row(r.operands[0].index + at.word) + at.lane;
    for (int n = 0; n < kTile; ++n) {
      const Sum value = clamp ? std::clamp<Sum>(from[m][n], Sum(INT32_MIN), Sum(INT32_MAX)) : from[m][n];
      row[n] = (row[n] & ~field) | Result::narrow(value) << at.shift;
    }
  }
}

} // namespace flysim
