// What one checked instruction touched in memory: noted by the handlers' address functions, read by the checks.
#pragma once
#include "memory.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace flysim {

enum class Space : uint8_t { global, lds, scratch };

struct Touch {
  Touch() {} // every field is set by Trace::note
  uint8_t *place;
  uint64_t address; // as the program has it: an offset in LDS and in a lane's scratch
  uint32_t size;
  int32_t lane; // -1 of scalar loads
  Space space;
  uint8_t before[64]; // what was there, for the check of races
};

struct Trace {
  std::vector<Touch> touches;
  bool keeps_before = false;
  Range last; // the allocation of the last access

  void note(Space space, uint8_t *place, uint64_t address, uint32_t size, int lane) {
    Touch &touch = touches.emplace_back();
    touch.place = place;
    touch.address = address;
    touch.size = size;
    touch.lane = lane;
    touch.space = space;
    if (keeps_before) std::memcpy(touch.before, place, size < sizeof touch.before ? size : sizeof touch.before);
  }
};

} // namespace flysim
