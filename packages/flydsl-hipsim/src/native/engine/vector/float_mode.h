// The MODE register's rounding and denormal bits in, the host's floating-point environment out.
#pragma once
#include <cstdint>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace flysim {

// rounding: 0 nearest, 1 up, 2 down, 3 to zero; denormals: bit 0 inputs are kept, bit 1 results are kept.
inline uint32_t host_mode(uint32_t rounding, uint32_t denormals) {
  static constexpr uint32_t kRounding[] = {0x0000, 0x4000, 0x2000, 0x6000};
  return 0x1f80u | kRounding[rounding & 3] | (denormals & 1 ? 0 : 0x0040u) | (denormals & 2 ? 0 : 0x8000u);
}
inline uint32_t host_mode_32(uint32_t mode) { return host_mode(mode & 3, mode >> 4 & 3); }
inline uint32_t host_mode_64(uint32_t mode) { return host_mode(mode >> 2 & 3, mode >> 6 & 3); }

inline void set_host_mode(uint32_t value) {
#ifdef __SSE2__
  _mm_setcsr(value);
#else
  (void)value;
#endif
}

// While a wave runs: its 32-bit mode; the thread's own afterwards.
class FloatEnvironment {
public:
  explicit FloatEnvironment(uint32_t mode) {
#ifdef __SSE2__
    saved = _mm_getcsr();
#endif
    set_host_mode(host_mode_32(mode));
  }
  ~FloatEnvironment() { set_host_mode(saved); }

private:
  uint32_t saved = 0x1f80;
};

// Around 64-bit arithmetic, when its mode is another one.
class DoubleMode {
public:
  explicit DoubleMode(uint32_t mode) : mode(mode), differs(host_mode_32(mode) != host_mode_64(mode)) {
    if (differs) set_host_mode(host_mode_64(mode));
  }
  ~DoubleMode() {
    if (differs) set_host_mode(host_mode_32(mode));
  }

private:
  const uint32_t mode;
  const bool differs;
};

} // namespace flysim
