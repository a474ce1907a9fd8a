// Functions of one lane on floats that several families of instructions share.
#pragma once
#include "lanes.h"

#include <cmath>
#include <limits>

namespace flysim {

template <class T> inline bool is_nan(T x) { return x != x; }
// The smaller number; -0 is below +0; a NaN loses against a number.
template <class T> inline T minimum_number(T a, T b) {
  return is_nan(a) ? b : is_nan(b) ? a : a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T> inline T maximum_number(T a, T b) {
  return is_nan(a) ? b : is_nan(b) ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
}
// In IEEE mode a signalling NaN wins, quietly.
inline bool is_signalling(float x) { return is_nan(x) && !(as_bits(x) & 0x400000u); }
inline bool is_signalling(double x) { return is_nan(x) && !(as_bits64(x) >> 51 & 1); }
inline float quiet(float x) { return as_float(as_bits(x) | 0x400000u); }
inline double quiet(double x) { return as_double(as_bits64(x) | 1ull << 51); }
// What conversions do, also those that need no arithmetic.
template <class T> inline T with_quiet_nan(T x) { return is_nan(x) ? quiet(x) : x; }
template <bool Ieee, class T> inline T smaller(T a, T b) {
  if constexpr (Ieee)
    if (is_signalling(a) || is_signalling(b)) return quiet(is_signalling(a) ? a : b);
  return minimum_number(a, b);
}
template <bool Ieee, class T> inline T larger(T a, T b) {
  if constexpr (Ieee)
    if (is_signalling(a) || is_signalling(b)) return quiet(is_signalling(a) ? a : b);
  return maximum_number(a, b);
}
// IEEE 754-2019 minimum and maximum: a NaN wins, and is quiet.
template <class T> inline T minimum(T a, T b) {
  return is_nan(a) || is_nan(b) ? quiet(is_nan(a) ? a : b) : minimum_number(a, b);
}
template <class T> inline T maximum(T a, T b) {
  return is_nan(a) || is_nan(b) ? quiet(is_nan(a) ? a : b) : maximum_number(a, b);
}
// sin and cos of turns, not radians.
template <class T> inline T sine_of_turns(T x) {
  const T part = x - std::floor(x);
  return std::isfinite(x) ? T(std::sin(double(part) * 6.283185307179586476925)) : std::numeric_limits<T>::quiet_NaN();
}
template <class T> inline T cosine_of_turns(T x) {
  const T part = x - std::floor(x);
  return std::isfinite(x) ? T(std::cos(double(part) * 6.283185307179586476925)) : std::numeric_limits<T>::quiet_NaN();
}
template <class T> inline T fraction(T x) {
  const T part = x - std::floor(x), below_one = std::nextafter(T(1), T(0));
  return part < below_one || is_nan(part) ? part : below_one;
}
template <class T> inline T mantissa(T x) {
  int exponent;
  return std::isfinite(x) ? std::frexp(x, &exponent) : x + x; // a NaN becomes quiet
}
template <class T> inline int32_t exponent_of(T x) {
  int exponent = 0;
  if (std::isfinite(x) && x != 0) std::frexp(x, &exponent);
  return exponent;
}

} // namespace flysim
