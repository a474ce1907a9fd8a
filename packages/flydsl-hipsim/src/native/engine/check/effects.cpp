// Opcode names and operands read once: kinds, registers, counters and the instruction on undefined bits.
#include "effects.h"

#include "engine/core/registry.h"

#include <mutex>

namespace flysim {

const char *kind_name(Kind kind) {
  static const char *const names[] = {"scalar",      "vector",       "matrix",        "scalar load",
                                      "vector load", "vector store", "vector atomic", "load to LDS",
                                      "LDS read",    "LDS write",    "LDS atomic",    "crossbar",
                                      "branch",      "barrier",      "wait",          "other"};
  return names[int(kind)];
}

namespace {

using Name = std::string_view;

bool has(Name name, Name part) { return name.find(part) != Name::npos; }
bool starts(Name name, std::initializer_list<Name> prefixes) {
  for (const Name prefix : prefixes)
    if (name.starts_with(prefix)) return true;
  return false;
}

Kind lds_kind(Name name) {
  if (starts(name, {"ds_bpermute", "ds_permute", "ds_swizzle"})) return Kind::crossbar;
  if (starts(name, {"ds_storexchg", "ds_wrxchg"})) return Kind::lds_atomic;
  if (starts(name, {"ds_read", "ds_load"})) return Kind::lds_read;
  if (starts(name, {"ds_write", "ds_store"})) return Kind::lds_write;
  return name == "ds_nop" ? Kind::other : Kind::lds_atomic;
}

Kind vector_memory_kind(Name name, const FlySimRecord &r) {
  if (has(name, "_atomic_")) return Kind::vector_atomic;
  if (has(name, "_store_")) return Kind::vector_store;
  if (!has(name, "_load_")) return Kind::other; // cache maintenance
  return has(name, "_load_lds_") || has(name, "_async_to_lds_") || (r.flags & FLYSIM_LDS) ? Kind::load_to_lds
                                                                                          : Kind::vector_load;
}

Kind kind_of(Name name, const FlySimRecord &r) {
  if (starts(name, {"global_", "flat_", "scratch_", "buffer_", "cluster_"})) return vector_memory_kind(name, r);
  if (name == "tensor_load_to_lds") return Kind::load_to_lds;
  if (name == "tensor_store_from_lds") return Kind::vector_store;
  if (name.starts_with("ds_")) return lds_kind(name);
  if (starts(name, {"v_mfma", "v_smfmac", "v_wmma", "v_swmmac"})) return Kind::matrix;
  if (name.starts_with("v_s_")) return Kind::scalar; // functions of scalar registers
  if (name.starts_with("v_")) return name == "v_nop" ? Kind::other : Kind::vector;
  if (starts(name, {"s_load_", "s_buffer_load_", "s_memtime", "s_memrealtime"})) return Kind::scalar_load;
  if (starts(name, {"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call"})) return Kind::branch;
  if (name.starts_with("s_barrier")) return Kind::barrier;
  if (name == "s_wait_alu" || name == "s_waitcnt_depctr") return Kind::other;
  if (name.starts_with("s_wait")) return Kind::wait;
  static const Name without[] = {"s_nop",       "s_endpgm", "s_endpgm_saved", "s_clause",
                                 "s_delay_alu", "s_sleep",  "s_setprio",      "s_code_end"};
  for (const Name n : without)
    if (name == n) return Kind::other;
  return name.starts_with("s_") ? Kind::scalar : Kind::other;
}

Registers registers_of(const FlySimOperand &operand) {
  const bool scalar = operand.kind == FLYSIM_SGPR;
  if (!scalar && operand.kind != FLYSIM_VGPR) return {};
  return {scalar, operand.index, operand.count};
}
void add(std::vector<Registers> &to, const Registers &registers) {
  if (registers.count) to.push_back(registers);
}
void add(std::vector<Registers> &to, const FlySimOperand &operand) { add(to, registers_of(operand)); }

// Operands of memory instructions by their places; `first` is where the address begins.
void add_places(Effects &e, const FlySimRecord &r, std::initializer_list<int> addresses,
                std::initializer_list<int> data) {
  for (const int k : addresses)
    if (k < r.operand_count) add(e.addresses, r.operands[k]);
  for (const int k : data)
    if (k < r.operand_count) add(e.data, r.operands[k]);
}

void set_flat(Effects &e, const FlySimRecord &r) {
  const FlySimOperand &last = r.operands[r.operand_count - 1];
  const bool with_base = r.operand_count > 1 && (last.kind == FLYSIM_OFF || last.kind == FLYSIM_SGPR);
  const int base = with_base ? r.operand_count - 1 : FLYSIM_MAX_OPERANDS;
  switch (e.kind) {
  case Kind::vector_load: add(e.writes, r.operands[0]); return add_places(e, r, {1, base}, {});
  case Kind::load_to_lds:
    return has(e.name, "_async_") ? add_places(e, r, {0, 1, base}, {}) : add_places(e, r, {0, base}, {});
  case Kind::vector_store: return e.reads_local ? add_places(e, r, {0, 1, base}, {}) : add_places(e, r, {0, base}, {1});
  default: break;
  }
  const bool returns = r.operand_count - with_base == 3;
  if (returns) add(e.writes, r.operands[0]);
  add_places(e, r, {returns ? 1 : 0, base}, {returns ? 2 : 1});
}

void set_buffer(Effects &e, const FlySimRecord &r) {
  if (e.kind == Kind::load_to_lds) return add_places(e, r, {0, 1, 2}, {});
  add_places(e, r, {1, 2, 3}, {});
  if (e.kind != Kind::vector_load) add(e.data, r.operands[0]);
  const bool returns = e.kind == Kind::vector_atomic && (r.flags & (FLYSIM_SC0 | FLYSIM_GLC));
  if (e.kind == Kind::vector_load || returns) add(e.writes, r.operands[0]);
}

void set_lds(Effects &e, const FlySimRecord &r) {
  const bool returns = e.kind == Kind::lds_read || has(e.name, "_rtn_");
  if (returns) add(e.writes, r.operands[0]);
  add_places(e, r, {returns}, {});
  if (e.kind == Kind::lds_read) return;
  for (int k = returns + 1; k < r.operand_count; ++k) add(e.data, r.operands[k]);
}

// The groups of a descriptor, which is in scalar registers.
void set_tensor(Effects &e, const FlySimRecord &r) {
  for (int k = 0; k < r.operand_count; ++k) add(e.addresses, r.operands[k]);
}

void set_memory(Effects &e, const FlySimRecord &r) {
  if (e.kind == Kind::scalar_load) {
    add(e.writes, r.operands[0]);
    add_places(e, r, {1, 2}, {});
  } else if (e.name.starts_with("buffer_")) set_buffer(e, r);
  else if (e.name.starts_with("ds_")) set_lds(e, r);
  else if (e.name.starts_with("tensor_")) set_tensor(e, r);
  else set_flat(e, r);
  const bool by_m0 = !has(e.name, "_async_") && !e.name.starts_with("tensor_");
  if (e.kind == Kind::load_to_lds && by_m0) e.addresses.push_back({true, kM0, 1});
  e.reads = e.addresses;
  e.reads.insert(e.reads.end(), e.data.begin(), e.data.end());
}

void set_counters(Effects &e, const Program &program) {
  const bool store_apart =
      !program.gfx9 && (e.kind == Kind::vector_store || (e.kind == Kind::vector_atomic && e.writes.empty()));
  if (e.kind == Kind::scalar_load) e.counters = kScalarCounter;
  else if (has(e.name, "_async_")) e.counters = kAsyncCounter;
  else if (e.name.starts_with("tensor_")) e.counters = kTensorCounter;
  else if (e.name.starts_with("ds_")) e.counters = kLdsCounter;
  else if (is_memory(e.kind))
    e.counters =
        uint8_t((store_apart ? kStoreCounter : kLoadCounter) | (e.name.starts_with("flat_") ? kLdsCounter : 0));
}

void set_wait(Effects &e, const FlySimRecord &r) {
  const int count = r.operand_count ? int(r.operands[r.operand_count - 1].value) : 0; // behind "null" in some
  if (e.name == "s_waitcnt") {
    const bool number = r.operand_count; // all at once, not by names
    e.wait_load = number ? 0 : r.offset;
    e.wait_lds = e.wait_scalar = number ? 0 : r.offset1;
    return;
  }
  if (e.name == "s_wait_loadcnt") e.wait_load = count;
  else if (e.name == "s_wait_asynccnt") e.wait_async = count;
  else if (e.name == "s_wait_tensorcnt") e.wait_tensor = count;
  else if (e.name == "s_wait_dscnt") e.wait_lds = count;
  else if (e.name == "s_wait_kmcnt") e.wait_scalar = count;
  else if (e.name == "s_wait_storecnt" || e.name == "s_waitcnt_vscnt") e.wait_store = count;
  else if (e.name == "s_wait_idle")
    e.wait_load = e.wait_lds = e.wait_scalar = e.wait_store = e.wait_async = e.wait_tensor = 0;
  else if (e.name == "s_wait_loadcnt_dscnt") {
    e.wait_load = count >> 8 & 63;
    e.wait_lds = count & 63;
  } else if (e.name == "s_wait_storecnt_dscnt") {
    e.wait_store = count >> 8 & 63;
    e.wait_lds = count & 63;
  }
}

// Registers as the signature lists them.
void set_registers(Effects &e, const FlySimRecord &r, Name signature) {
  const size_t results = signature.find('=');
  size_t operand = 0;
  for (size_t k = 0; k < signature.size(); ++k) {
    const char letter = signature[k];
    if (letter == '=' || letter == '!' || letter == '^') continue;
    if (letter == 'V') add(e.reads, Registers{true, kVcc, 2});
    if (letter == 'O' && r.operand_count) add(e.reads, r.operands[0]);
    if (letter == 'V' || letter == 'O' || operand >= r.operand_count) continue;
    add(k < results ? e.writes : e.reads, r.operands[operand++]);
  }
}

void set_others(Effects &e, const FlySimRecord &r) {
  if (e.kind == Kind::branch && has(e.name, "vcc")) add(e.reads, Registers{true, kVcc, 2});
  if (e.kind != Kind::matrix && e.kind != Kind::vector) return;
  if (r.operand_count) add(e.writes, r.operands[0]);
  for (int k = 1; k < r.operand_count; ++k) add(e.reads, r.operands[k]);
}

// Signs do not change which bits are undefined; what is selected does. A source of either width becomes the one it has.
void set_shadow(Effects &e, const Inst &inst) {
  e.record = *inst.record;
  e.record.flags &= ~uint32_t(FLYSIM_CLAMP);
  e.record.omod = e.record.neg_lo = e.record.neg_hi = 0;
  e.shadow = inst;
  for (Source &s : e.shadow.src) {
    s.mods &= FLYSIM_SEXT | FLYSIM_HIGH_HALF | FLYSIM_LOW_HALF;
    if (s.type != 'x') continue;
    const bool half = e.record.op_sel_hi >> s.slot & 1;
    s.type = half ? 'w' : 'f';
    s.plain = !half || !(e.record.op_sel >> s.slot & 1);
  }
}

bool is_seen_by_others(const Effects &e, const FlySimRecord &r, const std::string &text) {
  if (e.kind == Kind::vector_atomic) return true;
  if (e.kind != Kind::vector_load && e.kind != Kind::vector_store) return false;
  return (r.flags & (FLYSIM_GLC | FLYSIM_SC1)) || has(text, "scope:SCOPE_DEV") || has(text, "scope:SCOPE_SYS");
}

Effects make(const Program &program, size_t k) {
  const Inst &inst = program.code[k];
  const FlySimRecord &r = *inst.record;
  Effects e;
  if (k % program.stride == program.stride - 1) return e; // the end of the code
  e.name = program.names[r.opcode];
  e.kind = kind_of(e.name, r);
  e.reads_local = has(e.name, "_from_lds_");
  e.in_any_order = e.kind == Kind::scalar_load || (program.gfx9 && e.name.starts_with("flat_"));
  e.synchronises = is_seen_by_others(
      e, r, k % program.stride < program.texts.size() ? program.texts[k % program.stride] : std::string());
  const Opcode *opcode = find_opcode(e.name);
  if (!opcode && e.name.starts_with("v_dual_")) opcode = find_opcode("v_" + std::string(e.name.substr(7)));
  if (opcode && e.name.starts_with("v_dual_")) e.name = opcode->name;
  const bool is_plain = opcode && opcode->signature != "*";
  if (is_memory(e.kind)) set_memory(e, r);
  else if (is_plain) set_registers(e, r, opcode->signature);
  else set_others(e, r);
  if (e.kind == Kind::branch && is_plain) set_others(e, r);
  set_counters(e, program);
  if (e.kind == Kind::wait) set_wait(e, r);
  set_shadow(e, inst);
  return e;
}

} // namespace

const EffectsTable &effects_of(const Program &program) {
  std::call_once(program.effects_once, [&] {
    auto table = std::make_shared<EffectsTable>();
    table->reserve(program.code.size());
    for (size_t k = 0; k < program.code.size(); ++k) table->push_back(make(program, k));
    for (Effects &e : *table) e.shadow.record = &e.record;
    program.effects = table;
  });
  return *program.effects;
}

} // namespace flysim
