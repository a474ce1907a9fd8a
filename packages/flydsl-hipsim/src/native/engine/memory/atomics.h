// Read-modify-write functions of atomics: a place in memory and a value in, what was there before out.
#pragma once
#include "engine/vector/float_lanes.h"

#include <cstring>

namespace flysim {

// `f` of the old value and the operand, with no other thread in between.
template <class T, class F> inline T exchange_with(uint8_t *place, F f) {
  T *at = reinterpret_cast<T *>(place);
  T old;
  __atomic_load(at, &old, __ATOMIC_SEQ_CST);
  for (;;) {
    T made = f(old);
    if (__atomic_compare_exchange(at, &old, &made, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old;
  }
}

template <class T> inline T lane_value(const uint32_t *from) {
  uint32_t words[2] = {from[0], sizeof(T) == 8 ? from[kLanes] : 0};
  T value;
  std::memcpy(&value, words, sizeof value);
  return value;
}
template <class T> inline void set_lane_value(uint32_t *to, T value) {
  uint32_t words[2] = {};
  std::memcpy(words, &value, sizeof value);
  to[0] = words[0];
  if constexpr (sizeof(T) == 8) to[kLanes] = words[1];
}

// Each has the type in memory, and `apply(old, data, data2)`; data2 is a comparison's second value.
#define FLYSIM_ATOMIC(NAME, EXPRESSION) \
  template <class T> struct NAME { \
    using type = T; \
    static T apply(T a, T b) { return EXPRESSION; } \
  }
FLYSIM_ATOMIC(AtomicAdd, T(a + b));
FLYSIM_ATOMIC(AtomicSub, T(a - b));
FLYSIM_ATOMIC(AtomicReverseSub, T(b - a));
FLYSIM_ATOMIC(AtomicMin, a < b ? a : b);
FLYSIM_ATOMIC(AtomicMax, a > b ? a : b);
FLYSIM_ATOMIC(AtomicAnd, T(a &b));
FLYSIM_ATOMIC(AtomicOr, T(a | b));
FLYSIM_ATOMIC(AtomicXor, T(a ^ b));
FLYSIM_ATOMIC(AtomicInc, a >= b ? T(0) : T(a + 1));
FLYSIM_ATOMIC(AtomicDec, a == 0 || a > b ? b : T(a - 1));
FLYSIM_ATOMIC(AtomicSwap, (void(a), b));
FLYSIM_ATOMIC(AtomicFloatMin, minimum_number(a, b));
FLYSIM_ATOMIC(AtomicFloatMax, maximum_number(a, b));
FLYSIM_ATOMIC(AtomicSubClamp, a < b ? T(0) : T(a - b));
FLYSIM_ATOMIC(AtomicCondSub, a < b ? a : T(a - b));
#undef FLYSIM_ATOMIC

struct AtomicAddHalf2 {
  using type = uint32_t;
  static uint32_t apply(uint32_t a, uint32_t b) {
    const auto sum = [](uint32_t x, uint32_t y) {
      return float_to_half(half_to_float(x & 0xffff) + half_to_float(y & 0xffff));
    };
    return sum(a, b) | sum(a >> 16, b >> 16) << 16;
  }
};
struct AtomicAddBf16x2 {
  using type = uint32_t;
  static uint32_t apply(uint32_t a, uint32_t b) {
    return float_to_bf16(as_float(a << 16) + as_float(b << 16)) |
        float_to_bf16(as_float(a & 0xffff0000u) + as_float(b & 0xffff0000u)) << 16;
  }
};

// One lane: data rows in, the old value to `result` when it is wanted.
template <class A> inline void atomic_lane(uint8_t *place, const uint32_t *data, uint32_t *result) {
  using T = typename A::type;
  const T value = lane_value<T>(data);
  const T old = exchange_with<T>(place, [&](T before) { return A::apply(before, value); });
  if (result) set_lane_value(result, old);
}
// `compared` is what must be there for `value` to be stored.
template <class T> inline void compare_lane(uint8_t *place, T value, T compared, uint32_t *result) {
  const T old = exchange_with<T>(place, [&](T before) { return before == compared ? value : before; });
  if (result) set_lane_value(result, old);
}

} // namespace flysim
