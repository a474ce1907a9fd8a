// Stores and loads to LDS that are on their way in; a fault when another wave reads what was not waited for before a
// barrier.
#pragma once
#include "effects.h"
#include "engine/core/trace.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace flysim {

// One instruction of one wave, until others can rely on it.
struct Flying {
  const Inst *inst;
  uint64_t group;
  uint32_t wave;
  Space space;
  bool to_lds;           // a load: the wave itself must wait as well
  bool arrived = false;  // waited for
  bool passed = false;   // the wave came to a barrier before that
  bool shared = false;   // or to an atomic access
  uint32_t until = ~0u;  // the last epoch in which others may miss it
  std::vector<std::pair<uint64_t, uint64_t>> bytes = {}; // [begin, end)
};
using FlyingPtr = std::shared_ptr<Flying>;

// Places whose newest value somebody may miss; no two overlap.
class LooseBytes {
public:
  bool empty() const { return !count.load(std::memory_order_relaxed); }
  void add(const FlyingPtr &flying);
  void remove(const FlyingPtr &flying);
  void clear();
  // Something newer is written there.
  void overwrite(uint64_t begin, uint64_t end);
  // The first entry in the range for which `f` says true, or null.
  template <class F> FlyingPtr find(uint64_t begin, uint64_t end, F f) {
    std::lock_guard lock(mutex);
    for (auto at = first_behind(begin); at != places.end() && at->first < end; ++at)
      if (f(*at->second.second)) return at->second.second;
    return nullptr;
  }

private:
  using Places = std::map<uint64_t, std::pair<uint64_t, FlyingPtr>>; // begin to end and owner
  Places::iterator first_behind(uint64_t begin);

  std::mutex mutex;
  std::atomic<size_t> count{0};
  Places places;
};

// Of one workgroup; `others` is what other workgroups may miss.
class Stores {
public:
  Stores(const Program &program, bool own_caches, LooseBytes &others)
      : program(program), own_caches(own_caches), others(others) {}
  void reset(uint64_t number);

  // Whether what an instruction touches must be noted.
  bool cares_for(const Effects &e) const;
  // Faults for a read of what may not be there yet; what is written is newer.
  void check(const Wave &w, const Effects &e, const Trace &trace);
  // What the instruction writes, on its way; null when nobody needs to know.
  FlyingPtr issue(const Wave &w, const Inst &inst, const Effects &e, const Trace &trace);
  void arrive(const FlyingPtr &flying);
  // The wave comes to a barrier, or to an atomic access that others may see, with these on their way.
  void pass_barrier(const Wave &w, const std::vector<FlyingPtr> &flying, uint32_t epoch);
  void pass_atomic(const Wave &w, const std::vector<FlyingPtr> &flying);
  // All waves have come to the barrier of the epoch before.
  void start_epoch(uint32_t epoch);

private:
  LooseBytes &own(Space space) { return space == Space::lds ? lds : global; }
  void check_read(const Wave &w, const Touch &touch);
  void unshare(uint32_t wave);

  const Program &program;
  const bool
      own_caches; // of the waves of a workgroup: the order of their accesses to memory is not that of the workgroup
  LooseBytes &others;
  LooseBytes lds, global;
  std::vector<FlyingPtr> passed, shared;
  uint64_t group = 0;
};

} // namespace flysim
