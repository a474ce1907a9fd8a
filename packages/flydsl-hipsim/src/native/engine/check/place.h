// An instruction or register in, words for reports out.
#pragma once
#include "engine/core/module.h"

namespace flysim {

// `file:line` of an offset in the image by the code object's line table; empty without one.
std::string line_of(const Program &program, uint32_t offset);
// `pc 0x1234: text (file:line)`.
std::string describe_place(const Program &program, const Inst &inst);
std::string register_name(const Program &program, bool scalar, uint16_t index);

} // namespace flysim
