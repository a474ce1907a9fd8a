// Barriers in LDS: a phase of three bits above a count of 29; the upper word is the count that a new phase begins with.
#pragma once
#include "atomics.h"

namespace flysim {

constexpr uint32_t kBarrierCount = (1u << 29) - 1;

inline uint64_t after_arrivals(uint64_t state, uint32_t arrivals) {
  const uint32_t before = uint32_t(state);
  uint32_t after = before - arrivals; // borrows from the phase
  if ((before ^ after) & ~kBarrierCount) after = (after & ~kBarrierCount) | (uint32_t(state >> 32) & kBarrierCount);
  return (state & ~uint64_t(0xffffffffu)) | after;
}

// The state before.
inline uint64_t arrive_at(uint8_t *place, uint32_t arrivals) {
  return exchange_with<uint64_t>(place, [=](uint64_t state) { return after_arrivals(state, arrivals); });
}

} // namespace flysim
