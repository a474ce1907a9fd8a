// Simulated devices: a chip name in, its limits and the state of one device out.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "entry.h"

namespace hipsim {

class Stream;

// What a chip offers; figures are the vendor's, those that scheduling does not use are only reported.
struct Chip {
  const char *arch, *features, *product;
  int wave, shared_bytes, units, registers /* 32-bit vector registers of a unit */, max_waves /* of a unit */,
      clock_khz;
};

const Chip *find_chip(const std::string &arch);

class Device {
public:
  Device(int ordinal, const Chip &chip, size_t memory_bytes);

  const int ordinal;
  const Chip &chip;
  const size_t memory_bytes;
  std::atomic<size_t> used_bytes{0};

  // The stream 0: waits for and is waited for by every stream that is not non-blocking.
  const std::shared_ptr<Stream> &null_stream();
  void add_stream(const std::shared_ptr<Stream> &stream);
  std::vector<std::shared_ptr<Stream>> streams(); // also destroyed ones with work left
  void retire(std::shared_ptr<Stream> stream);    // it was destroyed: kept until its work is done
  void synchronize();

  // A kernel failed: from now on every call that uses the device does, as after a fault of a GPU.
  void set_fault(Error code, const std::string &text);
  void clear_fault();
  bool has_fault() const { return fault_code_.load(std::memory_order_acquire) != kSuccess; }
  void check_fault();

  // Not 0: operations end soon, and later ones do not begin.
  volatile uint32_t stop = 0;
  bool is_stopping() const { return __atomic_load_n(&stop, __ATOMIC_RELAXED); }

  // Held while an operation gets its place among those of the other streams.
  Mutex order;
  Mutex peers_mutex;
  std::set<int> peers;
  Handle default_pool = nullptr, pool = nullptr;

private:
  Mutex mutex_;
  std::shared_ptr<Stream> null_stream_;
  std::vector<std::weak_ptr<Stream>> streams_;
  std::vector<std::shared_ptr<Stream>> retired_;
  std::atomic<Error> fault_code_{kSuccess};
  std::string fault_text_;
  bool fault_is_told_ = false;
};

// How kernels run: what FlySimLaunch takes.
struct LaunchOptions {
  int32_t order = 0;
  uint64_t seed = 0;
  uint32_t checks = 0, threads = 0;
};

LaunchOptions launch_options();
int device_count();
Device &device(int ordinal); // fails for one that is not there
int current_ordinal();
Device &current_device();
// The current device when nothing on it failed before.
Device &working_device();
// Every device; empty before the first use of one.
std::vector<Device *> used_devices();

} // namespace hipsim
