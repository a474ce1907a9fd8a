// Floats of eight bits and fewer: their bits in, f32 out, and back, to nearest even, with saturation or without.
#pragma once
#include "numbers.h"

#include <cmath>
#include <limits>

namespace flysim {

// Exponent and mantissa widths, bias, and what the codes at the edges mean.
enum class Edge {
  fnuz,
  ocp_nan,
  ieee,
  none
}; // only -0 is NaN; all ones is NaN; infinities and NaNs; every code is a number
template <int E, int M, int Bias, Edge Edges> struct SmallFloat {
  static constexpr uint32_t sign_bit = 1u << (E + M), body_mask = sign_bit - 1;
  static constexpr uint32_t largest = Edges == Edge::ocp_nan ? body_mask - 1
      : Edges == Edge::ieee                                  ? (((1u << E) - 1) << M) - 1
                                                             : body_mask;

  static float widen(uint32_t code) {
    const uint32_t body = code & body_mask;
    const bool negative = code & sign_bit;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    if (Edges == Edge::fnuz && negative && body == 0) return nan;
    if (Edges == Edge::ocp_nan && body == body_mask) return nan;
    if (Edges == Edge::ieee && body > largest) return (body & ((1u << M) - 1)) ? nan : negative ? -INFINITY : INFINITY;
    const int exponent = int(body >> M), fraction = int(body & ((1u << M) - 1));
    const float size = exponent ? std::ldexp(float((1 << M) + fraction), exponent - Bias - M)
                                : std::ldexp(float(fraction), 1 - Bias - M);
    return negative ? -size : size;
  }

  static uint32_t narrow(float value) {
    return narrow(value, [](float steps) { return __builtin_roundevenf(steps); });
  }
  // What is too large for the format once it is rounded becomes an infinity or a NaN instead of the largest number.
  static uint32_t narrow_unclamped(float value) {
    const uint32_t code = narrow(value), sign = std::signbit(value) ? sign_bit : 0;
    const float top = widen(largest), below = widen(largest - 1), size = std::fabs(value),
                limit = top + (top - below) / 2;
    const bool over = largest & 1 ? size >= limit : size > limit; // a tie goes to the even code
    if (!over || value != value) return code;
    return Edges == Edge::fnuz ? sign_bit : Edges == Edge::ieee ? sign | (largest + 1) : sign | body_mask;
  }
  // Up with the probability that the rest has: `noise` is added below the last bit.
  static uint32_t narrow_randomly(float value, uint32_t noise) {
    return narrow(value, [=](float steps) { return float(std::floor(double(steps) + double(noise) * 0x1p-32)); });
  }
  template <class Round> static uint32_t narrow(float value, Round round) {
    const uint32_t sign = std::signbit(value) ? sign_bit : 0;
    if (value != value) return Edges == Edge::fnuz ? sign_bit : Edges == Edge::none ? largest | sign : sign | body_mask;
    const float size = std::fabs(value);
    if (std::isinf(size) && Edges == Edge::fnuz) return sign_bit;
    if (std::isinf(size) && Edges == Edge::ieee) return sign | (largest + 1);
    if (size >= widen(largest)) return sign | largest;
    int exponent = 0;
    if (size > 0) std::frexp(size, &exponent);
    const int scale = exponent - 1 < 1 - Bias ? 1 - Bias : exponent - 1; // of the binade, or of the denormals
    const uint32_t steps = uint32_t(round(std::ldexp(size, M - scale)));
    const uint32_t body = steps < (1u << M) ? steps : steps + (uint32_t(scale + Bias - 1) << M);
    if (body == 0 && Edges == Edge::fnuz) return 0;
    return sign | body;
  }
};

using Fp8Fnuz = SmallFloat<4, 3, 8, Edge::fnuz>;
using Bf8Fnuz = SmallFloat<5, 2, 16, Edge::fnuz>;
using Fp8 = SmallFloat<4, 3, 7, Edge::ocp_nan>;
using Bf8 = SmallFloat<5, 2, 15, Edge::ieee>;
using Fp6 = SmallFloat<2, 3, 1, Edge::none>;
using Bf6 = SmallFloat<3, 2, 3, Edge::none>;
using Fp4 = SmallFloat<2, 1, 1, Edge::none>;

// gfx1250's fourth format of eight bits: five of exponent, three of mantissa, no sign; all ones is NaN.
using E5m3 = SmallFloat<5, 3, 15, Edge::ocp_nan>;
inline float e5m3_to_float(uint32_t code) { return E5m3::widen(code & 255); }

// Codes of eight bits through tables: matrix instructions read many.
template <class Format> inline const float *widen_table() {
  static const auto table = [] {
    struct Table { float values[256]; } made;
    for (uint32_t k = 0; k < 256; ++k) made.values[k] = Format::widen(k & (Format::sign_bit * 2 - 1));
    return made;
  }();
  return table.values;
}

inline float fp8_fnuz_to_float(uint32_t code) { return widen_table<Fp8Fnuz>()[code & 255]; }
inline float bf8_fnuz_to_float(uint32_t code) { return widen_table<Bf8Fnuz>()[code & 255]; }
inline float fp8_to_float(uint32_t code) { return widen_table<Fp8>()[code & 255]; }
inline float bf8_to_float(uint32_t code) { return widen_table<Bf8>()[code & 255]; }
inline uint32_t float_to_fp8_fnuz(float value) { return Fp8Fnuz::narrow(value); }
inline uint32_t float_to_bf8_fnuz(float value) { return Bf8Fnuz::narrow(value); }
inline uint32_t float_to_fp8(float value) { return Fp8::narrow(value); }
inline uint32_t float_to_bf8(float value) { return Bf8::narrow(value); }

} // namespace flysim
