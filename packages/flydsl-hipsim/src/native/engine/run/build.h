// A record and its opcode's signature in, an instruction for the interpreter out.
#pragma once
#include "engine/core/module.h"
#include "engine/core/registry.h"

namespace flysim {

// Faults when operands and signature do not agree; the text names what is wrong.
Inst build_instruction(Program &program, const FlySimRecord &record, const Opcode &opcode);

} // namespace flysim
