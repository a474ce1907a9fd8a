// CPython's signal handling, called from threads that wait for kernels.
#include "interrupt.h"

#include <atomic>
#include <utility>

namespace flycpu {
namespace {

std::atomic<const PythonApi *> python{nullptr};

struct Raised { void *type, *value, *traceback; };
__attribute__((tls_model("initial-exec"))) thread_local Raised raised = {nullptr, nullptr, nullptr};

} // namespace

void set_python(const PythonApi *api) { python = api; }

bool is_interrupted() {
  const PythonApi *api = python.load();
  if (!api) return false;
  const int state = api->ensure();
  bool interrupted = api->check_signals() != 0;
  if (!interrupted) {
    if (void *result = api->call(api->nothing)) api->decrement(result);
    else interrupted = true;
  }
  if (interrupted) api->fetch(&raised.type, &raised.value, &raised.traceback);
  api->release(state);
  return interrupted;
}

void raise_interrupt() {
  const PythonApi *api = python.load();
  const Raised kept = std::exchange(raised, {nullptr, nullptr, nullptr});
  if (api && kept.type) api->restore(kept.type, kept.value, kept.traceback);
}

} // namespace flycpu
