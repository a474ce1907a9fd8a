// Shadows of the registers of all waves: begun, moved with the instructions, and looked at where they decide something.
#include "undefined.h"

#include "engine/core/access.h"
#include "engine/vector/lanes.h"
#include "place.h"

#include <algorithm>
#include <bit>

namespace flysim {
namespace {

alignas(64) const uint32_t kNothing[4 * kLanes] = {};

bool is_exec(unsigned index) { return index == unsigned(kExec) || index == unsigned(kExec) + 1; }
bool is_wide(uint8_t type) { return type == 'd' || type == 'q' || type == 'P'; }
bool is_half(uint8_t type) { return type == 'h' || type == 'w' || type == 'b'; }
bool is_pair_of_halves(uint8_t type) { return type == 'p' || type == 'i'; }

// Bit l: lane l of a row has undefined bits.
uint64_t lanes_with_bits(const uint32_t *row) { return pack_bits(row, kLanes); }

const uint32_t *shadow_source(Wave &shadow, const Inst &inst, int k) {
  const Source &s = inst.src[k];
  if (s.kind == Source::none || s.kind == Source::constant ||
      (s.kind == Source::sgpr && (is_exec(s.index) || s.index >= FLYSIM_SHARED_BASE)))
    return kNothing;
  return fetch(shadow, inst, k);
}

// All bits of a result when any bit of a source is undefined; halves and pairs each for themselves.
void spread(const Inst &inst, const uint32_t *const *u, uint32_t *out) {
  const bool by_half = is_pair_of_halves(inst.result), by_word = inst.result == 'P';
  for (int l = 0; l < kLanes; ++l) {
    uint32_t low = 0, high = 0;
    for (int k = 0; k < kSources && inst.src[k].kind != Source::none; ++k) {
      const uint8_t type = inst.src[k].type;
      uint32_t a = u[k][l], b = is_wide(type) ? u[k][l + kLanes] : 0;
      if (is_half(type)) a &= 0xffff;
      if (by_half && is_pair_of_halves(type)) {
        b = a >> 16;
        a &= 0xffff;
      } else if (!(by_word && type == 'P')) a = b = a | b;
      low |= a;
      high |= b;
    }
    if (!by_half && !by_word) low = high = low | high;
    if (by_half) out[l] = (low ? 0xffff : 0) | (high ? 0xffff0000u : 0);
    else out[l] = low ? (is_half(inst.result) ? 0xffff : ~0u) : 0;
    out[l + kLanes] = high ? ~0u : 0;
  }
}

// Bits that a table of three inputs' bits can make 0 as well as 1.
void through_table(uint32_t table, const uint32_t *const *u, const uint32_t *const *x, uint32_t *out) {
  for (int l = 0; l < kLanes; ++l) {
    uint32_t can_be[2] = {};
    for (int k = 0; k < 8; ++k) {
      uint32_t possible = ~0u;
      for (int input = 0; input < 3; ++input)
        possible &= (k >> (2 - input) & 1 ? x[input][l] : ~x[input][l]) | u[input][l];
      can_be[table >> k & 1] |= possible;
    }
    out[l] = can_be[0] & can_be[1];
  }
}

} // namespace

void Undefined::reset(size_t wave, const Wave &w) {
  while (states.size() <= wave) states.push_back(std::make_unique<State>());
  State &s = *states[wave];
  std::fill_n(s.rows.get(), size_t(kRows) * kLanes, ~0u);
  std::fill_n(s.rows.get(), kLanes, 0u); // v0: packed thread indices
  s.scratch.assign(size_t(w.scratch_size) * kLanes + 64, 0xff);
  std::fill(std::begin(s.origin), std::end(s.origin), nullptr);
  s.scc = true;
  static_cast<WaveState &>(s.wave) = WaveState{};
  s.wave.v = s.rows.get();
  s.wave.lanes = w.lanes;
  s.wave.gfx9 = w.gfx9;
  s.wave.group = w.group;
  const unsigned given = desc.user_sgprs + unsigned(std::popcount(desc.sgpr_bits & 31));
  for (unsigned k = given; k < unsigned(kExec); ++k) s.wave.s[k] = ~0u;
  for (unsigned k = 108; k < 124; ++k) s.wave.s[k] = 0; // ttmp
  for (unsigned k = 102; k < 106; ++k) s.wave.s[k] = 0; // flat_scratch, xnack_mask
}

void Undefined::fail(const State &s, const char *what, const Registers &from, int lane) const {
  std::string text = std::string("an undefined value ") + what;
  if (from.count) {
    const Inst *origin = s.origin[from.scalar ? kRows + from.first : from.first];
    text += ", from " + register_name(program, from.scalar, from.first);
    text += origin ? "; read from LDS that nothing was written to at " + describe_place(program, *origin)
                   : ": nothing was written to it, or to what it is made of";
  }
  Fault fault(text);
  fault.lane = lane;
  throw fault;
}

void Undefined::define(State &s, const Registers &registers, uint64_t lanes) {
  for (unsigned k = registers.first; k < unsigned(registers.first) + registers.count; ++k) {
    if (registers.scalar) {
      if (!is_exec(k)) s.wave.s[k] = 0;
      continue;
    }
    uint32_t *row = s.wave.row(k);
    for (int l = 0; l < kLanes; ++l)
      if (lanes >> l & 1) row[l] = 0;
  }
}

void Undefined::copy(Wave &w, uint16_t from, uint16_t to) {
  for (Wave *one : {&w, &states[w.index]->wave}) std::memcpy(one->row(to), one->row(from), kLanes * 4);
}

// Where the undefined bits of a result come from: the first source that has an origin.
void Undefined::note_origin(State &s, const Effects &e) {
  const Inst *origin = nullptr;
  for (const Registers &from : e.reads)
    for (unsigned k = from.first; !origin && k < unsigned(from.first) + from.count; ++k)
      origin = s.origin[from.scalar ? kRows + k : k];
  for (const Registers &to : e.writes)
    for (unsigned k = to.first; k < unsigned(to.first) + to.count; ++k) s.origin[to.scalar ? kRows + k : k] = origin;
}

void Undefined::before(Wave &w, const Inst &inst, const Effects &e) {
  State &s = *states[w.index];
  s.wave.set_pair(kExec, w.exec());
  if (e.kind == Kind::lds_read && !e.addresses.empty())
    std::memcpy(addresses, w.row(e.addresses[0].first), sizeof addresses);
  if (is_memory(e.kind)) return check_addresses(w, s, e);
  switch (e.kind) {
  case Kind::vector: vector(w, s, inst, e); break;
  case Kind::matrix: matrix(s, e); break;
  case Kind::crossbar: crossbar(w, s, inst, e); break;
  case Kind::scalar: scalar(w, s, inst, e); break;
  case Kind::branch: branch(w, s, e); break;
  default: return;
  }
  note_origin(s, e);
}

void Undefined::vector(Wave &w, State &s, const Inst &inst, const Effects &e) {
  Wave &shadow = s.wave;
  const Inst &made = e.shadow;
  if (e.name == "v_swap_b32" || e.name.starts_with("v_permlane") || inst.src[0].kind == Source::none) {
    const bool moves = inst.src[0].kind == Source::vgpr && (e.name == "v_swap_b32" || e.name.ends_with("_swap_b32"));
    if (moves) return made.run(shadow, made);
    for (const Registers &to : e.writes) define(s, to, w.exec());
    return;
  }
  if (e.name == "v_readlane_b32" || e.name == "v_readfirstlane_b32") {
    const bool first = e.name == "v_readfirstlane_b32";
    const uint64_t active = w.exec();
    const Source &which = inst.src[1];
    const unsigned lane = first      ? (active ? unsigned(std::countr_zero(active)) : 0)
        : which.kind == Source::sgpr ? w.s[which.index]
                                     : unsigned(which.value);
    const Source &from = inst.src[0];
    shadow.s[inst.dst] = from.kind == Source::vgpr ? shadow.row(from.index)[lane & (w.lanes - 1u)]
        : from.kind == Source::sgpr                ? shadow.s[from.index]
                                                   : 0;
    return;
  }
  if (e.name == "v_writelane_b32") {
    const Source &which = inst.src[1], &from = inst.src[0];
    const unsigned lane = which.kind == Source::sgpr ? w.s[which.index] : unsigned(which.value);
    shadow.row(inst.dst)[lane & (w.lanes - 1u)] =
        from.kind == Source::sgpr && !is_exec(from.index) ? shadow.s[from.index] : 0;
    return;
  }
  const uint32_t *u[kSources], *x[kSources];
  const VectorRule rule = vector_rule(e.name);
  const bool by_table = e.name.find("bitop") != e.name.npos;
  for (int k = 0; k < kSources; ++k) {
    const bool used = made.src[k].kind != Source::none;
    u[k] = shadow_source(shadow, made, k);
    x[k] = used && (rule || by_table) && k < 3 ? fetch(w, inst, k) : kNothing;
  }
  const Source &a = made.src[0], &b = made.src[1];
  const bool cancels = (e.name == "v_xor_b32" || e.name == "v_sub_u32") && a.kind == Source::vgpr &&
      b.kind == Source::vgpr && a.index == b.index;
  alignas(64) uint32_t any[2 * kLanes];
  spread(made, u, any);
  if (cancels) std::fill_n(any, kLanes, 0u);
  const bool mask_only = e.name.starts_with("v_cmp");
  if (!mask_only) {
    if (rule && !cancels) rule(shadow.out, u, x);
    else if (by_table) through_table(e.record.dpp_control, u, x, shadow.out);
    else std::copy_n(any, 2 * kLanes, shadow.out);
    if ((rule || by_table) && is_half(made.result))
      for (int l = 0; l < kLanes; ++l) shadow.out[l] &= 0xffff;
    if (made.result == 'm' || inst.dst_kind != FLYSIM_VGPR) return;
    finish(shadow, made, is_wide(made.result) ? 2 : 1);
  }
  const bool has_mask = mask_only || (e.writes.size() > 1 && e.writes[1].scalar);
  if (!has_mask) return;
  const uint64_t bits =
      (lanes_with_bits(any) | (is_wide(made.result) ? lanes_with_bits(any + kLanes) : 0)) & active_lanes(shadow, made);
  if (e.name.starts_with("v_cmpx") || (mask_only && is_exec(inst.sdst))) {
    if (bits)
      fail(s, "decides which lanes are active", e.reads.empty() ? Registers{} : e.reads[0], std::countr_zero(bits));
    if (!w.gfx9) return;
  }
  if (!is_exec(inst.sdst)) shadow.set_lane_mask(inst.sdst, bits);
  if (inst.sdst == kNull) shadow.set_pair(kNull, 0);
}

// ds_bpermute and its like: the lane's number from the values, the data from the shadows.
void Undefined::crossbar(Wave &w, State &s, const Inst &inst, const Effects &e) {
  Wave &shadow = s.wave;
  const uint64_t active = w.exec();
  if (e.name == "ds_swizzle_b32") return e.shadow.run(shadow, e.shadow);
  const uint32_t *number = fetch(w, inst, 0), *data = shadow_source(shadow, e.shadow, 1),
                 *unknown = shadow_source(shadow, e.shadow, 0);
  const bool pulls = e.name.starts_with("ds_bpermute");
  for (int l = 0; l < w.lanes; ++l) shadow.out[l] = 0;
  for (int l = 0; l < w.lanes; ++l) {
    if (!(active >> l & 1)) continue;
    const unsigned other = crossbar_lane(w, inst, number[l], l);
    if (pulls) shadow.out[l] = unknown[l] ? ~0u : active >> other & 1 ? data[other] : 0;
    else shadow.out[other] = unknown[l] ? ~0u : data[l];
  }
  finish(shadow, e.shadow, 1);
}

} // namespace flysim
