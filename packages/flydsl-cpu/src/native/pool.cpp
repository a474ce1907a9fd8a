// In: jobs; out: their indices run by the workers, the threads of which start with the first job.
#include "pool.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <utility>

#include "fork.h"
#include "interrupt.h"

namespace flycpu {
namespace {

constexpr int64_t kChunksPerThread = 8; // enough to even out uneven blocks, few enough to keep neighbours together

// Between the launches of a program that waits for each of them there are a few microseconds, and a thread that sleeps
// takes tens of them to wake up: one with nothing to do looks for work for a moment first.
constexpr std::chrono::microseconds kLookout{40};
constexpr int kLooks = 32; // between two looks at the clock

void pause_thread() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Until `is_ready` says so, but not for long.
template <typename Ready>
void look_out(const Ready &is_ready) {
  const auto end = std::chrono::steady_clock::now() + kLookout;
  do
    for (int i = 0; i < kLooks; ++i) {
      if (is_ready()) return;
      pause_thread();
    }
  while (std::chrono::steady_clock::now() < end);
}

int affinity_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

std::mutex pool_mutex;
std::atomic<Pool *> current{nullptr};
int wanted_threads = 0;

} // namespace

Pool &pool() {
  if (Pool *ready = current.load(std::memory_order_acquire)) return *ready;
  // The workers of the parent do not exist in a forked child: it gets a new pool; the old one is left alone.
  static const bool hooked = (at_fork({[] { pool_mutex.lock(); }, [] { pool_mutex.unlock(); },
                                       [] {
                                         current.store(nullptr);
                                         pool_mutex.unlock();
                                       }}),
                              true);
  (void)hooked;
  std::lock_guard lock(pool_mutex);
  if (Pool *ready = current.load()) return *ready;
  Pool *created = new Pool(wanted_threads > 0 ? wanted_threads : affinity_threads());
  current.store(created, std::memory_order_release);
  return *created;
}

bool set_threads(int threads) {
  std::lock_guard lock(pool_mutex);
  if (Pool *ready = current.load()) return threads <= 0 || ready->threads() == threads;
  wanted_threads = threads;
  return true;
}

Pool::Pool(int threads) : threads_(threads) {}

// Signals of the process are for the threads of the program; faults and ticks are sent to a thread.
void Pool::start() {
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigdelset(&all, signal);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto body = [](void *self) -> void * { static_cast<Pool *>(self)->worker(); };
  int running = 0;
  for (pthread_t thread; running < threads_ && pthread_create(&thread, &attributes, body, this) == 0;) ++running;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (running == 0) throw std::runtime_error("no worker thread can be started");
  started_ = true;
}

void Pool::worker() {
  for (;;) {
    std::shared_ptr<Job> job = take();
    const bool last = work(*job);
    leave(job);
    if (last && job->done) job->done();
  }
}

// Wait for a place, in the job with the fewest helpers, so that concurrent jobs advance together.
std::shared_ptr<Job> Pool::take() {
  std::unique_lock lock(mutex_);
  const auto has_place = [this] { return open_.load(std::memory_order_relaxed) > 0; };
  if (!has_place()) {
    ++lookers_;
    lock.unlock();
    look_out(has_place);
    lock.lock();
    lookers_ = std::max(0, lookers_ - 1); // `enqueue` may have counted on this one already
    wake_.wait(lock, has_place);
  }
  const auto order = [](const auto &a, const auto &b) {
    return std::make_pair(a->helpers == a->wanted, a->helpers) < std::make_pair(b->helpers == b->wanted, b->helpers);
  };
  auto job = *std::min_element(jobs_.begin(), jobs_.end(), order);
  ++job->helpers;
  open_.fetch_sub(1, std::memory_order_relaxed);
  return job;
}

// A helper leaves a job only when no index is left to start.
void Pool::leave(const std::shared_ptr<Job> &job) {
  std::lock_guard lock(mutex_);
  auto found = std::find(jobs_.begin(), jobs_.end(), job);
  if (found == jobs_.end()) return;
  open_.fetch_sub(job->wanted - job->helpers, std::memory_order_relaxed);
  jobs_.erase(found);
}

void Pool::enqueue(const std::shared_ptr<Job> &job, int helpers) {
  std::lock_guard lock(mutex_);
  if (!started_) start();
  job->wanted = helpers;
  jobs_.push_back(job);
  open_.fetch_add(helpers, std::memory_order_relaxed);
  const int awake = std::min(helpers, lookers_);
  lookers_ -= awake;
  if (helpers - awake >= threads_) wake_.notify_all();
  else
    for (int i = awake; i < helpers; ++i) wake_.notify_one();
}

// Run indices until none is left to start; true for the one thread that finished the last of them.
bool Pool::work(Job &job) {
  bool last = false;
  for (;;) {
    const int64_t begin = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (begin >= job.total) return last;
    const int64_t end = std::min(begin + job.chunk, job.total);
    job.body(begin, end);
    last = job.finished.fetch_add(end - begin, std::memory_order_acq_rel) + (end - begin) == job.total;
  }
}

void Pool::submit(const std::shared_ptr<Job> &job) {
  job->chunk = std::max<int64_t>(1, job->total / (threads_ * kChunksPerThread));
  enqueue(job, static_cast<int>(std::min<int64_t>(threads_, job->total)));
}

void Pool::run(int64_t total, const std::function<void(int64_t, int64_t)> &body, const std::function<void()> &waiting,
               bool helps) {
  if (helps && (total == 1 || threads_ == 1)) return body(0, total);
  std::mutex mutex;
  std::condition_variable finished;
  std::atomic<bool> complete{false};
  auto job = std::make_shared<Job>(total, body, [&] {
    std::lock_guard lock(mutex); // held while notifying: the waiter destroys both
    complete.store(true, std::memory_order_release);
    finished.notify_one();
  });
  job->chunk = std::max<int64_t>(1, total / (threads_ * kChunksPerThread));
  enqueue(job, static_cast<int>(std::min<int64_t>(threads_, total) - (helps ? 1 : 0)));
  if (helps) {
    const bool last = work(*job);
    leave(job);
    if (last) return;
  }
  const auto is_complete = [&complete] { return complete.load(std::memory_order_acquire); };
  look_out(is_complete);
  std::unique_lock lock(mutex); // even then: `finished` is notified under it, and ends with this function
  while (!finished.wait_for(lock, kPollInterval, is_complete)) {
    lock.unlock();
    if (waiting) waiting();
    lock.lock();
  }
}

} // namespace flycpu
