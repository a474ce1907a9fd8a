// Codes of any number of bits, one after the other in the registers of a lane, and the wide formats they are converted
// from and to.
#pragma once
#include "lanes.h"

#include <cmath>
#include <limits>

namespace flysim {

struct WideFloat {
  static constexpr int bits = 32;
  static uint32_t code(float x) { return as_bits(x); }
  static float value(uint32_t c) { return as_float(c); }
};
struct WideHalf {
  static constexpr int bits = 16;
  static uint32_t code(float x) { return float_to_half(x); }
  static float value(uint32_t c) { return half_to_float(c & 0xffff); }
};
struct WideBf16 {
  static constexpr int bits = 16;
  static uint32_t code(float x) { return float_to_bf16(x); }
  static float value(uint32_t c) { return bf16_to_float(c & 0xffff); }
};

// A scale in the exponent of an f32.
inline float power_of_two(uint32_t code) {
  return (code >> 23 & 255) == 255 ? std::numeric_limits<float>::quiet_NaN()
                                   : std::ldexp(1.0f, int(code >> 23 & 255) - 127);
}

// `rows` are a lane's words, kLanes apart.
inline uint32_t packed_code(const uint32_t *rows, int l, int bits, int e) {
  const int at = e * bits, word = at / 32, shift = at % 32;
  const uint32_t above = shift + bits > 32 ? rows[(word + 1) * kLanes + l] << (32 - shift) : 0;
  return (rows[word * kLanes + l] >> shift | above) & (bits == 32 ? ~0u : (1u << bits) - 1);
}
inline void pack_code(uint32_t *words, int bits, int e, uint32_t code) {
  const int at = e * bits, word = at / 32, shift = at % 32;
  words[word] |= code << shift;
  if (shift + bits > 32) words[word + 1] |= code >> (32 - shift);
}

inline const uint32_t *rows_of(Wave &w, const Inst &i, int k) {
  return i.src[k].kind == Source::vgpr ? w.row(i.src[k].index) : fetch(w, i, k);
}
inline void write_lane(Wave &w, const Inst &i, int l, const uint32_t *words, int count) {
  if (!(w.exec() >> l & 1)) return;
  for (int k = 0; k < count; ++k) w.row(i.dst + k)[l] = words[k];
}

// The noise's upper bits are added below the last one that is kept.
template <int Dropped> float noisy(float value, uint32_t noise) {
  const uint32_t bits = as_bits(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return as_float((bits + (noise >> (32 - Dropped))) & ~((1u << Dropped) - 1));
}

} // namespace flysim
