// The state of one wave and its workgroup, and the decoded instruction that handlers work on.
#pragma once
#include "include/flysim.h"
#include "memory.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace flysim {

constexpr int kLanes = 64;      // rows always have this many words; wave32 uses the first half
constexpr int kSpareRow = 1024,
              kRows = 1040; // v0..v255, a0..a255, v256..v767; gfx1250: v0..v1023; then those of dual instructions
constexpr int kSources = 6;
constexpr int kSgprs = 152;     // as encoded, then those of FlySimSpecial
constexpr int kVcc = 106, kM0 = 124, kExec = 126, kNull = FLYSIM_NULL;
constexpr uint64_t kSharedBase = 0x0001000000000000ull, kPrivateBase = 0x0002000000000000ull;
constexpr uint64_t kApertureSize = 1ull << 32, kLaneMask = (1ull << 52) - 1;

// Rows copied by vectors: a `memcpy` of 256 bytes becomes a string instruction, which takes as long as ten of ours.
template <int Words> inline void copy_words(uint32_t *to, const uint32_t *from) {
  using Part [[gnu::vector_size(64)]] = uint32_t;
  static_assert(Words * 4 % sizeof(Part) == 0);
#pragma GCC unroll 16
  for (int k = 0; k < Words; k += int(sizeof(Part) / 4)) {
    Part part;
    std::memcpy(&part, from + k, sizeof part);
    std::memcpy(to + k, &part, sizeof part);
  }
}

// Bit l of a mask to word l: `set` or 0. Halves of 32 bits, as vectors shift them best.
inline void spread_bits(uint32_t *to, uint64_t mask, uint32_t set) {
  for (int first = 0; first < kLanes; first += 32) {
    const uint32_t half = uint32_t(mask >> first);
    for (int l = 0; l < 32; ++l) to[first + l] = (half >> l & 1) * set;
  }
}

struct Wave;
struct Inst;
using Handler = void (*)(Wave &, const Inst &);

// How a source is read: letters of a signature.
//   f 32 bits   h 16 bits, float   w 16 bits, int   d 64-bit float   q 64-bit int   p two halves   P two floats
//   x float or half, by op_sel_hi   m a lane mask, one word a lane   r any number of registers, read by the handler
struct Source {
  enum Kind : uint8_t { none, vgpr, constant, sgpr };
  uint8_t kind = none;
  uint8_t type = 'f';
  uint8_t mods = 0; // FlySimOperandMods; for p, P and x: sources that are not in their default form have FLYSIM_NEG
  bool plain = true; // a row that can be used as it is
  uint16_t index = 0; // register
  uint8_t count = 1;
  uint8_t slot = 0; // which source of the record: its bit in op_sel
  const uint32_t *row = nullptr; // of a constant
  uint64_t value = 0; // of a constant, for scalar handlers
};

struct Inst {
  Handler run = nullptr;
  const FlySimRecord *record = nullptr;
  uint16_t dst = 0; // VGPR row or SGPR of the first destination
  uint16_t sdst = 0; // SGPR of the second one, or of a mask
  uint8_t dst_kind = 0; // FlySimOperandKind
  uint8_t result = 'f'; // letter of the destination
  bool simple = true; // no clamp, omod, DPP, SDWA, half-word destination
  bool keep_high = false; // 16-bit results leave the upper half alone
  uint32_t flags = 0;
  int32_t offset = 0;
  const Inst *target = nullptr; // of a branch
  Source src[kSources];
};

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
  int lane = -1;
  bool trapped = false; // the kernel asked for it
};

struct Program; // module.h
struct Trace; // trace.h

// Of gfx12: waves join it; a phase ends when as many signals have come as it has members.
struct NamedBarrier { uint32_t members = 0, signals = 0, phase = 0; };
constexpr int kNamedBarriers = 16;

// Workgroups that run together; a workgroup on its own is the only one of its cluster.
struct Cluster {
  uint32_t size[3] = {1, 1, 1};
  uint32_t members = 1, signals = 0, phase = 0; // of its barrier, at which each workgroup signals once
  std::vector<uint64_t> groups; // their numbers
};

struct Workgroup {
  const Program *program = nullptr;
  uint8_t *lds = nullptr;
  uint32_t lds_size = 0;
  uint32_t id[3] = {};
  uint32_t waves = 0;
  std::shared_ptr<const Ranges> ranges;
  const Ranges *arrays = nullptr; // of the host, that this launch may touch
  NamedBarrier named[kNamedBarriers];
  uint32_t signals = 0; // of the workgroup's own barrier, since it was last passed
  Cluster *cluster = nullptr;
  uint32_t place[3] = {}; // in its cluster
  Range extra[3]; // arguments, dispatch packet and grid barrier of the launch
  Range host[2]; // calls of the host and what is printed: checks do not look there
};

enum class Status : uint8_t { running, barrier, named, yielded, ended };

// What a wave begins with afresh.
struct WaveState {
  const Inst *next = nullptr;
  uint32_t *v = nullptr; // rows of kLanes words
  Status status = Status::running;
  uint8_t lanes = 64;
  uint8_t crossbar = 64; // lanes among which ds_bpermute moves values: those of half a wave on gfx11
  bool gfx9 = true;
  bool fnuz = false; // 8-bit floats are those of gfx940 to gfx942
  uint32_t bank_offset = 0; // of register_banks.h, in instructions
  uint32_t scc = 0;
  uint32_t mode = 0;
  uint32_t index = 0; // in its workgroup
  uint64_t count = 0; // instructions
  uint64_t mask_key = ~0ull;
  uint64_t dpp_mask = ~0ull;
  Range cached; // the allocation of the last access
  Workgroup *group = nullptr;
  uint8_t *scratch = nullptr; // of lane 0
  uint32_t scratch_size = 0; // of a lane
  bool waits_for_cluster = false; // when its status is `named`; else for the barrier that it has joined
  uint8_t joined = 0;
  uint32_t seen_phase = 0, seen_cluster_phase = 0;
  Trace *trace = nullptr; // of a checked launch: what an instruction touches is noted there
  alignas(64) uint32_t s[kSgprs] = {};

  uint64_t pair(unsigned index) const {
    uint64_t value;
    std::memcpy(&value, s + index, 8);
    return value;
  }
  void set_pair(unsigned index, uint64_t value) { std::memcpy(s + index, &value, 8); }
  uint64_t full() const { return lanes == 64 ? ~0ull : 0xffffffffull; }
};

struct Wave : WaveState {
  // Space of handlers, never cleared.
  alignas(64) uint32_t mask[kLanes]; // of exec, one word a lane, valid when mask_key is exec
  alignas(64) uint32_t temp[kSources][2 * kLanes];
  alignas(64) uint32_t out[4 * kLanes];

  // Whether what a wave that waits at a named barrier waits for has come; then it runs on.
  bool passes_named_barrier();
  uint32_t *row(unsigned index) { return v + index * kLanes; }
  uint64_t exec() const { return lanes == 64 ? pair(kExec) : s[kExec]; } // a wave of 32 has no lanes for the upper word
  // A lane mask in SGPRs: two words in wave64, one in wave32.
  uint64_t lane_mask(unsigned index) const { return lanes == 64 ? pair(index) : s[index]; }
  void set_lane_mask(unsigned index, uint64_t value) {
    if (lanes == 64) set_pair(index, value);
    else s[index] = static_cast<uint32_t>(value);
  }
  const uint32_t *exec_words() {
    const uint64_t active = exec();
    if (mask_key != active) {
      spread_bits(mask, active, ~0u);
      mask_key = active;
    }
    return mask;
  }
};

} // namespace flysim
