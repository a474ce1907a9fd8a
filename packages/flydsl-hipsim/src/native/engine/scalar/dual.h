// Dual instructions of RDNA: two operations in one instruction, which read before either writes.
#pragma once
#include "engine/core/module.h"

namespace flysim {

// Makes the instruction at `first` and the one after it, both built, one that reads before it writes.
void join_dual(Program &program, size_t first);

} // namespace flysim
