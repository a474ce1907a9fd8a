// The checks of one launch: every instruction of its waves passes through here when any is chosen.
#pragma once
#include "copies.h"
#include "profile.h"
#include "races.h"
#include "undefined.h"
#include "waits.h"

#include <optional>

namespace flysim {

// What the workgroups of a launch share.
struct LaunchChecks {
  LaunchChecks(const FlySimKernel &kernel, uint32_t chosen, uint32_t lds)
      : kernel(kernel), chosen(chosen), lds(lds), races(kernel.module->program, "global memory") {}
  void add(const KernelProfile &counts);
  void finish(uint32_t threads);

  const FlySimKernel &kernel;
  const uint32_t chosen, lds;
  Races races;
  LooseBytes others; // written by a workgroup that did not wait
  std::mutex mutex;
  KernelProfile profile;
};

// Of one thread: the workgroup that it runs.
class Checker {
public:
  explicit Checker(LaunchChecks &launch);
  ~Checker();

  void start_group(uint64_t number);
  void start_wave(Wave &w);
  // Instead of running the instruction: checks before, the instruction itself, checks after.
  void step(Wave &w, const Inst &inst);
  // All waves have passed a barrier.
  void pass_barrier() { stores.start_epoch(++epoch); }
  // A wave has passed its cluster's barrier.
  void pass_cluster_barrier(const std::vector<uint64_t> &groups) { launch.races.meet(group, groups); }

private:
  bool has(uint32_t check) const { return launch.chosen & check; }
  void run_indexed(Wave &w, const Inst &inst);
  void run_dual(Wave &w, const Inst &inst);
  void check_copies(const Wave &w, const Inst &inst, const Effects &effects);
  void before_waits(Wave &w, const Inst &inst, const Effects &effects);
  void after_waits(Wave &w, const Inst &inst, const Effects &effects);
  void check_races(const Wave &w, const Inst &inst, const Effects &effects);

  LaunchChecks &launch;
  const Program &program;
  const EffectsTable &effects;
  Trace trace;
  std::vector<Waits> waits;
  std::vector<Copies> copies;
  Stores stores;
  Undefined undefined;
  Races lds_races;
  KernelProfile profile;
  uint64_t group = 0;
  uint32_t epoch = 0;
};

} // namespace flysim
