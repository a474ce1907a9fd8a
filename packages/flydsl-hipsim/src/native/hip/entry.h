// The body of an entry point in, its hipError_t out: injected failures, exceptions, and the thread's last error.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "engine/core/mutex.h"
#include "hip_types.h"

#define HIPSIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace hipsim {

using flysim::Condition;
using flysim::Mutex;

// Thrown inside of an entry point: its code is returned, its text explains it.
struct Failure {
  Error code;
  std::string text;
};

[[noreturn]] [[gnu::format(printf, 2, 3)]] void fail(Error code, const char *format, ...);

// Fail unless a pointer that the caller must give is there.
void require(const void *pointer, const char *what);

// One entry point: its name and how often it was called.
struct Site {
  const char *const name;
  std::atomic<uint64_t> calls{0};
  std::atomic<bool> is_listed{false};
};

// What the call must fail with because a test asked for it, or kSuccess.
Error injected(Site &site);
Error current_exception_result() noexcept;

template <typename Body> Error entry(const char *name, Body &&body) noexcept {
  // One for each body type, so one for each entry point; made without a lock, which a fork could leave closed.
  static Site site{name};
  try {
    if (const Error code = injected(site)) fail(code, "%s: a failure was asked for", name);
    body();
    return kSuccess;
  } catch (...) {
    return current_exception_result();
  }
}

const char *error_name(Error code) noexcept;
const char *error_text(Error code) noexcept;

} // namespace hipsim
