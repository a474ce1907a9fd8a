// A kernel and a launch in, what all threads of the launch share out: arguments, the next workgroup, the first fault.
#pragma once
#include "engine/check/checker.h"
#include "engine/core/module.h"
#include "host_calls.h"
#include "printf_buffer.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace flysim {

constexpr size_t kResident = 256; // clusters that a thread holds at once; of cooperative launches, all
constexpr uint64_t kAlone = 20'000; // instructions before other threads help: to start them takes as long

struct Grid;
// Clusters of workgroups until there are none left; the thread that launches leads.
void work(Grid &grid, bool leads);

struct Grid {
  Grid(const FlySimKernel &kernel, const FlySimLaunch &launch, uint32_t threads);

  const FlySimKernel &kernel;
  const FlySimLaunch &launch;
  std::vector<uint8_t> kernarg;
  alignas(64) uint8_t packet[64] = {};
  alignas(64) uint8_t barrier[64] = {}; // of the grid, as the device libraries have it
  std::shared_ptr<const Ranges> ranges;
  Ranges arrays;
  uint32_t lds, threads, waves;
  std::atomic<uint64_t> next{0};
  std::vector<std::thread> helpers;
  uint64_t led = 0; // instructions of the thread that launches
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string message;
  bool trapped = false;
  std::optional<LaunchChecks> checks;
  std::optional<HostCalls> calls;
  std::optional<PrintfBuffer> printed;

  uint64_t groups() const { return uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2]; }
  uint32_t cluster(int k) const { return std::max(1u, launch.cluster[k]); }
  uint64_t members() const { return uint64_t(cluster(0)) * cluster(1) * cluster(2); } // workgroups of a cluster
  uint64_t clusters() const { return groups() / members(); }
  uint64_t resident() const {
    return launch.cooperative ? groups() : std::min(groups(), workers() * kResident * members());
  }
  uint64_t workers() const {
    return std::min<uint64_t>(launch.threads ? launch.threads : std::max(1u, std::thread::hardware_concurrency()),
                              clusters());
  }
  // Of the thread that launches, as it goes on: with enough to do, others take groups as well.
  void lead(uint64_t instructions) {
    led += instructions;
    if (led < kAlone || !helpers.empty() || next >= clusters()) return;
    for (uint64_t k = 1; k < workers(); ++k) helpers.emplace_back([this] { work(*this, false); });
  }
  bool is_stopped() const { return launch.stop && __atomic_load_n(launch.stop, __ATOMIC_RELAXED); }
  void fail(const std::string &text, bool by_trap = false) {
    std::lock_guard lock(mutex);
    if (failed.exchange(true)) return;
    message = text;
    trapped = by_trap;
  }
};

} // namespace flysim
