// pthread_atfork handlers that call the hooks of all components.
#include "fork.h"

#include <mutex>
#include <pthread.h>
#include <vector>

namespace flycpu {
namespace {

struct Hooks {
  std::mutex mutex;
  std::vector<ForkHooks> all;
};
Hooks &hooks() {
  static auto *instance = new Hooks;
  return *instance;
}

void prepare() {
  hooks().mutex.lock();
  for (auto &hook : hooks().all) hook.prepare();
}

void release(std::function<void()> ForkHooks::*step) {
  auto &all = hooks().all;
  for (auto hook = all.rbegin(); hook != all.rend(); ++hook) ((*hook).*step)();
  hooks().mutex.unlock();
}

} // namespace

void at_fork(ForkHooks added) {
  static const int registered =
      pthread_atfork(prepare, [] { release(&ForkHooks::parent); }, [] { release(&ForkHooks::child); });
  (void)registered;
  std::lock_guard lock(hooks().mutex);
  hooks().all.push_back(std::move(added));
}

} // namespace flycpu
