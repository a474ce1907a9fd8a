// Handlers of faults and of ticks, and the thread that ticks blocks that take long.
//
// A tick is a signal to one thread inside a kernel: its handler leaves a launch that is to stop and, on the thread of a
// caller, looks for signals that Python has to handle. It acts only where it interrupted generated code, so that it may
// call what a handler otherwise may not.
#include "execution.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include "fork.h"
#include "interrupt.h"

namespace flycpu {

namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr size_t kSignalStackBytes = size_t{64} << 10;
constexpr long kTickNanoseconds = 50'000'000, kIdleNanoseconds = 500'000'000;
constexpr int kIdleTicks = 20;

// A thread that runs kernels: what the ticking thread and the handlers know of it.
struct Slot {
  std::atomic<uint64_t> serial{0}; // of the frame inside, 0 for none
  uint64_t seen = 0, last = 0; // by the ticking thread; the last serial given
  pthread_t thread = pthread_self();
  const char *stack_low = nullptr;
  void *signal_stack = nullptr;
};

struct Slots {
  std::mutex mutex;
  std::vector<Slot *> all;
};

// Initial-exec: a handler may read them on any thread.
__attribute__((tls_model("initial-exec"))) thread_local Frame *current_frame = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local Slot *current_slot = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local sig_atomic_t passing_on = 0;

std::atomic<bool> is_ticking{false};
int tick_signal = 0;

Slots &slots() {
  static Slots *instance = [] {
    auto *made = new Slots;
    at_fork({[made] { made->mutex.lock(); }, [made] { made->mutex.unlock(); },
             [made] {
               made->all.clear();
               if (current_slot) made->all.push_back(current_slot);
               is_ticking = false;
               made->mutex.unlock();
             }});
    return made;
  }();
  return *instance;
}

// Room for a handler when the stack of the thread itself is full; a stack that is there already serves.
void *make_signal_stack() {
  stack_t before = {};
  if (sigaltstack(nullptr, &before) != 0 || !(before.ss_flags & SS_DISABLE)) return nullptr;
  void *memory = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  stack_t ours = {};
  ours.ss_sp = memory;
  ours.ss_size = kSignalStackBytes;
  sigaltstack(&ours, nullptr);
  return memory;
}

void drop_signal_stack(void *memory) {
  stack_t now = {};
  if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  munmap(memory, kSignalStackBytes);
}

// Registers the thread for as long as it lives.
struct ThreadSlot {
  Slot slot;
  ThreadSlot() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void *low = nullptr;
      size_t size = 0;
      pthread_attr_getstack(&attributes, &low, &size);
      slot.stack_low = static_cast<const char *>(low);
      pthread_attr_destroy(&attributes);
    }
    slot.signal_stack = make_signal_stack();
    std::lock_guard lock(slots().mutex);
    slots().all.push_back(&slot);
    current_slot = &slot;
  }
  ~ThreadSlot() {
    {
      std::lock_guard lock(slots().mutex);
      auto &all = slots().all;
      all.erase(std::remove(all.begin(), all.end(), &slot), all.end());
      current_slot = nullptr;
    }
    if (slot.signal_stack) drop_signal_stack(slot.signal_stack);
  }
};

Slot &this_slot() {
  if (current_slot) return *current_slot;
  thread_local ThreadSlot here;
  return here.slot;
}

void tick() {
  int idle = 0;
  for (;;) {
    const timespec pause = {0, idle < kIdleTicks ? kTickNanoseconds : kIdleNanoseconds};
    nanosleep(&pause, nullptr);
    bool active = false;
    std::lock_guard lock(slots().mutex);
    for (Slot *slot : slots().all) {
      const uint64_t serial = slot->serial.load(std::memory_order_relaxed);
      active |= serial != slot->seen || serial != 0;
      if (serial != 0 && serial == slot->seen) pthread_kill(slot->thread, tick_signal);
      slot->seen = serial;
    }
    idle = active ? 0 : std::min(idle + 1, kIdleTicks);
  }
}

const void *program_counter(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void *>(machine.pc);
#else
  return reinterpret_cast<const void *>(machine.__gregs[REG_PC]);
#endif
}

struct sigaction previous[std::size(kFaults)];

struct sigaction &previous_of(int signal) {
  return previous[std::find(std::begin(kFaults), std::end(kFaults), signal) - std::begin(kFaults)];
}

// As if we were not there. A handler that raises the signal again gets the default action.
void pass_on(int signal, siginfo_t *info, void *context) {
  const struct sigaction &before = previous_of(signal);
  const bool raised = info->si_code <= 0, again = raised && passing_on;
  if (!again && (before.sa_flags & SA_SIGINFO)) {
    passing_on = 1;
    before.sa_sigaction(signal, info, context);
    passing_on = 0;
  } else if (!again && before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    passing_on = 1;
    before.sa_handler(signal);
    passing_on = 0;
  } else if (before.sa_handler != SIG_IGN || !raised) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    if (raised) raise(signal); // a fault comes back by itself
  }
}

// LLVM's handlers are there while something is compiled, and go by themselves.
bool is_of_compiler(const struct sigaction &action) {
  Dl_info found;
  const auto address = action.sa_flags & SA_SIGINFO ? reinterpret_cast<void *>(action.sa_sigaction)
                                                    : reinterpret_cast<void *>(action.sa_handler);
  if (!address || !dladdr(address, &found) || !found.dli_fname) return false;
  const std::string file = found.dli_fname;
  return file.find("libLLVM") != std::string::npos || file.find("flydsl_mlir") != std::string::npos;
}

const char *describe(int signal) {
  switch (signal) {
  case SIGFPE: return "arithmetic fault";
  case SIGILL:
  case SIGTRAP: return "trap";
  case SIGBUS: return "bus error";
  default: return "invalid memory access";
  }
}

std::string triple(int32_t x, int32_t y, int32_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

} // namespace

struct Handlers {
  static void on_fault(int signal, siginfo_t *info, void *context) {
    Frame *frame = current_frame;
    const bool inside = frame && frame->running_ && !frame->polling_;
    if (inside && info->si_code > 0 && frame->execution_.kernel->library->may_fault_at(program_counter(context))) {
      frame->signal_ = signal;
      frame->address_ = info->si_addr;
      _longjmp(frame->exit, 1);
    }
    // Raised by a handler in front of us: the fault comes back when that returns.
    if (inside && info->si_code == SI_TKILL && info->si_pid == getpid()) return;
    pass_on(signal, info, context);
  }

  static void on_tick(int, siginfo_t *, void *context) {
    Frame *frame = current_frame;
    if (!frame || !frame->running_ || frame->polling_) return;
    if (!frame->execution_.kernel->library->contains(program_counter(context))) return; // at the next tick
    const int error = errno;
    if (frame->polls_ && !frame->execution_.is_stopping()) {
      frame->polling_ = 1;
      if (is_interrupted()) frame->execution_.fail(kInterrupted, "interrupted");
      frame->polling_ = 0;
    }
    errno = error;
    if (frame->execution_.is_stopping()) _longjmp(frame->exit, 1);
  }

  static void take(int signal, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | flags; // not deferred: a jump leaves the handler
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }

  // A signal that nobody uses.
  static void start_ticking() {
    std::lock_guard lock(slots().mutex);
    if (is_ticking) return;
    for (int signal = SIGRTMAX - 1; !tick_signal && signal > SIGRTMIN; --signal) {
      struct sigaction now;
      if (sigaction(signal, nullptr, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL) {
        take(signal, on_tick, SA_RESTART);
        tick_signal = signal;
      }
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    auto body = [](void *) -> void * { return tick(), nullptr; };
    if (tick_signal && pthread_create(&thread, nullptr, body, nullptr) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    is_ticking = true;
  }
};

void Execution::fail(Code code, std::string text) {
  std::lock_guard lock(mutex_);
  if (failure_.code == kOk) failure_ = {code, std::move(text)};
  stopping_ = true;
}

Frame::Frame(Execution &execution, FlyCpuBlock &block, bool polls)
    : execution_(execution), block_(block), polls_(polls), outer_(current_frame),
      outer_serial_(this_slot().serial.load(std::memory_order_relaxed)) {
  block.stop = stop;
  Slot &slot = this_slot();
  current_frame = this;
  slot.serial.store(++slot.last, std::memory_order_relaxed);
  if (!is_ticking.load(std::memory_order_relaxed)) Handlers::start_ticking();
}

Frame::~Frame() {
  current_frame = outer_;
  this_slot().serial.store(outer_serial_, std::memory_order_relaxed);
}

void Frame::stop(const FlyCpuBlock *, const char *text, int32_t x, int32_t y, int32_t z) {
  Frame *frame = current_frame;
  frame->text_ = text;
  frame->thread_[0] = x, frame->thread_[1] = y, frame->thread_[2] = z;
  _longjmp(frame->exit, 1);
}

std::string Frame::where(const char *thread) const {
  return "kernel '" + execution_.kernel->name + "', block " +
      triple(block_.block_id[0], block_.block_id[1], block_.block_id[2]) + thread;
}

void Frame::report() {
  leave();
  if (text_) {
    const std::string thread = ", thread " + triple(thread_[0], thread_[1], thread_[2]) + ": ";
    execution_.fail(kAssertion, where(thread.c_str()) + text_);
  } else if (signal_) {
    std::string text = where(": ") + describe(signal_);
    char address[64];
    std::snprintf(address, sizeof address, " at address %p", const_cast<const void *>(address_));
    if (signal_ == SIGSEGV || signal_ == SIGBUS) text += address;
    execution_.fail(kFault, std::move(text));
  } // else the launch is to stop
}

void install_fault_handlers() {
  static auto *mutex = [] {
    auto *made = new std::mutex;
    hold_over_fork(*made);
    return made;
  }();
  std::lock_guard lock(*mutex);
  for (int signal : kFaults) {
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) != 0) continue;
    const bool ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == Handlers::on_fault;
    if (ours || is_of_compiler(now)) continue;
    previous_of(signal) = now;
    Handlers::take(signal, Handlers::on_fault, SA_ONSTACK);
  }
}

int64_t stack_left() { return static_cast<const char *>(__builtin_frame_address(0)) - this_slot().stack_low; }

} // namespace flycpu
