// The worker threads: jobs of many independent indices in, every index run once, a continuation called at the end.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace flycpu {

// A parallel loop over [0, total). `body` runs a range of it; `done` runs once, on the thread that finished last.
struct Job {
  Job(int64_t total, std::function<void(int64_t, int64_t)> body, std::function<void()> done = {})
      : total(total), body(std::move(body)), done(std::move(done)) {}

  const int64_t total;
  const std::function<void(int64_t, int64_t)> body;
  const std::function<void()> done;
  int64_t chunk = 1;
  std::atomic<int64_t> next{0}, finished{0};
  int wanted = 0, helpers = 0; // workers there is work for, and those that came; guarded by the pool's mutex
};

class Pool {
public:
  static constexpr int64_t kStackBytes = int64_t{16} << 20; // of a worker
  explicit Pool(int threads);
  int threads() const { return threads_; }

  void submit(const std::shared_ptr<Job> &job); // returns at once
  // Returns when all indices have run; `waiting` is called from time to time while the caller has nothing else to do.
  // The caller helps where `helps` says so.
  void run(int64_t total, const std::function<void(int64_t, int64_t)> &body, const std::function<void()> &waiting = {},
           bool helps = true);

private:
  void start();
  [[noreturn]] void worker();
  std::shared_ptr<Job> take();
  void leave(const std::shared_ptr<Job> &job);
  void enqueue(const std::shared_ptr<Job> &job, int helpers);
  static bool work(Job &job);

  const int threads_;
  bool started_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::atomic<int> open_{0}; // places for helpers in all jobs; written under the mutex
  int lookers_ = 0; // workers that look out for a place and need not be woken: these at least
};

// The process's pool, created on first use; a forked child gets its own. It lives until the process ends.
Pool &pool();
// Number of threads of the pool to be created; false once it exists with another number.
bool set_threads(int threads);

} // namespace flycpu
