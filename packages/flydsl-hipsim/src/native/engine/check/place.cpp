// Offsets looked up in line tables; registers as the disassembler names them.
#include "place.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace flysim {

std::string line_of(const Program &program, uint32_t offset) {
  auto above = std::upper_bound(program.lines.begin(), program.lines.end(), offset,
                                [](uint32_t at, const auto &row) { return at < row.first; });
  return above == program.lines.begin() ? "" : std::prev(above)->second;
}

std::string describe_place(const Program &program, const Inst &inst) {
  const size_t k = size_t(inst.record - program.records.data()) % program.stride;
  char pc[32];
  std::snprintf(pc, sizeof pc, "pc %#x", inst.record->address);
  std::string text = pc;
  if (k < program.texts.size()) text += ": " + program.texts[k];
  const std::string line = line_of(program, inst.record->address);
  return line.empty() ? text : text + " (" + line + ")";
}

std::string register_name(const Program &program, bool scalar, uint16_t index) {
  if (!scalar)
    return index < 256 || program.gfx1250 ? "v" + std::to_string(index)
        : index < 512                     ? "a" + std::to_string(index - 256)
                                          : "v" + std::to_string(index - 256);
  switch (index) {
  case kVcc:
  case kVcc + 1: return "vcc";
  case kM0: return "m0";
  case kExec:
  case kExec + 1: return "exec";
  }
  return "s" + std::to_string(index);
}

} // namespace flysim

using namespace flysim;

// Lines `offset file:line` with the offset in hexadecimal, sorted by it.
extern "C" void flysim_module_lines(FlySimModule *module, const char *text) {
  auto &lines = module->program.lines;
  lines.clear();
  for (const char *at = text; *at;) {
    char *word = nullptr;
    const uint32_t offset = uint32_t(std::strtoul(at, &word, 16));
    const char *begin = *word == ' ' ? word + 1 : word, *end = std::strchr(begin, '\n');
    if (!end) end = begin + std::strlen(begin);
    lines.emplace_back(offset, std::string(begin, end));
    at = *end ? end + 1 : end;
  }
}
