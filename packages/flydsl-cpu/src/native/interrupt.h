// Signals that an interpreter wants to handle while one of its threads waits here.
#pragma once
#include <chrono>
#include <cstdint>

namespace flycpu {

constexpr auto kPollInterval = std::chrono::milliseconds(50);

// CPython's functions, as their addresses in this process; a program without Python sets none.
struct PythonApi {
  int (*ensure)();
  void (*release)(int state);
  int (*check_signals)();
  void *(*call)(void *callable);
  void (*decrement)(void *object);
  void (*fetch)(void **type, void **value, void **traceback);
  void (*restore)(void *type, void *value, void *traceback);
  void *nothing; // a function of Python that returns at once: calling it lets the interpreter do what it has to
};

void set_python(const PythonApi *api);
// Let the interpreter handle signals on this thread; true when that raised an exception, which is kept.
bool is_interrupted();
// Raise the exception that this thread kept; the caller holds the interpreter's lock.
void raise_interrupt();

} // namespace flycpu
