// The table of opcodes: name, handler and the signature of the operands.
#pragma once
#include "wave.h"

#include <string_view>
#include <vector>

namespace flysim {

// A signature lists operands as the disassembler prints them, "destinations=sources", in letters of wave.h, and
//   M a mask destination   s scalar destination or source, 32 bits   S the same, 64 bits   O the old destination as a
//   source (not printed) V the mask in vcc as a source (not printed)   r registers that the handler reads through the
//   record   - no operand
struct Opcode {
  const char *name;
  Handler run;
  std::string signature;
};

const Opcode *find_opcode(std::string_view name);
const std::vector<const Opcode *> &all_opcodes();
// Stands in for an opcode that the engine does not have: faults when it is reached.
void run_unsupported(Wave &w, const Inst &i);

// A file of handlers holds one of these at namespace scope.
struct Registration { explicit Registration(std::vector<Opcode> opcodes); };

} // namespace flysim
