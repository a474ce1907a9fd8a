// The number that says which 256 registers of gfx1250 an instruction's operands count in.
#pragma once
#include <cstdint>

namespace flysim {

// As s_set_vgpr_msb has it, of what s_setreg_imm32_b32 writes to MODE whatever its field: there the destination comes
// first, from bit 12 on.
inline uint8_t banks_of_mode(uint32_t written) {
  const uint32_t banks = written >> 12 & 255;
  return uint8_t(banks >> 2 | (banks & 3) << 6);
}

// Whether an s_setreg_imm32_b32 with this operand writes to MODE.
inline bool writes_mode(uint32_t field) { return (field & 63) == 1; }

} // namespace flysim
