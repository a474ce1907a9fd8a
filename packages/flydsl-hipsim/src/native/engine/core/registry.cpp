// Tables of opcodes from the files of handlers in, look-ups by name out.
#include "registry.h"

#include <deque>
#include <unordered_map>

namespace flysim {
namespace {

struct Tables {
  std::deque<Opcode> storage;
  std::unordered_map<std::string_view, const Opcode *> by_name;
  std::vector<const Opcode *> all;
};

Tables &tables() {
  static auto *made = new Tables; // never destroyed: threads may run while the process ends
  return *made;
}

} // namespace

Registration::Registration(std::vector<Opcode> opcodes) {
  Tables &into = tables();
  for (Opcode &opcode : opcodes) {
    into.storage.push_back(std::move(opcode));
    const Opcode *kept = &into.storage.back();
    into.by_name[kept->name] = kept;
    into.all.push_back(kept);
  }
}

const Opcode *find_opcode(std::string_view name) {
  auto found = tables().by_name.find(name);
  return found == tables().by_name.end() ? nullptr : found->second;
}

const std::vector<const Opcode *> &all_opcodes() { return tables().all; }

void run_unsupported(Wave &, const Inst &) { throw Fault("an instruction that the simulator does not have"); }

} // namespace flysim

extern "C" const char *flysim_opcodes(void) {
  static const std::string text = [] {
    std::string lines;
    for (const flysim::Opcode *opcode : flysim::all_opcodes())
      lines += std::string(opcode->name) + " " + opcode->signature + "\n";
    return lines;
  }();
  return text.c_str();
}
