// The list of all mutexes: held together by the thread that forks, made anew in the child.
#include "mutex.h"

#include <sched.h>

#include <new>
#include <vector>

namespace flysim {

struct Mutexes {
  pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; // of the list
  Mutex *first = nullptr;
  std::vector<void (*)()> in_child;

  static Mutexes &all() {
    static auto *instance = new Mutexes;
    return *instance;
  }

  Mutexes() { pthread_atfork(hold, release, renew); }

  void add(Mutex *mutex) {
    pthread_mutex_lock(&guard);
    mutex->next_ = first;
    if (first) first->previous_ = mutex;
    first = mutex;
    pthread_mutex_unlock(&guard);
  }
  void remove(Mutex *mutex) {
    pthread_mutex_lock(&guard);
    (mutex->previous_ ? mutex->previous_->next_ : first) = mutex->next_;
    if (mutex->next_) mutex->next_->previous_ = mutex->previous_;
    pthread_mutex_unlock(&guard);
  }

  // All or none, again and again: other threads take them in orders of their own.
  bool try_hold() {
    for (Mutex *held = first; held; held = held->next_)
      if (!held->try_lock()) {
        while ((held = held->previous_)) held->unlock();
        return false;
      }
    return true;
  }
  static void hold() {
    for (Mutexes &list = all();; sched_yield()) {
      pthread_mutex_lock(&list.guard);
      if (list.try_hold()) return;
      pthread_mutex_unlock(&list.guard);
    }
  }
  static void release() {
    for (Mutex *held = all().first; held; held = held->next_) held->unlock();
    pthread_mutex_unlock(&all().guard);
  }
  static void renew() {
    for (Mutex *held = all().first; held; held = held->next_) pthread_mutex_init(&held->mutex_, nullptr);
    pthread_mutex_init(&all().guard, nullptr);
    for (void (*function)() : all().in_child) function();
  }
};

Mutex::Mutex() { Mutexes::all().add(this); }
Mutex::~Mutex() { Mutexes::all().remove(this); }

Condition::Condition() {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&condition_, &attributes);
  pthread_condattr_destroy(&attributes);
}

void in_child(void (*function)()) { Mutexes::all().in_child.push_back(function); }

} // namespace flysim
