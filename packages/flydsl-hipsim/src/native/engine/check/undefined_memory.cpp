// Undefined bits between registers and memory: addresses, loads, stores and atomics.
#include "undefined.h"

#include "engine/core/access.h"

#include <algorithm>

namespace flysim {
namespace {

bool any_bit(const uint32_t *row, uint64_t lanes, int &lane) {
  for (lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) && row[lane]) return true;
  return false;
}

// Rows of the registers that a store or atomic takes its bytes from, in order.
std::vector<unsigned> data_rows(const Effects &e) {
  std::vector<unsigned> rows;
  for (const Registers &data : e.data)
    for (unsigned k = 0; k < data.count; ++k) rows.push_back(data.first + k);
  return rows;
}

bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }
bool is_high(std::string_view name) { return has(name, "d16_hi"); }

} // namespace

void Undefined::check_addresses(const Wave &w, State &s, const Effects &e) const {
  for (const Registers &address : e.addresses)
    for (uint16_t k = 0; k < address.count; ++k) {
      const Registers one{address.scalar, uint16_t(address.first + k), 1};
      int lane = -1;
      if (address.scalar ? one.first < FLYSIM_SHARED_BASE && !(one.first >= kExec) && s.wave.s[one.first] != 0
                         : any_bit(s.wave.row(one.first), w.exec(), lane))
        fail(s, "is part of an address", one, lane);
    }
}

uint8_t *Undefined::shadow_of(State &s, const Touch &touch) {
  if (touch.space == Space::lds) return lds.data() + touch.address;
  return s.scratch.data() + uint64_t(touch.lane) * s.wave.scratch_size + touch.address;
}

void Undefined::after(Wave &w, const Inst &inst, const Effects &e, const Trace &trace) {
  State &s = *states[w.index];
  s.wave.scratch_size = w.scratch_size;
  switch (e.kind) {
  case Kind::scalar_load:
    for (const Registers &to : e.writes) {
      define(s, to, 0);
      if (!e.name.starts_with("s_load_") || trace.touches.size() != 1) continue;
      for (unsigned k = (trace.touches[0].size + 3) / 4; k < to.count; ++k) // words behind the end of an allocation
        s.wave.s[to.first + k] = ~0u;
    }
    return;
  case Kind::load_to_lds:
    for (const Touch &touch : trace.touches)
      if (touch.space == Space::lds) std::memset(shadow_of(s, touch), 0, touch.size);
    return;
  case Kind::vector_load:
  case Kind::lds_read: return load(w, s, inst, e, trace);
  case Kind::vector_store:
  case Kind::lds_write: return e.reads_local ? store_local(s, trace) : store(s, e, trace);
  default: break;
  }
  store(s, e, trace);
  for (const Registers &to : e.writes) define(s, to, w.exec());
}

// A copy from LDS to memory: what nothing was written to may not go there.
void Undefined::store_local(State &s, const Trace &trace) {
  for (const Touch &touch : trace.touches) {
    if (touch.space != Space::lds) continue;
    const uint8_t *from = shadow_of(s, touch);
    if (std::any_of(from, from + touch.size, [](uint8_t bits) { return bits != 0; }))
      fail(s, "of LDS is stored to memory", {}, touch.lane);
  }
}

// What is loaded is defined unless it comes from LDS or scratch whose bytes are not.
void Undefined::load(Wave &w, State &s, const Inst &inst, const Effects &e, const Trace &trace) {
  if (e.writes.empty()) return;
  if (has(e.name, "_tr_") || has(e.name, "_tr4") || has(e.name, "_tr6") || has(e.name, "_tr8") || has(e.name, "_tr16"))
    return load_transposed(w, s, e);
  const Registers &to = e.writes[0];
  const bool keeps = has(e.name, "d16"), high = is_high(e.name);
  const bool is_signed = has(e.name, "_i8") || has(e.name, "_i16") || has(e.name, "_sbyte") || has(e.name, "_sshort");
  const uint64_t active = w.exec();
  for (unsigned k = 0; k < to.count; ++k) {
    uint32_t *row = s.wave.row(to.first + k);
    for (int l = 0; l < kLanes; ++l)
      if (active >> l & 1) row[l] = keeps ? row[l] & (high ? 0xffffu : 0xffff0000u) : 0;
  }
  uint32_t filled[kLanes] = {}; // bytes of a lane so far
  bool found = false;
  for (const Touch &touch : trace.touches) {
    if (touch.lane < 0 || touch.space == Space::global) continue;
    const uint8_t *from = shadow_of(s, touch);
    if (touch.size < 4) {
      uint32_t bits = 0;
      std::memcpy(&bits, from, touch.size);
      found |= bits != 0;
      if (bits && is_signed) bits = keeps ? 0xffffu : ~0u;
      s.wave.row(to.first)[touch.lane] |= keeps && high ? bits << 16 : bits;
      continue;
    }
    for (uint32_t k = 0; k < touch.size; k += 4) {
      uint32_t bits;
      std::memcpy(&bits, from + k, 4);
      found |= bits != 0;
      const unsigned word = (filled[touch.lane] + k) / 4;
      if (word < to.count) s.wave.row(to.first + word)[touch.lane] = bits;
    }
    filled[touch.lane] += touch.size;
  }
  for (unsigned k = 0; k < to.count; ++k) s.origin[to.first + k] = found && e.kind == Kind::lds_read ? &inst : nullptr;
}

// The handler itself, on shadows of memory and with the addresses as they are.
void Undefined::load_transposed(Wave &w, State &s, const Effects &e) {
  const Registers &to = e.writes[0];
  if (e.kind != Kind::lds_read || e.addresses.empty()) return define(s, to, w.exec());
  Workgroup group = *w.group;
  group.lds = lds.data();
  s.wave.group = &group;
  s.wave.trace = nullptr;
  const unsigned address = e.addresses[0].first;
  uint32_t kept[kLanes];
  std::memcpy(kept, s.wave.row(address), sizeof kept);
  // The destination may hold the address: it is read first.
  std::memcpy(s.wave.row(address), addresses, sizeof kept);
  e.shadow.run(s.wave, e.shadow);
  if (address < to.first || address >= unsigned(to.first) + to.count)
    std::memcpy(s.wave.row(address), kept, sizeof kept);
  s.wave.group = w.group;
}

// To global memory nothing undefined may go; LDS and scratch remember it.
void Undefined::store(State &s, const Effects &e, const Trace &trace) {
  const std::vector<unsigned> rows = data_rows(e);
  const bool high = is_high(e.name), atomic = is_atomic(e.kind);
  uint32_t filled[kLanes] = {};
  for (const Touch &touch : trace.touches) {
    if (touch.lane < 0) continue;
    for (uint32_t k = 0; k < touch.size; k += 4) {
      const size_t word = (filled[touch.lane] + k) / 4;
      if (word >= rows.size()) break;
      uint32_t bits = s.wave.row(rows[word])[touch.lane];
      const uint32_t size = std::min(4u, touch.size - k);
      if (high) bits >>= 16;
      if (size < 4) bits &= (1u << 8 * size) - 1;
      if (touch.space == Space::global) {
        if (bits) fail(s, "is stored to memory", {false, uint16_t(rows[word]), 1}, touch.lane);
        continue;
      }
      uint8_t *to = shadow_of(s, touch) + k;
      if (atomic) bits = bits ? ~0u : 0;
      if (atomic)
        for (uint32_t b = 0; b < size; ++b) to[b] |= uint8_t(bits);
      else std::memcpy(to, &bits, size);
    }
    filled[touch.lane] += std::max(4u, touch.size);
  }
}

} // namespace flysim
