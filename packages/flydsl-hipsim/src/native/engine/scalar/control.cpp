// Control flow, barriers, waits and hardware registers.
#include "engine/core/module.h"
#include "engine/core/vgpr_banks.h"
#include "engine/vector/float_mode.h"
#include "scalar.h"

#include <algorithm>

namespace flysim {
namespace {

uint64_t address_of(const Wave &w, const Inst *inst) {
  return reinterpret_cast<uint64_t>(w.group->program->image) + inst->record->address;
}

void jump(Wave &w, const Inst &i) {
  if (!i.target) throw Fault("a branch to an address without code");
  w.next = i.target;
}
template <bool (*Condition)(const Wave &)> void branch_if(Wave &w, const Inst &i) {
  if (Condition(w)) jump(w, i);
}
uint64_t vcc(const Wave &w) { return w.lane_mask(kVcc); }
bool scc0(const Wave &w) { return !w.scc; }
bool scc1(const Wave &w) { return w.scc; }
bool vccz(const Wave &w) { return !vcc(w); }
bool vccnz(const Wave &w) { return vcc(w); }
bool execz(const Wave &w) { return !w.exec(); }
bool execnz(const Wave &w) { return w.exec(); }

void getpc(Wave &w, const Inst &i) { scalar_result<uint64_t>(w, i, address_of(w, w.next)); }
void go_to(Wave &w, uint64_t address) { w.next = w.group->program->at(address) + w.bank_offset; }
void setpc(Wave &w, const Inst &i) { go_to(w, scalar_source<uint64_t>(w, i.src[0])); }
void add_to_pc(Wave &w, const Inst &i) { go_to(w, address_of(w, w.next) + scalar_source<uint64_t>(w, i.src[0])); }
void swappc(Wave &w, const Inst &i) {
  const uint64_t to = scalar_source<uint64_t>(w, i.src[0]);
  getpc(w, i);
  go_to(w, to);
}
void call(Wave &w, const Inst &i) {
  getpc(w, i);
  jump(w, i);
}

void end(Wave &w, const Inst &) { w.status = Status::ended; }
void barrier(Wave &w, const Inst &) {
  if (w.group->waves > 1) w.status = Status::barrier;
}
void sleep(Wave &w, const Inst &) { w.status = Status::yielded; }
void nothing(Wave &, const Inst &) {}
void trap(Wave &, const Inst &i) {
  Fault fault("the kernel trapped (s_trap " + std::to_string(i.record->operands[0].value) +
              "): it ended itself, as failed assertions do");
  fault.trapped = true;
  throw fault;
}

void indexed_off(Wave &, const Inst &) {}

constexpr uint32_t kMode = 1, kStatus2 = 28, kCycles = 29, kCyclesHigh = 30;
struct HardwareField {
  explicit HardwareField(uint32_t code)
      : id(code & 63), offset(code >> 6 & 31), mask((2ull << (code >> 11 & 31)) - 1) {}
  uint32_t id, offset;
  uint64_t mask;
};

// Bits 6 to 9 say whether there are clusters, 21 to 24 which workgroup of its cluster this one is.
uint32_t status2(const Wave &w) {
  const Cluster &cluster = *w.group->cluster;
  if (cluster.members == 1) return 0;
  const uint32_t *place = w.group->place;
  return 1u << 6 | (place[0] + cluster.size[0] * (place[1] + cluster.size[1] * place[2])) << 21;
}
void getreg(Wave &w, const Inst &i) {
  const HardwareField field(i.record->operands[1].value);
  const uint64_t value = field.id == kMode ? w.mode
      : field.id == kStatus2               ? status2(w)
      : field.id == kCycles                ? uint32_t(w.count)
      : field.id == kCyclesHigh            ? w.count >> 32
                                           : 0;
  w.s[i.dst] = uint32_t(value >> field.offset & field.mask);
}
void setreg(Wave &w, const Inst &i) {
  const HardwareField field(i.record->operands[0].value);
  if (field.id != kMode) return;
  const uint32_t mask = uint32_t(field.mask << field.offset);
  w.mode = (w.mode & ~mask) | (scalar_source<uint32_t>(w, i.src[1]) << field.offset & mask);
  set_host_mode(host_mode_32(w.mode));
}
// To the code with the registers that the number means.
void switch_banks(Wave &w, uint8_t banks) {
  const Program &program = *w.group->program;
  const auto found = std::find(program.banks.begin(), program.banks.end(), banks);
  const size_t index = size_t(w.next - program.code.data()) % program.stride;
  w.bank_offset = uint32_t(size_t(found - program.banks.begin()) * program.stride);
  w.next = program.code.data() + w.bank_offset + index;
}
void set_banks(Wave &w, const Inst &i) { switch_banks(w, uint8_t(i.record->operands[0].value)); }
void setreg_immediate(Wave &w, const Inst &i) {
  setreg(w, i);
  if (w.group->program->banks.size() > 1 && writes_mode(i.record->operands[0].value))
    switch_banks(w, banks_of_mode(i.record->operands[1].value));
}
void round_mode(Wave &w, const Inst &i) {
  w.mode = (w.mode & ~15u) | (i.record->operands[0].value & 15);
  set_host_mode(host_mode_32(w.mode));
}
void denorm_mode(Wave &w, const Inst &i) {
  w.mode = (w.mode & ~0xf0u) | (i.record->operands[0].value & 15) << 4;
  set_host_mode(host_mode_32(w.mode));
}
// A clock that advances: an instruction is a cycle.
void clock64(Wave &w, const Inst &i) { scalar_result<uint64_t>(w, i, w.count); }

// Until it is switched off, registers of vector instructions are moved by M0's low byte where its bits 12 to 15 say so.
void indexed_registers(Wave &w, const Inst &i) {
  w.s[kM0] = (scalar_source<uint32_t>(w, i.src[0]) & 0xff) | scalar_source<uint32_t>(w, i.src[1]) << 12;
  while (w.next->run != indexed_off) {
    Inst moved = *w.next++;
    const uint32_t index = w.s[kM0] & 0xff, which = w.s[kM0] >> 12;
    for (int k = 0; k < 3; ++k)
      if ((which >> k & 1) && moved.src[k].kind == Source::vgpr)
        moved.src[k].index = uint16_t(moved.src[k].index + index);
    if ((which & 8) && moved.dst_kind == FLYSIM_VGPR) moved.dst = uint16_t(moved.dst + index);
    ++w.count;
    moved.run(w, moved);
  }
}
void set_index(Wave &w, const Inst &i) {
  w.s[kM0] = (w.s[kM0] & ~0xffu) | (scalar_source<uint32_t>(w, i.src[0]) & 0xff);
}
void set_index_mode(Wave &w, const Inst &i) {
  w.s[kM0] = (w.s[kM0] & ~0xf000u) | (i.record->operands[0].value & 15) << 12;
}

const Registration flow({
    {"s_set_gpr_idx_on", indexed_registers, "=ss"},
    {"s_set_gpr_idx_off", indexed_off, "*"},
    {"s_set_gpr_idx_idx", set_index, "=s"},
    {"s_set_gpr_idx_mode", set_index_mode, "*"},
    {"s_branch", jump, "*"},
    {"s_cbranch_scc0", branch_if<scc0>, "*"},
    {"s_cbranch_scc1", branch_if<scc1>, "*"},
    {"s_cbranch_vccz", branch_if<vccz>, "*"},
    {"s_cbranch_vccnz", branch_if<vccnz>, "*"},
    {"s_cbranch_execz", branch_if<execz>, "*"},
    {"s_cbranch_execnz", branch_if<execnz>, "*"},
    {"s_getpc_b64", getpc, "S="},
    {"s_setpc_b64", setpc, "=S"},
    {"s_swappc_b64", swappc, "S=S"},
    {"s_call_b64", call, "S=-"},
    {"s_get_pc_i64", getpc, "S="},
    {"s_set_pc_i64", setpc, "=S"},
    {"s_swap_pc_i64", swappc, "S=S"},
    {"s_add_pc_i64", add_to_pc, "=S"},
    {"s_call_i64", call, "S=-"},
    {"s_endpgm", end, "*"},
    {"s_endpgm_saved", end, "*"},
    {"s_endpgm_ordered_ps_done", end, "*"},
    {"s_barrier", barrier, "*"},
    {"s_sleep", sleep, "*"},
    {"s_trap", trap, "*"},
    {"s_getreg_b32", getreg, "s=s"},
    {"s_setreg_b32", setreg, "=ss"},
    {"s_setreg_imm32_b32", setreg_immediate, "=ss"},
    {"s_set_vgpr_msb", set_banks, "*"},
    {"s_round_mode", round_mode, "*"},
    {"s_denorm_mode", denorm_mode, "*"},
    {"s_memtime", clock64, "S="},
    {"s_memrealtime", clock64, "S="},
});

const Registration without_effect({
    {"s_nop", nothing, "*"},
    {"s_waitcnt", nothing, "*"},
    {"s_waitcnt_vscnt", nothing, "*"},
    {"s_waitcnt_depctr", nothing, "*"},
    {"s_setprio", nothing, "*"},
    {"s_sethalt", nothing, "*"},
    {"s_icache_inv", nothing, "*"},
    {"s_dcache_inv", nothing, "*"},
    {"s_dcache_wb", nothing, "*"},
    {"s_dcache_wb_vol", nothing, "*"},
    {"s_dcache_inv_vol", nothing, "*"},
    {"s_sendmsg", nothing, "*"},
    {"s_sendmsghalt", end, "*"},
    {"s_incperflevel", nothing, "*"},
    {"s_decperflevel", nothing, "*"},
    {"s_ttracedata", nothing, "*"},
    {"s_wakeup", nothing, "*"},
    {"s_clause", nothing, "*"},
    {"s_delay_alu", nothing, "*"},
    {"s_set_inst_prefetch_distance", nothing, "*"},
    {"s_inst_prefetch", nothing, "*"},
    {"s_code_end", end, "*"},
    {"buffer_wbl2", nothing, "*"},
    {"buffer_inv", nothing, "*"},
    {"buffer_wbinvl1", nothing, "*"},
    {"buffer_wbinvl1_vol", nothing, "*"},
    {"buffer_gl0_inv", nothing, "*"},
    {"buffer_gl1_inv", nothing, "*"},
    {"v_nop", nothing, "*"},
    {"v_clrexcp", nothing, "*"},
    {"v_pipeflush", nothing, "*"},
    {"buffer_invl2", nothing, "*"},
    {"s_atc_probe", nothing, "*"},
    {"s_atc_probe_buffer", nothing, "*"},
    // no debugger is there
    {"s_cbranch_cdbgsys", nothing, "*"},
    {"s_cbranch_cdbguser", nothing, "*"},
    {"s_cbranch_cdbgsys_or_user", nothing, "*"},
    {"s_cbranch_cdbgsys_and_user", nothing, "*"},
});

} // namespace
} // namespace flysim
