// Crash recovery: a body in, its completion or the reason of its death out.
#include "guard.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <mutex>

namespace flydsl {
namespace {

constexpr unsigned kStackBytes = 64u << 20;
constexpr std::size_t kSignalStackBytes = 64u << 10;
constexpr int kFatalExitCode = 1;

// A plain buffer: it is written where no destructor will run.
thread_local char fatalReason[1024];

void onFatalError(void *, const char *reason, bool) {
  std::strncpy(fatalReason, reason, sizeof fatalReason - 1);
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(kFatalExitCode);
}

// LLVM's signal handlers are process-wide: they are installed only while some thread is inside the compiler.
class RecoveryEnabled {
public:
  RecoveryEnabled() {
    std::lock_guard<std::mutex> lock(mutex());
    if (count()++ == 0)
      enable();
  }
  ~RecoveryEnabled() {
    std::lock_guard<std::mutex> lock(mutex());
    if (--count() == 0)
      llvm::CrashRecoveryContext::Disable();
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
  if (fatalReason[0])
    return fatalReason;
  if (code > 128)
    return "the compiler crashed with signal " + std::to_string(code - 128) +
           "; the input is not valid, or this is a bug of LLVM";
  return "the compiler gave up with exit code " + std::to_string(code);
}

} // namespace

bool runGuarded(llvm::function_ref<void()> body, std::string &crash) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(onFatalError); });
  RecoveryEnabled enabled;
  bool finished = false;
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] {
    auto memory = std::make_unique<char[]>(kSignalStackBytes);
    stack_t stack = {}, previous = {};
    stack.ss_sp = memory.get();
    stack.ss_size = kSignalStackBytes;
    sigaltstack(&stack, &previous);
    fatalReason[0] = 0;
    llvm::CrashRecoveryContext context;
    finished = context.RunSafely(body);
    if (!finished)
      crash = describeCrash(context.RetCode);
    sigaltstack(&previous, nullptr);
  });
  worker.join();
  return finished;
}

} // namespace flydsl
