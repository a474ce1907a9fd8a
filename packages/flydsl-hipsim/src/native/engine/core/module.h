// Code objects as they are loaded: a program of instructions that can be executed, its kernels and globals.
#pragma once
#include "printf_formats.h"
#include "wave.h"

#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace flysim {

struct Effects; // check/effects.h

struct Program {
  std::string arch;
  bool gfx9 = true; // GCN encodings: 16-bit results clear the upper half, cmpx writes a mask as well
  bool gfx1250 = false; // offsets in VGPRs are signed
  uint8_t *image = nullptr;
  uint64_t image_size = 0;
  std::vector<FlySimRecord> records; // for each of the banks those of the code object and an empty one
  std::vector<Inst> code;            // one for each record; the last of each bank faults
  std::vector<uint8_t> banks{0};     // of register_banks.h
  size_t stride = 0;                 // records of a bank
  std::vector<uint32_t> index_of; // image offset / 4 to index into `code`, ~0 for none
  std::vector<std::string> names;
  std::vector<std::string> texts; // of a bank's records, for reports
  std::vector<std::pair<uint32_t, std::string>>
      lines; // offset and `file:line`, sorted; empty without debug information
  PrintfFormats formats;
  mutable std::once_flag effects_once;
  mutable std::shared_ptr<const std::vector<Effects>> effects; // for checks, made when they are first asked for
  std::deque<std::vector<uint32_t>> rows;
  std::deque<std::array<Inst, 2>> duals; // the halves of dual instructions
  std::unordered_map<uint64_t, const uint32_t *> row_of[2];

  const Inst *
  at(uint64_t address) const; // of a host address, in the first bank; faults when no instruction starts there
  const uint32_t *constant_row(uint64_t value, int words);
};

} // namespace flysim

struct FlySimKernel {
  FlySimModule *module = nullptr;
  std::string name;
  FlySimKernelDesc desc{};
  std::vector<uint32_t> arg_offsets, arg_sizes;
};

struct FlySimModule {
  flysim::Program program;
  std::map<std::string, std::unique_ptr<FlySimKernel>, std::less<>> kernels;
  std::map<std::string, std::pair<uint64_t, uint64_t>, std::less<>> globals; // offset, size
  ~FlySimModule();
};
