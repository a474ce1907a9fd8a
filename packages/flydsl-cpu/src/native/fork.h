// What components do around fork(): locks are held over it, and a child starts without its parent's threads.
#pragma once
#include <functional>
#include <new>

namespace flycpu {

struct ForkHooks { std::function<void()> prepare, parent, child; };

// Hooks are prepared in the order in which they were added, and released in the reverse one.
void at_fork(ForkHooks hooks);

// A mutex that is held over each fork, so that a child finds what it guards whole.
template <typename Mutex> void hold_over_fork(Mutex &mutex) {
  // A new one in the child: a shared mutex knows its owner by a thread number, which is another there.
  at_fork({[&mutex] { mutex.lock(); }, [&mutex] { mutex.unlock(); }, [&mutex] { new (&mutex) Mutex; }});
}

} // namespace flycpu
