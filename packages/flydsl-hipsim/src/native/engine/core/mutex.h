// Locks that stay usable in the child process of a fork, whichever thread held them.
#pragma once
#include <pthread.h>

#include <cstdint>
#include <mutex>

namespace flysim {

// Held for a short time, and never while waiting for another thread: a fork waits until nobody holds one.
class Mutex {
public:
  Mutex();
  ~Mutex();
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  void lock() { pthread_mutex_lock(&mutex_); }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex_); }

private:
  friend class Condition;
  friend struct Mutexes;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  Mutex *previous_ = nullptr, *next_ = nullptr;
};

// Not usable after a fork: who waited is not there any more. Its owner makes a new one.
class Condition {
public:
  Condition();
  ~Condition() { pthread_cond_destroy(&condition_); }
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;

  void notify_all() { pthread_cond_broadcast(&condition_); }
  template <class Until> void wait(std::unique_lock<Mutex> &lock, Until until) {
    while (!until()) pthread_cond_wait(&condition_, &lock.mutex()->mutex_);
  }
  // False when it did not come true until then, a time of the steady clock.
  template <class Until> bool wait_until(std::unique_lock<Mutex> &lock, int64_t deadline_ns, Until until) {
    const timespec deadline{deadline_ns / 1'000'000'000, deadline_ns % 1'000'000'000};
    while (!until())
      if (pthread_cond_timedwait(&condition_, &lock.mutex()->mutex_, &deadline)) return until();
    return true;
  }

private:
  pthread_cond_t condition_;
};

// Call this in the child of each fork, with all mutexes free and no other thread.
void in_child(void (*function)());

} // namespace flysim
