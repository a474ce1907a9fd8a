// A kernel and a launch in, every workgroup of the grid executed, the first fault as a message out.
#include "engine/core/message.h"
#include "machine.h"

#include <deque>

namespace flysim {
namespace {

std::atomic<uint64_t> executed{0};

} // namespace

std::atomic<uint64_t> instruction_limit{4'000'000'000};

void work(Grid &grid, bool leads) {
  try {
    const uint64_t total = grid.clusters();
    std::deque<std::unique_ptr<Unit>> waiting; // those with a group that is not at its end
    std::unique_ptr<Unit> idle;
    uint64_t done = 0;
    while (!grid.failed) {
      if (grid.is_stopped()) grid.fail("kernel '" + grid.kernel.name + "' was stopped before its end");
      std::unique_ptr<Unit> unit;
      const uint64_t k = waiting.size() < kResident || grid.launch.cooperative ? grid.next.fetch_add(1) : total;
      if (k < total) {
        unit = idle ? std::move(idle) : std::make_unique<Unit>(grid, leads);
        unit->begin(grid.launch.order == FLYSIM_BACKWARD ? total - 1 - k : k);
      } else if (!waiting.empty()) {
        unit = std::move(waiting.front());
        waiting.pop_front();
      } else break;
      if (unit->run()) {
        waiting.push_back(std::move(unit));
        continue;
      }
      done += unit->take_executed();
      idle = std::move(unit);
    }
    executed += done;
  } catch (const std::exception &error) {
    grid.fail(error.what());
  }
}

namespace {

constexpr uint64_t kLargestCluster = 16;

std::string cluster_refusal(const FlySimKernel &kernel, const FlySimLaunch &launch) {
  uint64_t members = 1;
  for (const uint32_t extent : launch.cluster) members *= std::max(1u, extent);
  if (members == 1) return "";
  if (!kernel.module->program.gfx1250) return "a cluster of workgroups; " + kernel.module->program.arch + " has none";
  if (members > kLargestCluster)
    return "a cluster of " + std::to_string(members) + " workgroups; gfx1250 has " + std::to_string(kLargestCluster);
  for (int k = 0; k < 3; ++k)
    if (launch.grid[k] % std::max(1u, launch.cluster[k])) return "clusters do not divide the grid";
  return launch.cooperative ? "clusters in a cooperative launch" : "";
}

std::string refusal(const FlySimKernel &kernel, const FlySimLaunch &launch, uint64_t threads) {
  const FlySimKernelDesc &d = kernel.desc;
  if (!threads || !launch.grid[0] || !launch.grid[1] || !launch.grid[2]) return "grid and block sizes are at least 1";
  if (threads > d.max_workgroup)
    return "a block of " + std::to_string(threads) + " threads; kernel '" + kernel.name + "' takes " +
        std::to_string(d.max_workgroup);
  const uint64_t limit = kernel.module->program.arch == "gfx950" ? 160 << 10
      : kernel.module->program.arch == "gfx1250"                 ? 320 << 10
                                                                 : 64 << 10;
  const uint64_t lds = uint64_t(d.static_lds) + launch.dynamic_lds;
  if (lds > limit)
    return std::to_string(lds) + " bytes of LDS; " + kernel.module->program.arch + " has " + std::to_string(limit);
  return cluster_refusal(kernel, launch);
}

} // namespace
} // namespace flysim

using namespace flysim;

extern "C" uint64_t flysim_instruction_count(void) { return executed; }

extern "C" void flysim_set_instruction_limit(uint64_t count) { instruction_limit = count; }

extern "C" int flysim_launch(FlySimKernel *kernel, const FlySimLaunch *launch, char *message, uint64_t message_size) {
  FlySimLaunch given{};
  std::memcpy(&given, launch, std::min<size_t>(launch->struct_size, sizeof given));
  const uint64_t threads = uint64_t(given.block[0]) * given.block[1] * given.block[2];
  if (std::string why = refusal(*kernel, given, threads); !why.empty())
    return report(FLYSIM_BAD_LAUNCH, why, message, message_size);
  Grid grid(*kernel, given, uint32_t(threads));
  work(grid, true);
  for (std::thread &helper : grid.helpers) helper.join();
  if (grid.printed) grid.printed->print(kernel->module->program.formats);
  if (grid.checks) grid.checks->finish(grid.threads);
  return grid.failed ? report(grid.trapped ? FLYSIM_TRAPPED : FLYSIM_FAULT, grid.message, message, message_size)
                     : FLYSIM_OK;
}
