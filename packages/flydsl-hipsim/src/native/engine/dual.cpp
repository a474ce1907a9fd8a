// Two records that are one dual instruction in, one instruction out that reads all sources before it writes.
#include "build.h"

#include <array>

namespace flysim {
namespace {

constexpr uint16_t kSpareRow = 256; // of AGPRs: chips with dual instructions have none

void run_dual(Wave &w, const Inst &i) {
  const Inst *both = i.target;
  if (i.offset) std::memcpy(w.row(kSpareRow), w.row(both[0].dst), kLanes * 4);
  both[0].run(w, both[0]);
  both[1].run(w, both[1]);
  ++w.next;
}

} // namespace

void join_dual(Program &program, size_t first) {
  Inst &x = program.code[first], &y = program.code[first + 1];
  if (x.run == run_unsupported || y.run == run_unsupported) return;
  program.duals.push_back({x, y});
  std::array<Inst, 2> &both = program.duals.back();
  bool overlap = false;
  for (Source &s : both[1].src)
    if (s.kind == Source::vgpr && s.index == x.dst) {
      s.index = kSpareRow;
      overlap = true;
    }
  x.run = run_dual;
  x.target = both.data();
  x.offset = overlap;
}

} // namespace flysim
