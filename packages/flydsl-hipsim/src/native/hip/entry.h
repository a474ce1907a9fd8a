// The body of an entry point in, its hipError_t out: injected failures, exceptions, and the thread's last error.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "hip_types.h"

#define HIPSIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace hipsim {

// Thrown inside of an entry point: its code is returned, its text explains it.
struct Failure {
  Error code;
  std::string text;
};

[[noreturn]] [[gnu::format(printf, 2, 3)]] void fail(Error code, const char *format, ...);

// Fail unless a pointer that the caller must give is there.
void require(const void *pointer, const char *what);

// One entry point: its name and how often it was called.
class Site {
public:
  explicit Site(const char *name);
  const char *const name;
  std::atomic<uint64_t> calls{0};
};

// What the call must fail with because a test asked for it, or kSuccess.
Error injected(Site &site);
Error current_exception_result() noexcept;

template <typename Body> Error entry(const char *name, Body &&body) noexcept {
  static Site site(name); // one for each body type, so one for each entry point
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
