// Undefined bits in SGPRs, scc and masks of lanes: scalar arithmetic and branches.
#include "undefined.h"

namespace flysim {
namespace {

bool starts(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes)
    if (name.starts_with(prefix)) return true;
  return false;
}

bool is_exec(unsigned index) { return index == unsigned(kExec) || index == unsigned(kExec) + 1; }

bool sets_scc(std::string_view name) {
  return !starts(name, {"s_mul",  "s_mov",    "s_cmov",         "s_cselect", "s_pack",   "s_bfm",
                        "s_brev", "s_ff",     "s_clz",          "s_ctz",     "s_cls",    "s_flbit",
                        "s_sext", "s_bitset", "s_add_u64",      "s_sub_u64", "s_add_nc", "s_sub_nc",
                        "s_get",  "s_set",    "s_bitreplicate", "s_round",   "s_denorm", "s_fma",
                        "s_cvt",  "s_rndne",  "s_trunc",        "s_floor",   "s_ceil"}) &&
      !(starts(name, {"s_add_f", "s_sub_f", "s_min_f", "s_max_f", "s_min_num", "s_max_num", "s_minimum", "s_maximum"}));
}

ScalarValue read(const Wave &w, const Wave &shadow, const Source &s) {
  const bool wide = s.type == 'q' || s.type == 'd';
  if (s.kind != Source::sgpr) return {s.kind == Source::constant ? s.value : 0, 0};
  const bool known = is_exec(s.index) || s.index >= FLYSIM_SHARED_BASE;
  if (!wide) return {w.s[s.index], known ? 0 : shadow.s[s.index]};
  return {w.pair(s.index), known ? 0 : shadow.pair(s.index)};
}

} // namespace

void Undefined::set_scalar(Wave &w, State &s, const Inst &inst, const Effects &e, uint64_t undefined, unsigned words) {
  if (inst.dst_kind != FLYSIM_SGPR || inst.dst == kNull) return;
  if (is_exec(inst.dst)) {
    const uint64_t active = words == 2 ? undefined & w.full() : uint32_t(undefined);
    if (active)
      fail(s, "decides which lanes are active", e.reads.empty() ? Registers{} : e.reads[0], __builtin_ctzll(active));
    return;
  }
  if (words == 2) s.wave.set_pair(inst.dst, undefined);
  else s.wave.s[inst.dst] = uint32_t(undefined);
}

void Undefined::scalar(Wave &w, State &s, const Inst &inst, const Effects &e) {
  const unsigned words = inst.result == 'S' ? 2 : 1;
  const uint64_t all = words == 2 ? ~0ull : 0xffffffffull;
  if (inst.src[0].kind == Source::none) {
    for (const Registers &to : e.writes) define(s, to, 0);
    return;
  }
  ScalarValue a = read(w, s.wave, inst.src[0]), b{}, made{};
  if (inst.src[1].kind != Source::none) b = read(w, s.wave, inst.src[1]);
  const bool saves = e.name.find("_saveexec") != e.name.npos, replaces = e.name.find("_wrexec") != e.name.npos;
  const bool wide = inst.src[0].type == 'q';
  if (saves || replaces) b = {wide ? w.exec() : w.s[kExec], 0};
  const bool reads_scc = starts(e.name, {"s_addc", "s_subb", "s_cselect", "s_cmov", "s_add_co_ci", "s_sub_co_ci"});
  uint64_t any = a.undefined | b.undefined;
  const bool exact = scalar_rule(e.name, a, b, wide, made);
  bool scc = any;
  if (exact) {
    made.undefined &= all;
    made.value &= all;
    scc = made.undefined && !(made.value & ~made.undefined);
  } else if (starts(e.name, {"s_add_", "s_sub_", "s_lshl1", "s_lshl2", "s_lshl3", "s_lshl4"}) && made.undefined) {
    made.undefined &= all;
  } else if (starts(e.name, {"s_cselect"})) {
    made.undefined = !s.scc ? (w.scc ? a.undefined : b.undefined) : all;
  } else {
    if (starts(e.name, {"s_cmov", "s_addk", "s_mulk", "s_bitset"}) && inst.dst_kind == FLYSIM_SGPR) {
      const uint64_t old = words == 2 ? s.wave.pair(inst.dst) : s.wave.s[inst.dst];
      if (e.name.starts_with("s_cmov") && !s.scc) any = w.scc ? a.undefined : old;
      else any |= old;
    }
    made.undefined = any || (reads_scc && s.scc) ? all : 0;
  }
  if (saves || replaces) {
    if (made.undefined)
      fail(s, "decides which lanes are active", e.reads.empty() ? Registers{} : e.reads[0],
           __builtin_ctzll(made.undefined));
    set_scalar(w, s, inst, e, 0, words);
  } else if (!e.writes.empty()) set_scalar(w, s, inst, e, made.undefined, words);
  if (sets_scc(e.name)) s.scc = scc || (reads_scc && s.scc);
}

void Undefined::branch(const Wave &w, State &s, const Effects &e) {
  const auto has = [&](std::string_view part) { return e.name.find(part) != e.name.npos; };
  if (has("scc") && s.scc) fail(s, "decides a branch: scc, the result of the comparison before", {}, -1);
  if (has("vcc")) {
    const uint64_t undefined = s.wave.lane_mask(kVcc) & w.full(), known = w.lane_mask(kVcc) & ~undefined;
    if (undefined && !known) fail(s, "decides a branch", {true, kVcc, 2}, __builtin_ctzll(undefined));
  }
  if (has("setpc") || has("swappc"))
    for (const Registers &from : e.reads)
      if (from.scalar && s.wave.pair(from.first)) fail(s, "is jumped to", from, -1);
  for (const Registers &to : e.writes) define(s, to, 0);
}

} // namespace flysim
