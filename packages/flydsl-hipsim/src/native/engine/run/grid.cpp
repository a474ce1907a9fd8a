// A launch in, the memory that its kernel finds out: arguments, explicit and implicit, and the dispatch packet.
#include "grid.h"

namespace flysim {
namespace {

template <class T> void store(uint8_t *to, T value) { std::memcpy(to, &value, sizeof value); }

// The implicit arguments of code object v5, at their fixed places.
void fill_implicit(uint8_t *to, const Grid &grid) {
  const FlySimLaunch &launch = grid.launch;
  const int dims = launch.grid[2] * launch.block[2] > 1 ? 3 : launch.grid[1] * launch.block[1] > 1 ? 2 : 1;
  for (int k = 0; k < 3; ++k) {
    store<uint32_t>(to + 4 * k, launch.grid[k]);
    store<uint16_t>(to + 12 + 2 * k, uint16_t(launch.block[k]));
  }
  store<uint16_t>(to + 64, uint16_t(dims));
  store<uint64_t>(to + 72, grid.printed ? grid.printed->address() : 0);
  store<uint64_t>(to + 80, grid.calls ? grid.calls->address() : 0);
  store<const void *>(to + 88, launch.cooperative ? grid.barrier : nullptr);
  store<uint64_t>(to + 96, grid.kernel.desc.hidden & FLYSIM_HIDDEN_HEAP ? device_heap() : 0);
  store<uint32_t>(to + 120, launch.dynamic_lds);
  store<uint32_t>(to + 192, uint32_t(kPrivateBase >> 32));
  store<uint32_t>(to + 196, uint32_t(kSharedBase >> 32));
}

void fill_packet(Grid &grid) {
  uint8_t *to = grid.packet;
  for (int k = 0; k < 3; ++k) {
    store<uint16_t>(to + 4 + 2 * k, uint16_t(grid.launch.block[k]));
    store<uint32_t>(to + 12 + 4 * k, grid.launch.grid[k] * grid.launch.block[k]);
  }
  store<uint16_t>(to + 2, 3);
  store<uint32_t>(to + 24, grid.kernel.desc.private_bytes);
  store<uint32_t>(to + 28, grid.lds);
  store<const void *>(to + 40, grid.kernarg.data());
}

// One grid of one device: its number, how many there are, threads before it and in all; the barrier's state;
// workgroups.
void fill_barrier(Grid &grid) {
  store<uint32_t>(grid.barrier + 12, 1);
  store<uint64_t>(grid.barrier + 24, grid.groups() * grid.threads);
  store<uint32_t>(grid.barrier + 40, uint32_t(grid.groups()));
}

void fill_kernarg(Grid &grid) {
  const FlySimKernelDesc &d = grid.kernel.desc;
  uint64_t size = std::max<uint64_t>(d.kernarg_size, grid.launch.kernarg_size);
  if (d.implicit_offset != ~0u) size = std::max<uint64_t>(size, d.implicit_offset + 256u);
  grid.kernarg.assign(size + 64, 0);
  if (d.implicit_offset != ~0u) fill_implicit(grid.kernarg.data() + d.implicit_offset, grid);
  const uint64_t given = d.implicit_offset == ~0u ? grid.launch.kernarg_size
                                                  : std::min<uint64_t>(grid.launch.kernarg_size, d.implicit_offset);
  if (given) std::memcpy(grid.kernarg.data(), grid.launch.kernarg, given);
}

void provide_host(Grid &grid) {
  const uint32_t hidden = grid.kernel.desc.hidden;
  if (hidden & FLYSIM_HIDDEN_HOST_CALLS) grid.calls.emplace(grid.resident() * grid.waves);
  if (hidden & FLYSIM_HIDDEN_PRINTF_BUFFER) grid.printed.emplace();
}

} // namespace

Grid::Grid(const FlySimKernel &kernel, const FlySimLaunch &launch, uint32_t threads)
    : kernel(kernel), launch(launch), ranges(memory_snapshot()), lds(kernel.desc.static_lds + launch.dynamic_lds),
      threads(threads), waves((threads + kernel.desc.wave_size - 1) / kernel.desc.wave_size) {
  for (uint64_t k = 0; k < launch.n_arrays; ++k) {
    const uint64_t begin = reinterpret_cast<uint64_t>(launch.arrays[k].base);
    arrays.push_back({begin, begin + launch.arrays[k].size, 0, true});
  }
  provide_host(*this);
  fill_kernarg(*this);
  fill_packet(*this);
  if (launch.cooperative) fill_barrier(*this);
  if (launch.checks) checks.emplace(kernel, launch.checks, lds);
}

} // namespace flysim
