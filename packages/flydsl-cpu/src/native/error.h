// Error codes of the CPU runtime, and the text of the last failure on this thread.
#pragma once
#include <cstdint>
#include <exception>
#include <new>

namespace flycpu {

enum Code : int32_t {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidHandle = 3,
  kInvalidImage = 4,
  kSymbolNotFound = 5,
  kLaunchLimit = 6,
  kNotReady = 7,
  kInternal = 8,
  kInterrupted = 9, // a signal handler raised: the exception is kept for this thread
  kAssertion = 10,
  kFault = 11,
  kLost = 12, // in a fork
};

// Keep a printf-style explanation for this thread and return the code.
[[gnu::format(printf, 2, 3)]] int32_t fail(Code code, const char *format, ...) noexcept;

// The explanation kept by this thread's last fail() with that code, else the code's general text.
const char *message(int32_t code) noexcept;

// Run the body of an entry point; no C++ exception may cross the C ABI.
template <typename Body> int32_t guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(kOutOfMemory, "out of host memory");
  } catch (const std::exception &error) {
    return fail(kInternal, "internal error: %s", error.what());
  }
}

} // namespace flycpu
