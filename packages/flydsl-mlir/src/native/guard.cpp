// Crash recovery: a body in, its completion or the reason of its death out.
#include "guard.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/thread.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace flydsl {
namespace {

constexpr unsigned kStackBytes = 64u << 20;
constexpr std::size_t kSignalStackBytes = 64u << 10;
constexpr int kFatalExitCode = 1;

// A plain buffer: it is written where no destructor will run.
thread_local char fatalReason[1024];

void onFatalError(void *, const char *reason, bool) {
  std::strncpy(fatalReason, reason, sizeof fatalReason - 1);
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(kFatalExitCode);
}

// LLVM takes all signals that end a process when it first writes a file, and for good: a Ctrl-C would then bring back
// handlers of an earlier compilation. It may do so here, once, and the handlers of the process are put back.
void keepHandlersOfProcess() {
  struct sigaction before[NSIG], now;
  bool known[NSIG] = {};
  for (int signal = 1; signal < NSIG; ++signal) known[signal] = sigaction(signal, nullptr, &before[signal]) == 0;
  constexpr const char *file = "flydsl-no-such-file";
  llvm::sys::RemoveFileOnSignal(file, nullptr);
  llvm::sys::DontRemoveFileOnSignal(file);
  for (int signal = 1; signal < NSIG; ++signal)
    if (known[signal] && sigaction(signal, nullptr, &now) == 0 && now.sa_handler != before[signal].sa_handler)
      sigaction(signal, &before[signal], nullptr);
}

// LLVM's signal handlers are process-wide: they are installed only while some thread is inside the compiler.
class RecoveryEnabled {
public:
  RecoveryEnabled() {
    static std::once_flag once;
    std::call_once(once, keepHandlersOfProcess);
    std::lock_guard<std::mutex> lock(mutex());
    if (count()++ == 0) enable();
  }
  ~RecoveryEnabled() {
    std::lock_guard<std::mutex> lock(mutex());
    if (--count() == 0) llvm::CrashRecoveryContext::Disable();
  }

private:
  static std::mutex &mutex() {
    static std::mutex instance;
    return instance;
  }
  static int &count() {
    static int instance = 0;
    return instance;
  }
  static void enable() {
    llvm::CrashRecoveryContext::Enable();
    // A stack overflow can only be handled on another stack.
    for (int signal : {SIGSEGV, SIGBUS}) {
      struct sigaction action;
      if (sigaction(signal, nullptr, &action) == 0) {
        action.sa_flags |= SA_ONSTACK;
        sigaction(signal, &action, nullptr);
      }
    }
  }
};

std::string describeCrash(int code) {
  if (fatalReason[0]) return fatalReason;
  if (code > 128)
    return "the compiler crashed with signal " + std::to_string(code - 128) +
        "; the input is not valid, or this is a bug of LLVM";
  return "the compiler gave up with exit code " + std::to_string(code);
}

// Runs `body` on this thread, prepared for a stack overflow.
bool protect(llvm::function_ref<void()> body, std::string &crash) {
  auto memory = std::make_unique<char[]>(kSignalStackBytes);
  stack_t stack = {}, previous = {};
  stack.ss_sp = memory.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, &previous);
  fatalReason[0] = 0;
  llvm::CrashRecoveryContext context;
  bool finished = context.RunSafely(body);
  if (!finished) crash = describeCrash(context.RetCode);
  sigaltstack(&previous, nullptr);
  return finished;
}

void installFatalErrorHandler() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(onFatalError); });
}

// A thread that takes bodies one by one, for as long as the process lives.
class KeptThread {
public:
  // The one of this process: a forked child inherits neither the thread nor usable locks.
  static KeptThread &ofThisProcess() {
    static std::atomic<KeptThread *> current{nullptr}; // never destroyed: its thread may outlive main()
    KeptThread *found = current.load();
    while (!found || found->owner != getpid()) {
      auto *fresh = new KeptThread;
      if (current.compare_exchange_strong(found, fresh)) return *fresh;
      delete fresh;
    }
    return *found;
  }

  bool run(llvm::function_ref<void()> body, std::string &crash) {
    std::lock_guard<std::mutex> oneAtATime(turn);
    std::unique_lock<std::mutex> lock(mutex);
    if (!started) {
      started = true;
      llvm::thread(std::optional<unsigned>(kStackBytes), [this] { serve(); }).detach();
    }
    Job mine{body, crash};
    job = &mine;
    changed.notify_all();
    changed.wait(lock, [&] { return mine.done; });
    return mine.finished;
  }

private:
  struct Job {
    llvm::function_ref<void()> body;
    std::string &crash;
    bool finished = false;
    bool done = false;
  };

  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return job != nullptr; });
      Job *current = std::exchange(job, nullptr);
      lock.unlock();
      current->finished = protect(current->body, current->crash);
      lock.lock();
      current->done = true;
      changed.notify_all();
    }
  }

  std::mutex turn, mutex;
  std::condition_variable changed;
  Job *job = nullptr;
  bool started = false;
  const pid_t owner = getpid();
};

} // namespace

bool runGuarded(llvm::function_ref<void()> body, std::string &crash) {
  installFatalErrorHandler();
  RecoveryEnabled enabled;
  bool finished = false;
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] { finished = protect(body, crash); });
  worker.join();
  return finished;
}

bool runGuardedOnKeptThread(llvm::function_ref<void()> body, std::string &crash) {
  installFatalErrorHandler();
  RecoveryEnabled enabled;
  return KeptThread::ofThisProcess().run(body, crash);
}

} // namespace flydsl
