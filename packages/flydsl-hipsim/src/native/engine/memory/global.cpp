// Flat, global and scratch instructions.
#include "engine/core/module.h"
#include "vector_memory.h"

#include <deque>

namespace flysim {

std::vector<Opcode> prefixed(const std::string &prefix, const Names &names) {
  static std::deque<std::string> kept; // opcodes hold pointers to their names
  std::vector<Opcode> made;
  const auto add = [&](const char *name, Handler run) {
    kept.push_back(prefix + name);
    made.push_back({kept.back().c_str(), run, "*"});
  };
  for (const auto &[gfx9, later, run] : names) {
    if (gfx9) add(gfx9, run);
    if (later && !(gfx9 && !std::strcmp(gfx9, later))) add(later, run);
  }
  return made;
}

namespace {

// Global and flat: a 64-bit address in VGPRs, or a base in SGPRs and a 32-bit offset in a VGPR.
struct GlobalSpace {
  static constexpr bool checks_words = false, in_place = false;
  static constexpr int store_address = 0, store_data = 1;
  static bool returns(const FlySimRecord &r) {
    return r.flags & (FLYSIM_SC0 | FLYSIM_GLC) && r.operand_count > 2 && r.operands[0].kind == FLYSIM_VGPR &&
        has_result(r);
  }
  // With a result: result, address, data, and for global a base; without: address, data, and for global a base.
  static bool has_result(const FlySimRecord &r) {
    const FlySimOperand &last = r.operands[r.operand_count - 1];
    const bool with_base = last.kind == FLYSIM_OFF || last.kind == FLYSIM_SGPR;
    return r.operand_count - with_base == 3;
  }

  GlobalSpace(Wave &w, const FlySimRecord &r, int first) {
    const FlySimOperand &vector = r.operands[first], &last = r.operands[r.operand_count - 1];
    const uint32_t *low = w.row(vector.index);
    if (last.kind == FLYSIM_SGPR && r.operand_count > first + 1) {
      const uint64_t base = scalar_pair(w, last) + int64_t(r.offset);
      const bool is_signed = w.group->program->gfx1250;
      for (int l = 0; l < kLanes; ++l)
        address[l] = base + ((is_signed ? uint64_t(int64_t(int32_t(low[l]))) : low[l]) << r.abid);
      return;
    }
    const int64_t offset = r.offset;
    for (int l = 0; l < kLanes; ++l) address[l] = (low[l] | uint64_t(low[l + kLanes]) << 32) + offset;
  }
  uint8_t *place(Wave &w, int lane, uint32_t bytes, Access access, uint32_t at) const {
    return global_at(w, address[lane] + at, bytes, lane, access);
  }
  static uint8_t *run(Wave &w, const FlySimRecord &r, int first, uint32_t bytes, Access access) {
    const FlySimOperand &vector = r.operands[first], &last = r.operands[r.operand_count - 1];
    const uint32_t *low = w.row(vector.index), *high = low + kLanes;
    const int lanes = w.lanes;
    if (r.abid || !is_run(low, bytes, lanes)) return nullptr;
    const uint64_t size = uint64_t(bytes) * lanes;
    if (last.kind == FLYSIM_SGPR && r.operand_count > first + 1) { // where a sign may begin
      if (low[0] + size > 1ull << 31) return nullptr;
      return unnoted_at(w, scalar_pair(w, last) + int64_t(r.offset) + low[0], size, access);
    }
    if (low[0] + size > 1ull << 32 || !is_run(high, 0, lanes)) return nullptr;
    return unnoted_at(w, (low[0] | uint64_t(high[0]) << 32) + int64_t(r.offset), size, access);
  }
  bool inside(Wave &w, uint32_t bytes, Access access) const {
    return unnoted_at_all(w, address, w.lanes, bytes, access);
  }
  uint8_t *at(int lane) const { return reinterpret_cast<uint8_t *>(address[lane]); }
  alignas(64) uint64_t address[kLanes];
};

// Scratch: an offset in a VGPR, one in an SGPR, both or none.
struct ScratchSpace {
  static constexpr bool checks_words = false, in_place = false;
  static constexpr int store_address = 0, store_data = 1;
  static bool returns(const FlySimRecord &) { return false; }

  ScratchSpace(Wave &w, const FlySimRecord &r, int first) {
    const FlySimOperand &vector = r.operands[first], &last = r.operands[r.operand_count - 1];
    const uint32_t base = uint32_t(r.offset) + (r.operand_count > first + 1 ? scalar_operand(w, last) : 0);
    const uint32_t *low = vector.kind == FLYSIM_VGPR ? w.row(vector.index) : nullptr;
    for (int l = 0; l < kLanes; ++l) offset[l] = base + (low ? low[l] << r.abid : 0);
  }
  uint8_t *place(Wave &w, int lane, uint32_t bytes, Access, uint32_t at) const {
    return scratch_at(w, offset[lane] + at, bytes, lane);
  }
  uint32_t offset[kLanes];
};

// From memory to LDS: M0 has the place of lane 0's data, which are consecutive.
template <class Space, int Bytes, bool Sign = false> void load_to_lds(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const Space space(w, r, 0);
  const uint32_t base = w.s[kM0] + uint32_t(r.offset);
  constexpr uint32_t step = Bytes < 4 ? 4 : Bytes;
  each_lane(w.exec(), [&](int l) {
    const uint8_t *from = space.place(w, l, Bytes, Access::read, 0);
    uint32_t words[4] = {};
    std::memcpy(words, from, Bytes);
    if (Sign) words[0] = uint32_t(int32_t(words[0] << (32 - 8 * Bytes)) >> (32 - 8 * Bytes));
    std::memcpy(lds_at(w, base + step * l, step, l), words, step);
  });
}

const Registration global_transfers(prefixed("global_", transfer_names<GlobalSpace>()));
const Registration flat_transfers(prefixed("flat_", transfer_names<GlobalSpace>()));
const Registration scratch_transfers(prefixed("scratch_", transfer_names<ScratchSpace>()));
const Registration global_atomics(prefixed("global_atomic_", atomic_names<GlobalSpace>()));
const Registration flat_atomics(prefixed("flat_atomic_", atomic_names<GlobalSpace>()));
template <class S> Names to_lds_names() {
  return {{"dword", nullptr, load_to_lds<S, 4>},       {"dwordx3", nullptr, load_to_lds<S, 12>},
          {"dwordx4", nullptr, load_to_lds<S, 16>},    {"ubyte", nullptr, load_to_lds<S, 1>},
          {"ushort", nullptr, load_to_lds<S, 2>},      {"sbyte", nullptr, load_to_lds<S, 1, true>},
          {"sshort", nullptr, load_to_lds<S, 2, true>}};
}
const Registration global_to_lds(prefixed("global_load_lds_", to_lds_names<GlobalSpace>()));
const Registration scratch_to_lds(prefixed("scratch_load_lds_", to_lds_names<ScratchSpace>()));

} // namespace

void global_addresses(Wave &w, const FlySimRecord &r, int first, uint64_t *to) {
  const GlobalSpace space(w, r, first);
  std::memcpy(to, space.address, sizeof space.address);
}

} // namespace flysim
