// Look-ups in a program, and the end of a module's memory.
#include "module.h"

#include <sys/mman.h>

namespace flysim {

const Inst *Program::at(uint64_t address) const {
  const uint64_t offset = address - reinterpret_cast<uint64_t>(image);
  if (offset / 4 >= index_of.size() || index_of[offset / 4] == ~0u || offset % 4)
    throw Fault("a jump to an address without code");
  return &code[index_of[offset / 4]];
}

const uint32_t *Program::constant_row(uint64_t value, int words) {
  const uint32_t *&row = row_of[words - 1][words == 1 ? uint32_t(value) : value];
  if (row) return row;
  rows.emplace_back(words * kLanes);
  for (int k = 0; k < words * kLanes; ++k) rows.back()[k] = uint32_t(value >> (k / kLanes * 32));
  return row = rows.back().data();
}

} // namespace flysim

FlySimModule::~FlySimModule() {
  if (!program.image) return;
  flysim_memory_forget(program.image);
  munmap(program.image, program.image_size);
}
