// Executed instructions in; counts of a kernel out: instructions by kind, lanes, bytes, bank conflicts, coalescing.
#pragma once
#include "effects.h"
#include "engine/core/trace.h"

#include <map>
#include <unordered_map>

namespace flysim {

enum class Traffic : uint8_t {
  global_read,
  global_write,
  scalar_read,
  lds_read,
  lds_write,
  scratch_read,
  scratch_write
};
constexpr int kTraffics = int(Traffic::scratch_write) + 1;

// Of one memory instruction: LDS passes beyond the least possible, and segments of global memory.
struct MemoryCounts {
  uint64_t executed = 0, lanes = 0, bytes = 0, lds_passes = 0, lds_conflicts = 0, segments = 0, least_segments = 0;
  void add(const MemoryCounts &other);
};

struct KernelProfile {
  uint64_t launches = 0, workgroups = 0, waves = 0;
  uint64_t executed[kKinds] = {}, lanes = 0, lane_slots = 0, bytes[kTraffics] = {};
  std::unordered_map<const Inst *, MemoryCounts> places;

  void count(const Program &program, const Wave &w, const Inst &inst, const Effects &effects, const Trace &trace);
  void add(const KernelProfile &other);
};

// Adds a launch's counts to those of this process.
void keep_profile(const FlySimKernel &kernel, uint32_t lds, uint32_t threads, const KernelProfile &profile);

} // namespace flysim
