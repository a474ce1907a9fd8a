// In: the chosen chips; out: devices, chosen by threads, synchronised and reset.
#include "device.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "memory.h"
#include "stream.h"

namespace hipsim {
namespace {

constexpr int kVersion = 70000000;
constexpr Chip kChips[] = {
    {"gfx90a", ":sramecc+:xnack-", "AMD Instinct MI250X", 64, 64 << 10, 104, 128 << 10, 32, 1700000},
    {"gfx942", ":sramecc+:xnack-", "AMD Instinct MI300X", 64, 64 << 10, 304, 128 << 10, 32, 2100000},
    {"gfx950", ":sramecc+:xnack-", "AMD Instinct MI355X", 64, 160 << 10, 256, 128 << 10, 32, 2400000},
    {"gfx1100", "", "AMD Radeon RX 7900 XTX", 32, 64 << 10, 48, 192 << 10, 64, 2500000},
    {"gfx1101", "", "AMD Radeon RX 7800 XT", 32, 64 << 10, 30, 192 << 10, 64, 2430000},
    {"gfx1102", "", "AMD Radeon RX 7600", 32, 64 << 10, 16, 128 << 10, 64, 2655000},
    {"gfx1103", "", "AMD Radeon 780M Graphics", 32, 64 << 10, 6, 128 << 10, 64, 2700000},
    {"gfx1150", "", "AMD Radeon 890M Graphics", 32, 64 << 10, 8, 128 << 10, 64, 2900000},
    {"gfx1151", "", "AMD Radeon 8060S Graphics", 32, 64 << 10, 20, 192 << 10, 64, 2900000},
    {"gfx1152", "", "AMD Radeon 860M Graphics", 32, 64 << 10, 4, 128 << 10, 64, 3000000},
    {"gfx1153", "", "AMD gfx1153", 32, 64 << 10, 1, 128 << 10, 64, 2400000},
    {"gfx1200", "", "AMD Radeon RX 9060 XT", 32, 64 << 10, 16, 192 << 10, 64, 3130000},
    {"gfx1201", "", "AMD Radeon RX 9070 XT", 32, 64 << 10, 32, 192 << 10, 64, 2970000},
    {"gfx1250", "", "AMD gfx1250", 32, 320 << 10, 256, 256 << 10, 64, 2400000},
};

struct System {
  Mutex mutex;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<const Chip *> chosen; // none before `flysim_hip_configure`: the library may be here for its engine alone
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

Device::Device(int ordinal, const Chip &chip, size_t memory_bytes)
    : ordinal(ordinal), chip(chip), memory_bytes(memory_bytes) {}

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
  std::erase_if(retired_, [](const auto &stream) { return !stream->tail(); });
  std::vector<std::shared_ptr<Stream>> found;
  if (null_stream_) found.push_back(null_stream_);
  for (auto &weak : streams_)
    if (auto stream = weak.lock()) found.push_back(std::move(stream));
  return found;
}

void Device::retire(std::shared_ptr<Stream> stream) {
  std::lock_guard lock(mutex_);
  retired_.push_back(std::move(stream));
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
  fault_is_told_ = false;
}

void Device::check_fault() {
  if (!has_fault()) return;
  std::lock_guard lock(mutex_);
  const bool is_told = std::exchange(fault_is_told_, true);
  fail(fault_code_, "%s%s", fault_text_.c_str(),
       is_told ? "; this was an earlier call, hipDeviceReset forgets it" : "");
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
  found.reserve(state.devices.size());
  for (auto &each : state.devices) found.push_back(each.get());
  return found;
}

namespace {

void reset(Device &target) {
  target.synchronize();
  target.clear_fault();
  release_all_of(target);
}

} // namespace
} // namespace hipsim

using namespace hipsim;

// End what runs soon, and begin nothing: what is not done then is a fault of its device.
HIPSIM_EXPORT void flysim_hip_stop(int32_t stop) {
  for (Device *each : used_devices()) __atomic_store_n(&each->stop, stop, __ATOMIC_RELAXED);
}

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

// How later launches run: the order of waves (0 forward, 1 backward, 2 random), its seed, the engine's checks and
// threads.
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

HIPSIM_EXPORT Error hipDeviceTotalMem(size_t *bytes, int ordinal) {
  return entry("hipDeviceTotalMem", [&] { require(bytes, "bytes"), *bytes = device(ordinal).memory_bytes; });
}

HIPSIM_EXPORT Error hipDeviceSynchronize() {
  return entry("hipDeviceSynchronize", [&] {
    Device &here = current_device();
    for (auto &stream : here.streams()) stream->refuse_capture("hipDeviceSynchronize");
    here.synchronize();
    here.check_fault();
  });
}

// Gives back the device's memory and forgets its fault; handles of streams, events and modules stay valid.
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
    if (flags || device(peer).ordinal == here.ordinal)
      fail(kInvalidValue, "device %d cannot be a peer of itself", peer);
    std::lock_guard lock(here.peers_mutex);
    if (!here.peers.insert(peer).second)
      fail(kPeerAccessAlreadyEnabled, "of device %d to device %d", here.ordinal, peer);
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
