// In: a device; out: its properties and attributes as HIP gives them.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "device.h"

namespace hipsim {
namespace {

constexpr int kMaxThreads = 1024;

void describe(DeviceProperties &to, const Device &from) {
  const Chip &chip = from.chip;
  to = {};
  std::snprintf(to.name, sizeof to.name, "simulated %s", chip.product);
  std::snprintf(to.arch_name, sizeof to.arch_name, "%s%s", chip.arch, chip.features);
  std::snprintf(to.uuid, sizeof to.uuid, "hipsim%08d", from.ordinal);
  std::sscanf(chip.arch, "gfx%2d", &to.major);
  if (std::strlen(chip.arch) == 6) to.major = 9;
  to.minor = chip.arch[std::strlen(chip.arch) - 2] - '0';
  to.total_global_bytes = from.memory_bytes;
  to.shared_bytes_per_block = to.shared_bytes_per_multiprocessor = to.shared_bytes_per_block_optin =
      to.max_shared_bytes_per_multiprocessor = chip.shared_bytes;
  to.registers_per_block = to.registers_per_multiprocessor = chip.registers;
  to.warp_size = chip.wave;
  to.memory_pitch = to.total_const_bytes = INT32_MAX;
  to.max_threads_per_block = kMaxThreads;
  for (int &size : to.max_threads_dim) size = kMaxThreads;
  to.max_grid_size[0] = INT32_MAX;
  to.max_grid_size[1] = to.max_grid_size[2] = UINT16_MAX;
  to.clock_khz = to.instruction_clock_khz = chip.clock_khz;
  to.memory_clock_khz = 1000000;
  to.memory_bus_bits = 4096;
  to.l2_bytes = 4 << 20;
  to.texture_alignment = to.texture_pitch_alignment = to.surface_alignment = 256;
  to.multiprocessors = chip.units;
  to.max_threads_per_multiprocessor = chip.max_waves * chip.wave;
  to.max_blocks_per_multiprocessor = chip.max_waves;
  to.pci_bus = from.ordinal + 1;
  to.device_overlap = to.can_map_host = to.concurrent_kernels = to.unified_addressing = to.stream_priorities = 1;
  to.managed_memory = to.concurrent_managed_access = to.cooperative_launch = to.host_register = to.memory_pools = 1;
  to.async_engines = 2;
  to.large_bar = 1;
}

// Attributes that are fields of the properties, by the number HIP gives them.
int64_t attribute(int number, const DeviceProperties &p) {
  switch (number) {
  case 2: return p.async_engines;
  case 3: return p.can_map_host;
  case 5: return p.clock_khz;
  case 6: return p.compute_mode;
  case 8: return p.concurrent_kernels;
  case 9: return p.concurrent_managed_access;
  case 10: return p.cooperative_launch;
  case 12: return p.device_overlap;
  case 19: return p.l2_bytes;
  case 23: return p.major;
  case 24: return p.managed_memory;
  case 25: return p.max_blocks_per_multiprocessor;
  case 26:
  case 27:
  case 28: return p.max_threads_dim[number - 26];
  case 29:
  case 30:
  case 31: return p.max_grid_size[number - 29];
  case 55: return p.max_threads_dim[0];
  case 56: return p.max_threads_per_block;
  case 57: return p.max_threads_per_multiprocessor;
  case 58: return static_cast<int64_t>(p.memory_pitch);
  case 59: return p.memory_bus_bits;
  case 60: return p.memory_clock_khz;
  case 61: return p.minor;
  case 63: return p.multiprocessors;
  case 67: return p.pci_bus;
  case 71: return p.registers_per_block;
  case 72: return p.registers_per_multiprocessor;
  case 74: return static_cast<int64_t>(p.shared_bytes_per_block);
  case 75: return static_cast<int64_t>(p.shared_bytes_per_block_optin);
  case 76: return static_cast<int64_t>(p.shared_bytes_per_multiprocessor);
  case 78: return p.stream_priorities;
  case 83: return static_cast<int64_t>(p.total_const_bytes);
  case 84: return std::min<int64_t>(static_cast<int64_t>(p.total_global_bytes), INT32_MAX);
  case 85: return p.unified_addressing;
  case 87: return p.warp_size;
  case 88: return p.memory_pools;
  case 90: return p.host_register;
  case 10000: return p.instruction_clock_khz;
  case 10002: return static_cast<int64_t>(p.max_shared_bytes_per_multiprocessor);
  case 10011: return p.large_bar;
  case 10015: return p.multiprocessors;
  case 10016: return 1;      // fine-grained memory
  case 10017: return 100000; // wall clock, kHz
  case 10018: return 1;      // dies
  default: break;
  }
  const bool known = (number >= 1 && number <= 95) || (number >= 10000 && number <= 10022);
  return known ? 0 : -1;
}

} // namespace
} // namespace hipsim

using namespace hipsim;

HIPSIM_EXPORT Error hipGetDevicePropertiesR0600(DeviceProperties *properties, int ordinal) {
  return entry("hipGetDevicePropertiesR0600",
               [&] { require(properties, "properties"), describe(*properties, device(ordinal)); });
}

HIPSIM_EXPORT Error hipDeviceGetAttribute(int *value, int number, int ordinal) {
  return entry("hipDeviceGetAttribute", [&] {
    require(value, "value");
    DeviceProperties properties;
    describe(properties, device(ordinal));
    const int64_t found = attribute(number, properties);
    if (found < 0) fail(kInvalidValue, "there is no device attribute %d", number);
    *value = static_cast<int>(found);
  });
}

HIPSIM_EXPORT Error hipDeviceGetName(char *name, int size, int ordinal) {
  return entry("hipDeviceGetName", [&] {
    require(name, "name");
    if (size <= 0) fail(kInvalidValue, "the name has room for %d bytes", size);
    std::snprintf(name, static_cast<size_t>(size), "simulated %s", device(ordinal).chip.product);
  });
}

HIPSIM_EXPORT Error hipDeviceGetUuid(char *uuid, int ordinal) {
  return entry("hipDeviceGetUuid", [&] {
    require(uuid, "uuid");
    DeviceProperties properties;
    describe(properties, device(ordinal));
    std::memcpy(uuid, properties.uuid, sizeof properties.uuid);
  });
}

HIPSIM_EXPORT Error hipDeviceGetPCIBusId(char *text, int size, int ordinal) {
  return entry("hipDeviceGetPCIBusId", [&] {
    require(text, "text");
    if (size < 13) fail(kInvalidValue, "a bus id needs 13 bytes, found room for %d", size);
    std::snprintf(text, static_cast<size_t>(size), "0000:%02x:00.0", device(ordinal).ordinal + 1);
  });
}

HIPSIM_EXPORT Error hipDeviceComputeCapability(int *major, int *minor, int ordinal) {
  return entry("hipDeviceComputeCapability", [&] {
    require(major, "major"), require(minor, "minor");
    DeviceProperties properties;
    describe(properties, device(ordinal));
    *major = properties.major, *minor = properties.minor;
  });
}
