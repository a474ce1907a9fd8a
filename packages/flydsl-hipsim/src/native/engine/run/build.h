// A record and its opcode's signature in, an instruction for the interpreter out.
#pragma once
#include "module.h"
#include "registry.h"

namespace flysim {

// Faults when operands and signature do not agree; the text names what is wrong.
Inst build_instruction(Program &program, const FlySimRecord &record, const Opcode &opcode);
// Stands in for an opcode that the engine does not have: faults when it is reached.
void run_unsupported(Wave &w, const Inst &i);
// Makes the instruction at `first` and the one after it, both built, one that reads before it writes.
void join_dual(Program &program, size_t first);

} // namespace flysim
