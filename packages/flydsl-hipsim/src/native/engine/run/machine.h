// One workgroup, and one cluster of them: its waves executed in turns, up to barriers and ends.
#pragma once
#include "engine/check/place.h"
#include "engine/vector/lanes.h"
#include "grid.h"

#include <new>
#include <numeric>
#include <random>

namespace flysim {

// A wave that has run so long lets others run; so does a workgroup whose waves wait for each other so often.
constexpr uint64_t kSlice = 100'000;
constexpr int kTurn = 1'000;
extern std::atomic<uint64_t> instruction_limit; // of a wave

// A little more than its rows: the same row of all waves would be in the same place of a cache.
constexpr uint64_t kRowBytes = kLanes * 4, kWaveBytes = kRows * kRowBytes + 5 * kRowBytes;

// Registers, LDS and scratch of one workgroup; kept by a thread for the groups it runs.
class Machine {
public:
  Machine(Grid &grid, bool leads)
      : grid(grid), leads(leads), d(grid.kernel.desc), program(grid.kernel.module->program), begins(grid.waves),
        waves(grid.waves), order(grid.waves) {
    registers.reset(static_cast<uint8_t *>(::operator new(grid.waves * kWaveBytes, std::align_val_t(64))));
    lane_ids.resize(size_t(grid.waves) * kLanes);
    lds.resize(grid.lds + 64);
    scratch.resize(uint64_t(grid.waves) * d.wave_size * d.private_bytes + 64);
    group.program = &program;
    group.lds = lds.data();
    group.lds_size = grid.lds;
    group.waves = grid.waves;
    group.ranges = grid.ranges;
    group.arrays = &grid.arrays;
    group.extra[0] = range_of(grid.kernarg.data(), grid.kernarg.size());
    group.extra[1] = range_of(grid.packet, sizeof grid.packet);
    group.extra[2] = range_of(grid.barrier, sizeof grid.barrier);
    if (grid.calls) group.host[0] = grid.calls->range();
    if (grid.printed) group.host[1] = grid.printed->range();
    for (uint32_t k = 0; k < grid.waves; ++k) prepare(k);
    std::iota(order.begin(), order.end(), 0u);
    if (grid.launch.order == FLYSIM_BACKWARD) std::reverse(order.begin(), order.end());
    if (grid.checks) checker.emplace(*grid.checks);
  }

  // The workgroup at `place` of a cluster, which is the one at `at` of the grid's.
  void begin(Cluster &cluster, const uint32_t *at, const uint32_t *place) {
    const uint32_t *size = grid.launch.grid;
    for (int k = 0; k < 3; ++k) {
      group.place[k] = place[k];
      group.id[k] = at[k] * cluster.size[k] + place[k];
    }
    const uint64_t number = group.id[0] + uint64_t(size[0]) * (group.id[1] + uint64_t(size[1]) * group.id[2]);
    cluster.groups.push_back(number);
    group.cluster = &cluster;
    ended = false;
    std::fill(lds.begin(), lds.end(), uint8_t(0));
    std::fill(std::begin(group.named), std::end(group.named), NamedBarrier{});
    group.signals = 0;
    if (grid.launch.order == FLYSIM_RANDOM) random.seed(grid.launch.seed * 0x9e3779b97f4a7c15ull + number);
    if (checker) checker->start_group(number);
    for (uint32_t k = 0; k < grid.waves; ++k) start(k, at);
  }
  // To the group's end (false), or until it seems to wait for what another one does.
  bool run() {
    preempted = false;
    const bool gives_way = grid.launch.cooperative || group.cluster->members > 1;
    for (int waits = 0, turn = gives_way ? 1 : kTurn; waits < turn && !preempted;) {
      if (!advance()) {
        for (const Wave &w : waves) executed_here += w.count;
        ended = true;
        return false;
      }
      if (blocked) return true;
      waits += yielded;
    }
    return true;
  }

  uint64_t executed_here = 0;
  bool ended = false;
  bool blocked = false; // all waves wait, one for other workgroups of the cluster

private:
  static Range range_of(const void *p, uint64_t size) {
    const uint64_t begin = reinterpret_cast<uint64_t>(p);
    return {begin, begin + size, 0, true};
  }

  // What all groups' waves begin with, and the numbers of their lanes.
  void prepare(uint32_t k) {
    WaveState &w = begins[k];
    w.v = reinterpret_cast<uint32_t *>(registers.get() + k * kWaveBytes);
    w.lanes = uint8_t(d.wave_size);
    w.crossbar = program.arch.starts_with("gfx11") ? 32 : w.lanes;
    w.gfx9 = program.gfx9;
    w.fnuz = program.arch.starts_with("gfx94");
    w.index = k;
    w.group = &group;
    w.next = program.at(reinterpret_cast<uint64_t>(program.image) + d.entry);
    w.mode = d.float_mode | (d.dx10_clamp ? 0x100u : 0) | (d.ieee ? kModeIeee : 0);
    w.scratch_size = d.private_bytes;
    w.scratch = scratch.data() + uint64_t(k) * d.wave_size * d.private_bytes;
    const uint32_t first = k * d.wave_size, left = grid.threads - first;
    w.set_pair(kExec, left >= d.wave_size ? w.full() : (1ull << left) - 1);
    set_scalars(w);
    set_lanes(lane_ids.data() + k * kLanes, first);
  }

  void start(uint32_t k, const uint32_t *at) {
    Wave &w = waves[k];
    static_cast<WaveState &>(w) = begins[k];
    for (int n = 0, at = int(d.user_sgprs); n < 3; ++n)
      if (d.sgpr_bits >> n & 1) w.s[at++] = group.id[n];
    w.s[108 + 9] = at[0]; // of the cluster, where there are clusters
    w.s[108 + 7] = at[1] | at[2] << 16;
    const Cluster &cluster = *group.cluster;
    w.s[108 + 6] = (cluster.members - 1) << 24;
    for (int n = 0; n < 3; ++n) w.s[108 + 6] |= group.place[n] << 4 * n | (cluster.size[n] - 1) << (12 + 4 * n);
    copy_words<kLanes>(w.row(0), lane_ids.data() + k * kLanes);
    if (checker) checker->start_wave(w);
  }

  void set_lanes(uint32_t *ids, uint32_t first) {
    const uint32_t *block = grid.launch.block;
    const uint32_t has_y = d.vgpr_ids >= 1, has_z = d.vgpr_ids >= 2;
    uint32_t x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];
    for (uint32_t l = 0; l < d.wave_size; ++l) {
      ids[l] = x | has_y * y << 10 | has_z * z << 20;
      if (++x < block[0]) continue;
      x = 0;
      if (++y < block[1]) continue;
      y = 0;
      ++z;
    }
  }

  // Those of the group are set when it starts.
  void set_scalars(WaveState &w) {
    unsigned at = 0;
    const auto pointer = [&](unsigned bit, uint64_t value, unsigned words) {
      if (!(d.user_bits & bit)) return;
      std::memcpy(w.s + at, &value, std::min(words, 2u) * 4);
      at += words;
    };
    pointer(1, 0, 4);
    if (d.user_bits & 1) w.s[2] = ~0u, w.s[3] = 1u << 23; // a resource of scratch memory: the lanes' own
    pointer(2, reinterpret_cast<uint64_t>(grid.packet), 2);
    pointer(4, 0, 2);
    pointer(8, reinterpret_cast<uint64_t>(grid.kernarg.data()), 2);
    pointer(16, 0, 2);
    pointer(32, 0, 2);
    pointer(64, d.private_bytes, 1);
    for (unsigned k = 0; k < d.kernarg_preload && at < 16; ++k)
      std::memcpy(w.s + at++, grid.kernarg.data() + 4 * (d.kernarg_preload_offset + k), 4);
    w.s[108 + 8] = w.index << 25;
    w.set_pair(FLYSIM_SHARED_BASE, kSharedBase);
    w.set_pair(FLYSIM_SHARED_LIMIT, kSharedBase + kApertureSize - 1);
    // gfx1250 has the lane's number in an address, and tells scratch by the bits above: they are that of no other
    // address.
    const uint64_t own = kPrivateBase | uint64_t(w.group->program->arch == "gfx1250") << 58;
    w.set_pair(FLYSIM_PRIVATE_BASE, own);
    w.set_pair(FLYSIM_PRIVATE_LIMIT, own + kApertureSize - 1);
  }

  // Every wave that can run, once, to its next barrier; false when all have ended.
  bool advance() {
    if (grid.launch.order == FLYSIM_RANDOM)
      std::iota(order.begin(), order.end(), 0u), std::shuffle(order.begin(), order.end(), random);
    for (const uint32_t k : order)
      if (waves[k].status == Status::running) {
        run_wave(waves[k]);
        if (grid.calls && waves[k].status == Status::yielded) serve(waves[k], *grid.calls);
      }
    if (grid.failed) return false;
    bool live = false, passed = false, stuck = false;
    yielded = blocked = false;
    for (Wave &w : waves) {
      live |= w.status != Status::ended;
      yielded |= w.status == Status::yielded;
      if (w.status == Status::yielded) w.status = Status::running;
      if (w.status == Status::named) {
        const bool passes = w.passes_named_barrier();
        (passes ? passed : stuck) = true;
        if (passes && w.waits_for_cluster && checker) checker->pass_cluster_barrier(group.cluster->groups);
      }
    }
    if (live && !yielded && !passed) {
      if (stuck && group.cluster->members > 1) {
        blocked = true;
        return true;
      }
      if (stuck) {
        grid.fail("all waves wait, and one for a named barrier that is not complete, in kernel '" + grid.kernel.name +
                  "'");
        return false;
      }
      for (Wave &w : waves)
        if (w.status == Status::barrier) w.status = Status::running;
      group.signals = 0;
      passed = true;
    }
    if (passed && checker) checker->pass_barrier();
    return live;
  }

  void run_wave(Wave &w) {
    const uint64_t before = w.count;
    execute(w);
    if (leads) grid.lead(w.count - before);
  }

  void execute(Wave &w) {
    FloatEnvironment environment(w.mode);
    const Inst *current = w.next;
    try {
      const uint64_t until = w.count + kSlice;
      while (w.status == Status::running && w.count < until) {
        current = w.next++;
        ++w.count;
        if (checker) [[unlikely]]
          checker->step(w, *current);
        else current->run(w, *current);
      }
      if (w.status == Status::running) {
        w.status = Status::yielded;
        preempted = true;
      }
      if (w.count > instruction_limit && w.status != Status::ended)
        throw Fault("a wave has executed " + std::to_string(w.count) +
                    " instructions: it waits for what does not come, or FLYDSL_HIPSIM_INSTRUCTIONS is too low");
    } catch (const Fault &fault) {
      grid.fail(describe(w, *current, fault), fault.trapped);
      w.status = Status::ended;
    }
  }

  // Outside of run_wave, which has the wave's rounding mode.
  void serve(Wave &w, HostCalls &calls) {
    try {
      calls.serve();
    } catch (const Fault &fault) {
      grid.fail(describe(w, w.next[-1], fault));
      w.status = Status::ended;
    }
  }

  std::string describe(const Wave &w, const Inst &at, const Fault &fault) const {
    const size_t k = size_t(&at - program.code.data()) % program.stride;
    char place[160];
    std::snprintf(place, sizeof place, " in kernel '%s', pc %#x, workgroup (%u, %u, %u), wave %u",
                  grid.kernel.name.c_str(), at.record->address, group.id[0], group.id[1], group.id[2], w.index);
    std::string text = fault.what() + std::string(place);
    if (fault.lane >= 0) text += ", lane " + std::to_string(fault.lane);
    if (k < program.texts.size()) text += ": " + program.texts[k];
    const std::string line = line_of(program, at.record->address);
    return line.empty() ? text : text + " (" + line + ")";
  }

  Grid &grid;
  const bool leads;
  const FlySimKernelDesc &d;
  const Program &program;
  struct Free {
    void operator()(uint8_t *p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<uint8_t, Free> registers;
  bool yielded = false, preempted = false; // in the last round, in this turn
  std::vector<uint8_t> lds, scratch;
  std::vector<WaveState> begins;
  std::vector<uint32_t> lane_ids;
  std::vector<Wave> waves;
  std::vector<uint32_t> order;
  std::mt19937_64 random;
  Workgroup group;
  std::optional<Checker> checker;
};

// The workgroups of a cluster, which take turns; without clusters one.
class Unit {
public:
  Unit(Grid &grid, bool leads) : grid(grid) {
    for (uint64_t k = 0; k < grid.members(); ++k) machines.push_back(std::make_unique<Machine>(grid, leads));
    cluster.members = uint32_t(grid.members());
    for (int k = 0; k < 3; ++k) {
      cluster.size[k] = grid.cluster(k);
      count[k] = grid.launch.grid[k] / cluster.size[k];
    }
  }
  void begin(uint64_t number) {
    const uint32_t at[] = {uint32_t(number % count[0]), uint32_t(number / count[0] % count[1]),
                           uint32_t(number / count[0] / count[1])};
    cluster.signals = cluster.phase = 0;
    cluster.groups.clear();
    const uint32_t *size = cluster.size;
    for (uint32_t k = 0; k < cluster.members; ++k) {
      const uint32_t place[] = {k % size[0], k / size[0] % size[1], k / size[0] / size[1]};
      machines[k]->begin(cluster, at, place);
    }
  }
  // To the end of all (false), or until they seem to wait for what another cluster does.
  bool run() {
    const bool backward = grid.launch.order == FLYSIM_BACKWARD;
    for (int turn = 0; turn < kTurn; ++turn) {
      const uint32_t phase = cluster.phase;
      bool live = false, moves = false;
      for (uint32_t k = 0; k < cluster.members; ++k) {
        Machine &machine = *machines[backward ? cluster.members - 1 - k : k];
        if (machine.ended) continue;
        const bool goes_on = machine.run();
        live |= goes_on;
        moves |= !goes_on || !machine.blocked;
      }
      if (!live) return false;
      if (!moves && phase == cluster.phase)
        grid.fail("all workgroups of a cluster wait, and its barrier is not complete, in kernel '" + grid.kernel.name +
                  "'");
      if (grid.failed) return false;
      if (cluster.members == 1) return true;
    }
    return true;
  }
  uint64_t take_executed() {
    uint64_t sum = 0;
    for (auto &machine : machines) sum += std::exchange(machine->executed_here, 0);
    return sum;
  }

private:
  Grid &grid;
  Cluster cluster;
  uint32_t count[3];
  std::vector<std::unique_ptr<Machine>> machines;
};

} // namespace flysim
