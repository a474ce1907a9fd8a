// In: bodies of entry points; out: codes, texts, and failures on request.
#include "entry.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <vector>

namespace hipsim {
namespace {

struct Injection {
  std::string name; // "*" for every entry point
  int64_t left;     // calls until it fails, this one included
  Error code;
};

struct Sites {
  Mutex mutex;
  std::vector<Site *> all;
  std::vector<Injection> injections;
  std::atomic<int> armed{0};
};

void add_injection(Sites &state, const std::string &name, int64_t nth, int32_t code) {
  std::lock_guard lock(state.mutex);
  state.injections.push_back({name, nth, static_cast<Error>(code)});
  state.armed = static_cast<int>(state.injections.size());
}

// Whether this library exports such a function.
bool is_known(const char *name) {
  static void *const self = [] {
    Dl_info where{};
    return dladdr(reinterpret_cast<void *>(&is_known), &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                                                               : nullptr;
  }();
  return !std::strcmp(name, "*") || (self && !std::strncmp(name, "hip", 3) && dlsym(self, name));
}

// FLYSIM_HIP_FAIL: "hipMalloc:2:2,hipModuleLoadData:1:200", each name:nth:code.
void read_environment(Sites &state) {
  const char *text = std::getenv("FLYSIM_HIP_FAIL");
  for (const char *at = text; at && *at;) {
    char name[128];
    long long nth = 0;
    int code = 0, used = 0;
    if (std::sscanf(at, "%127[^:,]:%lld:%d%n", name, &nth, &code, &used) == 3 && nth > 0 && code > 0) {
      if (!is_known(name)) std::fprintf(stderr, "hipsim: FLYSIM_HIP_FAIL is %s: no function %s is there\n", text, name);
      add_injection(state, name, nth, code);
    } else std::fprintf(stderr, "hipsim: FLYSIM_HIP_FAIL is %s, expected name:nth:code, separated by commas\n", text);
    at = std::strchr(at + used, ',');
    if (at) ++at;
  }
}

Sites &sites() {
  static Sites *instance = [] {
    auto *made = new Sites;
    read_environment(*made);
    return made;
  }();
  return *instance;
}

thread_local Error last_error = kSuccess;
thread_local struct {
  Error code;
  std::string text, shown;
} explanation;

struct Text {
  Error code;
  const char *name, *text;
};
constexpr Text kTexts[] = {
    {kSuccess, "hipSuccess", "no error"},
    {kInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {kOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {kNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {kInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {kInvalidPitchValue, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {kInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {kNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {kInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {kInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {kNoBinaryForGpu, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {kUnsupportedLimit, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {kFileNotFound, "hipErrorFileNotFound", "file not found"},
    {kInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {kIllegalState, "hipErrorIllegalState", "the operation cannot be performed in the present state"},
    {kNotFound, "hipErrorNotFound", "named symbol not found"},
    {kNotReady, "hipErrorNotReady", "device not ready"},
    {kIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {kLaunchOutOfResources, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {kPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {kPeerAccessNotEnabled, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {kHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered", "the memory is already registered"},
    {kHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered", "the memory is not registered"},
    {kLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {kCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {kNotSupported, "hipErrorNotSupported", "operation not supported"},
    {kStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {kStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {kStreamCaptureMerge, "hipErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {kStreamCaptureUnmatched, "hipErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
    {kStreamCaptureUnjoined, "hipErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {kStreamCaptureImplicit, "hipErrorStreamCaptureImplicit",
     "operation would make the default stream depend on a capturing stream"},
    {kCapturedEvent, "hipErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {kUnknown, "hipErrorUnknown", "unknown error"},
};

const Text *find_text(Error code) {
  for (const Text &text : kTexts)
    if (text.code == code) return &text;
  return nullptr;
}

} // namespace

void fail(Error code, const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Failure{code, text};
}

void require(const void *pointer, const char *what) {
  if (!pointer) fail(kInvalidValue, "%s is a null pointer", what);
}

Error injected(Site &site) {
  site.calls.fetch_add(1, std::memory_order_relaxed);
  Sites &state = sites();
  if (!site.is_listed.exchange(true, std::memory_order_relaxed)) {
    std::lock_guard lock(state.mutex);
    state.all.push_back(&site);
  }
  if (state.armed.load(std::memory_order_relaxed) == 0) return kSuccess;
  std::lock_guard lock(state.mutex);
  for (auto at = state.injections.begin(); at != state.injections.end(); ++at) {
    if ((at->name != "*" && at->name != site.name) || --at->left > 0) continue;
    const Error code = at->code;
    state.injections.erase(at);
    state.armed = static_cast<int>(state.injections.size());
    return code;
  }
  return kSuccess;
}

namespace {

Error finish(Error code, const std::string &text) noexcept {
  try {
    explanation.code = code;
    explanation.text = text;
  } catch (...) {
    explanation.code = kSuccess;
  }
  if (code != kNotReady) last_error = code;
  return code;
}

} // namespace

Error current_exception_result() noexcept {
  try {
    throw;
  } catch (const Failure &failure) {
    return finish(failure.code, failure.text);
  } catch (const std::bad_alloc &) {
    return finish(kOutOfMemory, "the host has no memory left");
  } catch (const std::exception &error) {
    return finish(kUnknown, error.what());
  }
}

const char *error_name(Error code) noexcept {
  const Text *text = find_text(code);
  return text ? text->name : "hipErrorUnknown";
}

// HIP's text, followed by the explanation when the code is that of this thread's last failure.
const char *error_text(Error code) noexcept {
  const Text *text = find_text(code);
  const char *general = text ? text->text : "unrecognized error code";
  if (code == kSuccess || code != explanation.code || explanation.text.empty()) return general;
  try {
    explanation.shown = std::string(general) + ": " + explanation.text;
  } catch (...) {
    return general;
  }
  return explanation.shown.c_str();
}

} // namespace hipsim

using namespace hipsim;

HIPSIM_EXPORT const char *hipGetErrorName(Error code) { return error_name(code); }
HIPSIM_EXPORT const char *hipGetErrorString(Error code) { return error_text(code); }

HIPSIM_EXPORT Error hipDrvGetErrorName(Error code, const char **name) {
  return entry("hipDrvGetErrorName", [&] { require(name, "name"), *name = error_name(code); });
}

HIPSIM_EXPORT Error hipDrvGetErrorString(Error code, const char **text) {
  return entry("hipDrvGetErrorString", [&] { require(text, "text"), *text = error_text(code); });
}

HIPSIM_EXPORT Error hipPeekAtLastError() { return last_error; }

HIPSIM_EXPORT Error hipGetLastError() {
  const Error code = last_error;
  last_error = kSuccess;
  return code;
}

HIPSIM_EXPORT Error hipExtGetLastError() { return hipGetLastError(); }

// Let the nth call from now of an entry point ("*": of any) fail with a code and do nothing.
HIPSIM_EXPORT int32_t flysim_hip_fail_next(const char *name, int64_t nth, int32_t code) {
  if (!name || nth < 1 || code < 1) return kInvalidValue;
  if (!is_known(name)) return kNotFound;
  add_injection(sites(), name, nth, code);
  return kSuccess;
}

HIPSIM_EXPORT void flysim_hip_fail_none() {
  Sites &state = sites();
  std::lock_guard lock(state.mutex);
  state.injections.clear();
  state.armed = 0;
}

// The entry points called so far, one line each: name and number of calls. Gives the length of the whole text.
HIPSIM_EXPORT uint64_t flysim_hip_calls(char *text, uint64_t size) {
  std::map<std::string, uint64_t> counts;
  {
    Sites &state = sites();
    std::lock_guard lock(state.mutex);
    for (Site *site : state.all) counts[site->name] += site->calls.load(std::memory_order_relaxed);
  }
  std::string lines;
  for (const auto &[name, count] : counts)
    if (count) lines += name + " " + std::to_string(count) + "\n";
  if (text && size) std::snprintf(text, size, "%s", lines.c_str());
  return lines.size();
}
