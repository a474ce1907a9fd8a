// In: the chosen chips; out: devices, their properties and attributes.
#include "device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "memory.h"
#include "stream.h"

namespace hipsim {
namespace {

constexpr int kMaxThreads = 1024, kVersion = 70000000;
constexpr Chip kChips[] = {
    {"gfx90a", ":sramecc+:xnack-", "AMD Instinct MI250X", 64, 64 << 10, 104, 128 << 10, 32, 1700000, 0x3f},
    {"gfx942", ":sramecc+:xnack-", "AMD Instinct MI300X", 64, 64 << 10, 304, 128 << 10, 32, 2100000, 0x4c},
    {"gfx950", ":sramecc+:xnack-", "AMD Instinct MI355X", 64, 160 << 10, 256, 128 << 10, 32, 2400000, 0x4f},
    {"gfx1100", "", "AMD Radeon RX 7900 XTX", 32, 64 << 10, 48, 192 << 10, 64, 2500000, 0x41},
    {"gfx1101", "", "AMD Radeon RX 7800 XT", 32, 64 << 10, 30, 192 << 10, 64, 2430000, 0x46},
    {"gfx1200", "", "AMD Radeon RX 9060 XT", 32, 64 << 10, 16, 192 << 10, 64, 3130000, 0x48},
    {"gfx1201", "", "AMD Radeon RX 9070 XT", 32, 64 << 10, 32, 192 << 10, 64, 2970000, 0x4e},
    {"gfx1250", "", "AMD gfx1250", 32, 320 << 10, 256, 256 << 10, 64, 2400000, 0x49},
};

struct System {
  std::mutex mutex;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<const Chip *> chosen{&kChips[1]};
  size_t memory_bytes = 0; // 0: that of the machine
  LaunchOptions options;
};

System &system_state() {
  static auto *instance = new System;
  return *instance;
}

size_t machine_bytes() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
}

// The devices, made at the first use.
std::vector<std::unique_ptr<Device>> &devices() {
  System &state = system_state();
  std::lock_guard lock(state.mutex);
  const size_t bytes = state.memory_bytes ? state.memory_bytes : machine_bytes();
  while (state.devices.size() < state.chosen.size()) {
    const int ordinal = static_cast<int>(state.devices.size());
    state.devices.push_back(std::make_unique<Device>(ordinal, *state.chosen[ordinal], bytes));
  }
  return state.devices;
}

thread_local int current = 0;

} // namespace

const Chip *find_chip(const std::string &arch) {
  for (const Chip &chip : kChips)
    if (arch == chip.arch) return &chip;
  return nullptr;
}

const char *chip_of_machine(uint32_t elf_machine) {
  for (const Chip &chip : kChips)
    if (elf_machine == chip.elf_machine) return chip.arch;
  return nullptr;
}

Device::Device(int ordinal, const Chip &chip, size_t memory_bytes) : ordinal(ordinal), chip(chip), memory_bytes(memory_bytes) {}

const std::shared_ptr<Stream> &Device::null_stream() {
  std::lock_guard lock(mutex_);
  if (!null_stream_) null_stream_ = std::make_shared<Stream>(*this, kNullStream, 0);
  return null_stream_;
}

void Device::add_stream(const std::shared_ptr<Stream> &stream) {
  std::lock_guard lock(mutex_);
  streams_.erase(std::remove_if(streams_.begin(), streams_.end(), [](const auto &weak) { return weak.expired(); }),
                 streams_.end());
  streams_.push_back(stream);
}

std::vector<std::shared_ptr<Stream>> Device::streams() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Stream>> found;
  if (null_stream_) found.push_back(null_stream_);
  for (auto &weak : streams_)
    if (auto stream = weak.lock()) found.push_back(std::move(stream));
  return found;
}

void Device::synchronize() {
  for (auto &stream : streams()) stream->synchronize();
}

void Device::set_fault(Error code, const std::string &text) {
  std::lock_guard lock(mutex_);
  if (has_fault()) return; // the first one says what happened
  fault_text_ = text;
  fault_code_.store(code, std::memory_order_release);
}

void Device::clear_fault() {
  std::lock_guard lock(mutex_);
  fault_code_ = kSuccess;
  fault_text_.clear();
}

void Device::check_fault() {
  if (!has_fault()) return;
  std::lock_guard lock(mutex_);
  fail(fault_code_, "%s", fault_text_.c_str());
}

LaunchOptions launch_options() {
  System &state = system_state();
  std::lock_guard lock(state.mutex);
  return state.options;
}

int device_count() { return static_cast<int>(devices().size()); }

Device &device(int ordinal) {
  auto &all = devices();
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= all.size())
    fail(kInvalidDevice, "there is no device %d: %zu are simulated", ordinal, all.size());
  return *all[ordinal];
}

int current_ordinal() { return current; }
Device &current_device() {
  if (device_count() == 0) fail(kNoDevice, "no device is simulated");
  return device(current);
}

Device &working_device() {
  Device &found = current_device();
  found.check_fault();
  return found;
}

std::vector<Device *> used_devices() {
  System &state = system_state();
  std::lock_guard lock(state.mutex);
  std::vector<Device *> found;
  for (auto &each : state.devices) found.push_back(each.get());
  return found;
}

namespace {

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
  case 26: case 27: case 28: return p.max_threads_dim[number - 26];
  case 29: case 30: case 31: return p.max_grid_size[number - 29];
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

void reset(Device &target) {
  target.synchronize();
  target.clear_fault();
  release_all_of(target);
}

} // namespace
} // namespace hipsim

using namespace hipsim;

// The devices of this process, one chip name each; before the first of them is used.
HIPSIM_EXPORT Error flysim_hip_configure(uint32_t count, const char *const *archs, uint64_t memory_bytes) {
  return entry("flysim_hip_configure", [&] {
    std::vector<const Chip *> chosen;
    for (uint32_t i = 0; i < count; ++i) {
      const Chip *chip = find_chip(archs[i]);
      if (!chip) fail(kInvalidValue, "no chip %s can be simulated", archs[i]);
      chosen.push_back(chip);
    }
    System &state = system_state();
    std::lock_guard lock(state.mutex);
    if (!state.devices.empty()) fail(kIllegalState, "devices are in use already: choose them before the first call");
    state.chosen = chosen;
    state.memory_bytes = memory_bytes;
  });
}

// How later launches run: the order of waves (0 forward, 1 backward, 2 random), its seed, the engine's checks and threads.
HIPSIM_EXPORT void flysim_hip_options(int32_t order, uint64_t seed, uint32_t checks, uint32_t threads) {
  System &state = system_state();
  std::lock_guard lock(state.mutex);
  state.options = {order, seed, checks, threads};
}

// Forget the faults of all devices and keep their memory: for tests that provoke one.
HIPSIM_EXPORT void flysim_hip_clear_faults() {
  for (Device *each : used_devices()) {
    each->synchronize();
    each->clear_fault();
  }
}

HIPSIM_EXPORT Error hipInit(uint32_t flags) {
  return entry("hipInit", [&] {
    if (flags) fail(kInvalidValue, "flags are %u, expected 0", flags);
    if (!device_count()) fail(kNoDevice, "no device is simulated");
  });
}

HIPSIM_EXPORT Error hipDriverGetVersion(int *version) {
  return entry("hipDriverGetVersion", [&] { require(version, "version"), *version = kVersion; });
}

HIPSIM_EXPORT Error hipRuntimeGetVersion(int *version) {
  return entry("hipRuntimeGetVersion", [&] { require(version, "version"), *version = kVersion; });
}

HIPSIM_EXPORT Error hipGetDeviceCount(int *count) {
  return entry("hipGetDeviceCount", [&] {
    require(count, "count");
    *count = device_count();
    if (!*count) fail(kNoDevice, "no device is simulated");
  });
}

HIPSIM_EXPORT Error hipGetDevice(int *ordinal) {
  return entry("hipGetDevice", [&] { require(ordinal, "ordinal"), *ordinal = current_device().ordinal; });
}

HIPSIM_EXPORT Error hipSetDevice(int ordinal) {
  return entry("hipSetDevice", [&] { current = device(ordinal).ordinal; });
}

HIPSIM_EXPORT Error hipDeviceGet(int *result, int ordinal) {
  return entry("hipDeviceGet", [&] { require(result, "device"), *result = device(ordinal).ordinal; });
}

HIPSIM_EXPORT Error hipGetDevicePropertiesR0600(DeviceProperties *properties, int ordinal) {
  return entry("hipGetDeviceProperties", [&] { require(properties, "properties"), describe(*properties, device(ordinal)); });
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

HIPSIM_EXPORT Error hipDeviceTotalMem(size_t *bytes, int ordinal) {
  return entry("hipDeviceTotalMem", [&] { require(bytes, "bytes"), *bytes = device(ordinal).memory_bytes; });
}

HIPSIM_EXPORT Error hipDeviceComputeCapability(int *major, int *minor, int ordinal) {
  return entry("hipDeviceComputeCapability", [&] {
    require(major, "major"), require(minor, "minor");
    DeviceProperties properties;
    describe(properties, device(ordinal));
    *major = properties.major, *minor = properties.minor;
  });
}

HIPSIM_EXPORT Error hipDeviceSynchronize() {
  return entry("hipDeviceSynchronize", [&] {
    Device &here = current_device();
    for (auto &stream : here.streams()) stream->refuse_capture("hipDeviceSynchronize");
    here.synchronize();
    here.check_fault();
  });
}

HIPSIM_EXPORT Error hipDeviceReset() {
  return entry("hipDeviceReset", [&] { reset(current_device()); });
}

HIPSIM_EXPORT Error hipGetDeviceFlags(uint32_t *flags) {
  return entry("hipGetDeviceFlags", [&] { require(flags, "flags"), *flags = 0; });
}

HIPSIM_EXPORT Error hipSetDeviceFlags(uint32_t) {
  return entry("hipSetDeviceFlags", [&] { current_device(); });
}

HIPSIM_EXPORT Error hipDeviceGetLimit(size_t *value, int limit) {
  return entry("hipDeviceGetLimit", [&] {
    require(value, "value");
    if (limit != 0) fail(kUnsupportedLimit, "limit %d is not modelled, only the stack size (0)", limit);
    *value = 1024;
  });
}

HIPSIM_EXPORT Error hipDeviceCanAccessPeer(int *can, int ordinal, int peer) {
  return entry("hipDeviceCanAccessPeer", [&] {
    require(can, "result");
    *can = device(ordinal).ordinal != device(peer).ordinal;
  });
}

HIPSIM_EXPORT Error hipDeviceGetP2PAttribute(int *value, int, int ordinal, int peer) {
  return entry("hipDeviceGetP2PAttribute", [&] {
    require(value, "value");
    *value = device(ordinal).ordinal != device(peer).ordinal;
  });
}

HIPSIM_EXPORT Error hipDeviceEnablePeerAccess(int peer, uint32_t flags) {
  return entry("hipDeviceEnablePeerAccess", [&] {
    Device &here = working_device();
    if (flags || device(peer).ordinal == here.ordinal) fail(kInvalidValue, "device %d cannot be a peer of itself", peer);
    std::lock_guard lock(here.peers_mutex);
    if (!here.peers.insert(peer).second) fail(kPeerAccessAlreadyEnabled, "of device %d to device %d", here.ordinal, peer);
  });
}

HIPSIM_EXPORT Error hipDeviceDisablePeerAccess(int peer) {
  return entry("hipDeviceDisablePeerAccess", [&] {
    Device &here = working_device();
    device(peer);
    std::lock_guard lock(here.peers_mutex);
    if (!here.peers.erase(peer)) fail(kPeerAccessNotEnabled, "of device %d to device %d", here.ordinal, peer);
  });
}
