// The copies of a program's code for registers beyond v255, and the instruction that goes from one to the other.
#include "register_banks.h"

#include "engine/core/wave.h"

#include <algorithm>

namespace flysim {
namespace {

constexpr int kDestination = 3;

using Name = std::string_view;
bool has(Name name, Name part) { return name.find(part) != Name::npos; }

// Whether the first operand of a memory instruction is a destination.
bool loads(Name name, const FlySimRecord &r) {
  if (name.starts_with("ds_"))
    return has(name, "_load") || has(name, "_rtn") || has(name, "permute") || has(name, "swizzle") ||
        has(name, "_append") || has(name, "_consume");
  if (!has(name, "atomic")) return !has(name, "_store");
  const FlySimOperand &last = r.operands[r.operand_count - 1];
  return r.operand_count - (last.kind == FLYSIM_OFF || last.kind == FLYSIM_SGPR) == 3;
}
int destinations(const Opcode &opcode, const FlySimRecord &r) {
  const Name name = opcode.name, signature = opcode.signature;
  if (name.starts_with("v_cmpx_")) return 0; // none is printed
  if (name.starts_with("v_"))
    return signature == "*" ? 1
                            : int(std::count_if(signature.begin(), signature.begin() + long(signature.find('=')),
                                                [](char c) { return c != '!' && c != '^'; }));
  return loads(name, r);
}

void set_banks(Wave &w, const Inst &i) {
  const Program &program = *w.group->program;
  const auto found = std::find(program.banks.begin(), program.banks.end(), uint8_t(i.record->operands[0].value));
  const size_t index = size_t(w.next - program.code.data()) % program.stride;
  w.bank_offset = uint32_t(size_t(found - program.banks.begin()) * program.stride);
  w.next = program.code.data() + w.bank_offset + index;
}
const Registration banks({{"s_set_vgpr_msb", set_banks, "*"}});

} // namespace

std::vector<uint8_t> register_banks(const std::string &arch, const std::vector<std::string> &names,
                                    const FlySimRecord *records, uint64_t count) {
  std::vector<uint8_t> found{0};
  if (arch != "gfx1250") return found;
  for (uint64_t k = 0; k < count; ++k) {
    const uint8_t banks = uint8_t(records[k].operands[0].value);
    if (names[records[k].opcode] == "s_set_vgpr_msb" && std::find(found.begin(), found.end(), banks) == found.end())
      found.push_back(banks);
  }
  return found;
}

void choose_banks(FlySimRecord &record, const Opcode &opcode, uint8_t banks) {
  const Name name = opcode.name;
  if (!banks || name.starts_with("s_")) return;
  const int first = destinations(opcode, record);
  for (int k = 0; k < record.operand_count; ++k) {
    FlySimOperand &operand = record.operands[k];
    int role = k < first ? kDestination : k - first;
    if (name.starts_with("buffer_")) role = k ? k - 1 : kDestination; // data, also that of stores, then the address
    if (operand.kind == FLYSIM_VGPR && role <= kDestination &&
        (k < first || role < kDestination || name.starts_with("buffer_")))
      operand.index = uint16_t(operand.index + 256 * (banks >> 2 * role & 3));
  }
}

} // namespace flysim
