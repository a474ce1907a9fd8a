// Packets that a launch's waves leave for the host in, answered packets out: the protocol of ROCm's device libraries.
#pragma once
#include "engine/core/memory.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace flysim {

// Pages of this process for as long as this lives, zero at first.
class Pages {
public:
  explicit Pages(size_t size);
  ~Pages();
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  uint8_t *const base;
  const size_t size;
  Range range() const { return {reinterpret_cast<uint64_t>(base), reinterpret_cast<uint64_t>(base) + size, 0, true}; }
};

// A stack of free packets and one of packets to answer; a wave has at most one, so there are as many as waves that run
// at once.
class HostCalls {
public:
  explicit HostCalls(uint64_t waves);

  // The implicit argument, and what waves may touch through it.
  uint64_t address() const { return range().begin; }
  Range range() const { return pages.range(); }
  // Answer what waits; a Fault for what is asked and cannot be given. Called when a wave sleeps: it may wait for the
  // answer.
  void serve();

private:
  struct Packet;
  struct Buffer;
  Buffer &buffer() const;
  void answer(uint32_t service, uint64_t *words);
  void printf(uint64_t *words);

  const uint64_t count;
  Pages pages;
  std::mutex mutex;
  std::map<uint64_t, std::vector<uint64_t>> messages; // begun and not ended
  uint64_t last_message = 0;
  std::string out, error; // printed by the packets that are being answered
};

// Where the device's `malloc` keeps its tables: zero at first, one for all launches.
uint64_t device_heap();

} // namespace flysim
