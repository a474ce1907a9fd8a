// Runs compiler code so that its fatal errors and crashes come back as text instead of ending the process.
#pragma once

#include "api.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <memory>

namespace flydsl {

/// Runs `body` on a thread with a large stack, under LLVM's crash recovery. False, with the reason in `crash`, when
/// the body ended by a fatal error or a signal; what it held is leaked then, as it cannot be unwound.
bool runGuarded(llvm::function_ref<void()> body, std::string &crash);

/// `runGuarded` on one thread that never ends, one body at a time: for code that keeps state in thread-locals whose
/// destructors would not survive what a fatal error left behind.
bool runGuardedOnKeptThread(llvm::function_ref<void()> body, std::string &crash);

/// `runGuarded` for a body that fills an outcome.
template <typename T>
Outcome<T> guarded(llvm::function_ref<void(Outcome<T> &)> body) {
  auto outcome = std::make_unique<Outcome<T>>();
  std::string crash;
  if (runGuarded([&] { body(*outcome); }, crash)) return std::move(*outcome);
  (void)outcome.release(); // may be half written
  Outcome<T> failed;
  failed.fail(std::move(crash));
  return failed;
}

} // namespace flydsl
