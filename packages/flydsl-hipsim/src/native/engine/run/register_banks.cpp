// The copies of a program's code for registers beyond v255.
#include "register_banks.h"

#include "engine/core/vgpr_banks.h"
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

} // namespace

std::vector<uint8_t> register_banks(const std::string &arch, const std::vector<std::string> &names,
                                    const FlySimRecord *records, uint64_t count) {
  std::vector<uint8_t> found{0};
  if (arch != "gfx1250") return found;
  for (uint64_t k = 0; k < count; ++k) {
    const std::string &name = names[records[k].opcode];
    const FlySimOperand *operands = records[k].operands;
    const bool by_mode = name == "s_setreg_imm32_b32" && writes_mode(operands[0].value);
    const uint8_t banks = by_mode ? banks_of_mode(operands[1].value) : uint8_t(operands[0].value);
    if ((by_mode || name == "s_set_vgpr_msb") && std::find(found.begin(), found.end(), banks) == found.end())
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
