// gfx1250's v256 to v1023: s_set_vgpr_msb says which 256 registers the numbers of an instruction's operands count in.
//
// Bits 0 to 5 are for the first three sources (two bits each), bits 6 and 7 for the destination. A program has its code
// once for each number that it sets, with the registers that it means there: no instruction looks at the number when it
// runs.
#pragma once
#include "engine/core/module.h"
#include "engine/core/registry.h"

namespace flysim {

// The numbers that the records set, 0 first.
std::vector<uint8_t> register_banks(const std::string &arch, const std::vector<std::string> &names,
                                    const FlySimRecord *records, uint64_t count);
// Registers as the number means them.
void choose_banks(FlySimRecord &record, const Opcode &opcode, uint8_t banks);

} // namespace flysim
