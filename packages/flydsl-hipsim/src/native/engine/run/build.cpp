// Operands of a record matched with a signature: registers, constants as rows, modifiers folded where possible.
#include "build.h"

#include "engine/vector/lanes.h"

namespace flysim {
namespace {

bool is_wide(uint8_t type) { return type == 'd' || type == 'q' || type == 'P' || type == 'S'; }

uint64_t inline_float(uint32_t bits, uint8_t type) {
  const float value = as_float(bits);
  switch (type) {
  case 'd':
  case 'q':
  case 'S':
    return as_bits64(double(value) == double(as_float(0x3e22f983u)) ? as_double(0x3fc45f306dc9c882ull) : double(value));
  case 'h':
  case 'w':
  case 'p':
  case 'i': return float_to_half(value);
  case 'b':
  case 'B': return float_to_bf16(value);
  default: return bits;
  }
}

uint64_t constant_value(const FlySimOperand &operand, uint8_t type) {
  switch (operand.kind) {
  case FLYSIM_INLINE_FLOAT: return inline_float(operand.value, type);
  case FLYSIM_LITERAL64: return operand.value | uint64_t(operand.index) << 32 | uint64_t(operand.reserved2) << 48;
  case FLYSIM_LITERAL: return type == 'd' ? uint64_t(operand.value) << 32 : operand.value;
  default: return is_wide(type) ? uint64_t(int64_t(int32_t(operand.value))) : operand.value;
  }
}

bool is_default_form(const Source &s, const FlySimRecord &r) {
  if ((r.form == FLYSIM_DPP || r.form == FLYSIM_DPP8) && s.slot == 0) return false;
  if (s.type == 'm' || s.type == 'x') return s.type == 'x' && !s.mods && !(r.op_sel_hi >> s.slot & 1);
  if (s.mods & ~FLYSIM_LOW_HALF) return false;
  if (r.form == FLYSIM_SDWA && s.slot < 2 && (s.slot ? r.src1_sel : r.src0_sel) < 6) return false;
  if (s.type == 'p' || s.type == 'i' || s.type == 'B' || s.type == 'P')
    return !(r.op_sel >> s.slot & 1) && (r.op_sel_hi >> s.slot & 1) && !(r.neg_lo >> s.slot & 1) &&
        !(r.neg_hi >> s.slot & 1);
  if (s.type == 'h' || s.type == 'w' || s.type == 'b') return !(r.op_sel >> s.slot & 1);
  return true;
}

const uint32_t *folded_row(Program &program, const Source &s, const FlySimRecord &r) {
  alignas(64) uint32_t row[2 * kLanes];
  if (s.type == 'm')
    for (int l = 0; l < kLanes; ++l) row[l] = s.value >> l & 1;
  else
    for (int l = 0; l < 2 * kLanes; ++l) row[l] = uint32_t(s.value >> (l / kLanes * 32));
  if (!s.plain && s.type != 'm') apply_modifiers(row, s, r, kLanes);
  if (s.type != 'm') return program.constant_row(row[0] | uint64_t(row[kLanes]) << 32, is_wide(s.type) ? 2 : 1);
  program.rows.emplace_back(row, row + kLanes);
  return program.rows.back().data();
}

void set_source(Program &program, Source &s, const FlySimOperand &operand, uint8_t type, int slot,
                const FlySimRecord &r) {
  s.type = type == 's' ? 'u' : type == 'S' ? 'q' : type;
  s.mods = operand.mods;
  s.slot = uint8_t(slot);
  s.index = operand.index;
  s.count = operand.count;
  s.plain = is_default_form(s, r);
  switch (operand.kind) {
  case FLYSIM_VGPR: s.kind = Source::vgpr; return;
  case FLYSIM_SGPR: s.kind = Source::sgpr; return;
  case FLYSIM_OFF:
    s.kind = Source::constant;
    s.row = program.constant_row(0, 2);
    return;
  case FLYSIM_NONE:
  case FLYSIM_LABEL: return;
  }
  s.kind = Source::constant;
  s.value = constant_value(operand, s.type);
  s.row = folded_row(program, s, r);
}

void set_destination(Inst &inst, const FlySimOperand &operand, char letter, bool first) {
  const uint16_t index = operand.kind == FLYSIM_OFF ? uint16_t(kNull) : operand.index;
  if (letter == 'M') {
    inst.sdst = index;
    return;
  }
  if (!first) throw Fault("a signature with two destinations");
  inst.dst = index;
  inst.dst_kind = operand.kind == FLYSIM_OFF ? uint8_t(FLYSIM_SGPR) : operand.kind;
  inst.result = uint8_t(letter);
  const bool scalar = letter == 's' || letter == 'S';
  if (letter != 'r' && scalar != (inst.dst_kind == FLYSIM_SGPR)) throw Fault("a destination of the wrong kind");
  if (operand.mods & FLYSIM_HIGH_HALF) inst.flags |= FLYSIM_HIGH;
}

} // namespace

Inst build_instruction(Program &program, const FlySimRecord &record, const Opcode &opcode) {
  Inst inst;
  inst.run = opcode.run;
  inst.record = &record;
  inst.flags = record.flags;
  inst.offset = record.offset;
  inst.keep_high = !program.gfx9;
  int operand = 0, source = 0, slot = 0;
  bool destinations = true, first = true;
  const bool only_exec = !program.gfx9 && std::strncmp(opcode.name, "v_cmpx_", 7) == 0; // no destination is printed
  for (const char letter : opcode.signature) {
    if (letter == '=') {
      destinations = false;
      continue;
    }
    if (letter == '*') return inst; // the handler reads the record
    if (letter == '!') { // a 16-bit result that leaves the upper half alone
      inst.keep_high = true;
      continue;
    }
    if (letter == '^') { // a result for the upper half
      inst.flags |= FLYSIM_HIGH;
      continue;
    }
    if (letter == 'O' || letter == 'V') {
      Source &s = inst.src[source++];
      s.kind = letter == 'O' ? Source::vgpr : Source::sgpr;
      s.type = letter == 'O' ? inst.result : uint8_t('m');
      s.index = letter == 'O' ? inst.dst : uint16_t(kVcc);
      s.slot = uint8_t(slot++);
      s.plain = letter == 'O';
      if (letter == 'O' && (inst.flags & FLYSIM_HIGH)) { // the half that is written
        s.mods = FLYSIM_HIGH_HALF;
        s.plain = false;
      }
      continue;
    }
    if (letter == 'M' && only_exec) continue;
    if (operand >= record.operand_count) throw Fault("fewer operands than the engine expects");
    const FlySimOperand &given = record.operands[operand++];
    if (destinations) {
      set_destination(inst, given, letter, first);
      first &= letter == 'M';
    } else {
      if (source >= kSources) throw Fault("more sources than the engine has");
      set_source(program, inst.src[source++], given, uint8_t(letter), slot++, record);
    }
  }
  if (operand < record.operand_count) throw Fault("more operands than the engine expects");
  const bool high = (record.op_sel & 8) || (inst.flags & FLYSIM_HIGH);
  inst.simple = !(record.flags & FLYSIM_CLAMP) && !record.omod && record.form == FLYSIM_PLAIN && !high;
  return inst;
}

} // namespace flysim
