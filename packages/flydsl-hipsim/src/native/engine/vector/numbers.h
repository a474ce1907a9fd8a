// Small float formats: their bits in, f32 out, and back, without branches so that loops over lanes vectorise.
#pragma once
#include <bit>
#include <cstdint>

namespace flysim {

inline float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t as_bits(float value) { return std::bit_cast<uint32_t>(value); }
inline double as_double(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t as_bits64(double value) { return std::bit_cast<uint64_t>(value); }

inline float half_to_float(uint32_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, body = (half & 0x7fffu) << 13, exponent = body & 0x0f800000u;
  const uint32_t normal = body + (112u << 23);
  const uint32_t special = normal + (112u << 23);
  const uint32_t tiny = as_bits(as_float(normal + (1u << 23)) - as_float(113u << 23));
  return as_float(sign |
                  (exponent == 0x0f800000u ? special
                       : exponent == 0     ? tiny & 0x7fffffffu
                                           : normal)); // 0 - 0 is -0 when rounding down
}

// To nearest, ties to even.
inline uint32_t float_to_half(float value) {
  const uint32_t bits = as_bits(value), sign = bits >> 16 & 0x8000u, body = bits & 0x7fffffffu;
  const uint32_t nan = 0x7e00u | (body >> 13 & 0x3ffu);
  const uint32_t tiny = as_bits(as_float(body < 0x38800000u ? body : 0) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (body + 0xfffu + (body >> 13 & 1) - (112u << 23)) >> 13;
  const uint32_t finite = body < 0x38800000u ? tiny : normal;
  return sign | (body > 0x7f800000u ? nan : body >= 0x477ff000u ? 0x7c00u : finite);
}

// Towards zero: what is too large becomes the largest number.
inline uint32_t float_to_half_rtz(float value) {
  const uint32_t bits = as_bits(value), sign = bits >> 16 & 0x8000u, body = bits & 0x7fffffffu;
  const uint32_t nan = 0x7e00u | (body >> 13 & 0x3ffu);
  const uint32_t shift = body < 0x38800000u ? 126u - (body >> 23) : 13u;
  const uint32_t tiny = shift > 24u ? 0 : ((body & 0x7fffffu) | 0x800000u) >> (shift & 31u);
  const uint32_t normal = (body - (112u << 23)) >> 13;
  const uint32_t finite = body < 0x38800000u ? tiny : body >= 0x47800000u ? 0x7bffu : normal;
  return sign | (body > 0x7f800000u ? nan : body == 0x7f800000u ? 0x7c00u : finite);
}

// In a rounding mode of the MODE register, whatever the host's is.
inline uint32_t float_to_half_in(float value, uint32_t rounding) {
  const uint32_t low = float_to_half_rtz(value), size = low & 0x7fffu;
  const double below = half_to_float(size), given = value < 0 ? -double(value) : double(value);
  if (!(given > below) || size >= 0x7c00u) return low;
  const double above = size == 0x7bffu ? 65536.0 : double(half_to_float(size + 1));
  if (rounding == 0) return low + (above - given < given - below || (above - given == given - below && (low & 1)));
  return low + (rounding == 1 ? value > 0 : rounding == 2 ? value < 0 : 0);
}

inline float bf16_to_float(uint32_t bits) { return as_float(bits << 16); }

// To nearest, ties to even.
inline uint32_t float_to_bf16(float value) {
  const uint32_t bits = as_bits(value);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 | 0x40u) : rounded;
}

// An f64 to f32 rounded to odd: a float of fewer bits made of it is rounded once.
inline float double_to_odd(double value) {
  float narrow = static_cast<float>(value);
  const double back = narrow;
  if (back != value && back == back) {
    uint32_t bits = as_bits(narrow);
    const bool away = (back < 0 ? -back : back) > (value < 0 ? -value : value);
    if (away) --bits;
    narrow = as_float(bits | 1u);
  }
  return narrow;
}
inline uint32_t double_to_half(double value) { return float_to_half(double_to_odd(value)); }

} // namespace flysim
