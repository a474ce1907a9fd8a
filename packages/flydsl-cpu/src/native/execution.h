// One launch in progress, and the guarded execution of its blocks.
//
// A block ends early when it stops itself (a failed assertion), when it faults, or when its launch is to stop: control
// leaves the generated code by a jump. Generated code holds no lock and owns no memory, so nothing is left behind.
#pragma once
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <string>

#include "error.h"
#include "module.h"

namespace flycpu {

// Why a launch ended early.
struct Failure {
  Code code = kOk;
  std::string text;
};

// What the blocks of one launch share while they run.
class Execution {
public:
  explicit Execution(std::shared_ptr<const Kernel> kernel) : kernel(std::move(kernel)) {}

  // Keep the first failure; blocks that run are left, others do not start.
  void fail(Code code, std::string text);
  bool is_stopping() const { return stopping_.load(std::memory_order_relaxed); }
  // After the last block.
  const Failure &failure() const { return failure_; }

  const std::shared_ptr<const Kernel> kernel;

private:
  std::mutex mutex_;
  std::atomic<bool> stopping_{false};
  Failure failure_;
};

// The execution of blocks on this thread; `polls` is true where the thread's own signals may interrupt them.
class Frame {
public:
  Frame(Execution &execution, FlyCpuBlock &block, bool polls);
  ~Frame();
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  // Where blocks that end early come out: `if (_setjmp(frame.exit)) frame.report()`.
  jmp_buf exit;
  // Around the calls of the kernel.
  void enter() { running_ = 1; }
  void leave() { running_ = 0; }
  void report();

private:
  friend struct Handlers;
  static void stop(const FlyCpuBlock *block, const char *text, int32_t x, int32_t y, int32_t z);
  std::string where(const char *thread) const;

  Execution &execution_;
  const FlyCpuBlock &block_;
  const bool polls_;
  Frame *const outer_;
  const uint64_t outer_serial_;
  volatile sig_atomic_t running_ = 0, polling_ = 0;
  volatile int signal_ = 0; // of a fault
  const void *volatile address_ = nullptr;
  const char *volatile text_ = nullptr; // of an assertion
  volatile int32_t thread_[3] = {0, 0, 0};
};

// Take the signals of faults, in front of the handlers that are there; again when others came in front.
void install_fault_handlers();

// Bytes of stack that are left to this thread.
int64_t stack_left();

} // namespace flycpu
