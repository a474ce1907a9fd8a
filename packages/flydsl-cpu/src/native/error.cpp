// In: an error code with an explanation; out: text for the caller on the same thread.
#include "error.h"

#include <cstdarg>
#include <cstdio>

namespace flycpu {
namespace {

struct LastError {
  int32_t code = kOk;
  char text[512] = "";
};
thread_local LastError last;

const char *general(int32_t code) {
  switch (code) {
  case kOk: return "no error";
  case kInvalidValue: return "invalid value";
  case kOutOfMemory: return "out of memory";
  case kInvalidHandle: return "invalid handle";
  case kInvalidImage: return "invalid code object";
  case kSymbolNotFound: return "symbol not found";
  case kLaunchLimit: return "a launch limit is exceeded";
  case kNotReady: return "not ready";
  case kInternal: return "internal error";
  case kInterrupted: return "interrupted";
  case kAssertion: return "an assertion does not hold";
  case kFault: return "a kernel faulted";
  case kLost: return "lost in a fork";
  default: return "unknown error";
  }
}

} // namespace

int32_t fail(Code code, const char *format, ...) noexcept {
  last.code = code;
  va_list args;
  va_start(args, format);
  std::vsnprintf(last.text, sizeof last.text, format, args);
  va_end(args);
  return code;
}

const char *message(int32_t code) noexcept { return code != kOk && code == last.code ? last.text : general(code); }

} // namespace flycpu
