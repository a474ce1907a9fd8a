// A decoded instruction in, what the checks need to know of it out: its kind, its registers, how undefined bits travel.
#pragma once
#include "engine/core/module.h"

#include <string_view>

namespace flysim {

enum class Kind : uint8_t {
  scalar,
  vector,
  matrix,
  scalar_load,
  vector_load,
  vector_store,
  vector_atomic,
  load_to_lds,
  lds_read,
  lds_write,
  lds_atomic,
  crossbar,
  branch,
  barrier,
  wait,
  other
};
constexpr int kKinds = int(Kind::other) + 1;
const char *kind_name(Kind kind);

// Counters that s_waitcnt waits for. Before gfx12 one counter has both `lds` and `scalar`.
enum Counters : uint8_t {
  kLoadCounter = 1,
  kLdsCounter = 2,
  kScalarCounter = 4,
  kAsyncCounter = 8,
  kStoreCounter = 16 /* from gfx10 on */,
  kTensorCounter = 32
};

// Those of copies between memory and LDS past the registers, which run beside the wave that began them.
constexpr uint8_t kCopyCounters = kAsyncCounter | kTensorCounter;

struct Registers {
  bool scalar = false;
  uint16_t first = 0, count = 0;
};

struct Effects {
  Kind kind = Kind::other;
  bool in_any_order = false; // its result may come before those of earlier loads
  bool reads_local = false; // a store whose data are in LDS
  bool synchronises = false; // an atomic access, or a load or store that other workgroups shall see
  uint8_t counters = 0;
  std::string_view name;
  std::vector<Registers> reads, writes, addresses, data; // addresses and data of memory are also in reads
  int wait_load = -1, wait_lds = -1, wait_scalar = -1, wait_store = -1, wait_async = -1,
      wait_tensor = -1; // of a wait: how many may be left, -1 for any
  // For undefined bits in place of values: no signs, no clamp.
  Inst shadow;
  FlySimRecord record{};
};

using EffectsTable = std::vector<Effects>; // one for each of a program's instructions

// Made once for a program, when a checked launch needs it.
const EffectsTable &effects_of(const Program &program);

inline bool is_memory(Kind kind) { return kind >= Kind::scalar_load && kind <= Kind::lds_atomic; }
inline bool is_write(Kind kind) { return kind == Kind::vector_store || kind == Kind::lds_write; }
inline bool is_atomic(Kind kind) { return kind == Kind::vector_atomic || kind == Kind::lds_atomic; }

} // namespace flysim
