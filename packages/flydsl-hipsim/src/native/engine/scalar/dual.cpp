// Two records that are one dual instruction in, one instruction out that reads all sources before it writes.
#include "dual.h"

#include "engine/core/registry.h"

#include <array>

namespace flysim {
namespace {

// From kSpareRow on there are two rows for each source.
// The second half's sources that the first half writes (bits of `offset`) are read before: the second half has them
// elsewhere.
void run_dual(Wave &w, const Inst &i) {
  const Inst *both = i.target;
  for (int k = 0; i.offset >> k; ++k)
    if (i.offset >> k & 1) copy_words<2 * kLanes>(w.row(kSpareRow + 2 * k), w.row(w.next->src[k].index));
  both[0].run(w, both[0]);
  both[1].run(w, both[1]);
  ++w.next;
}

unsigned words_of(uint8_t type) { return type == 'd' || type == 'q' || type == 'P' ? 2 : 1; }

} // namespace

void join_dual(Program &program, size_t first) {
  Inst &x = program.code[first], &y = program.code[first + 1];
  if (x.run == run_unsupported || y.run == run_unsupported) return;
  program.duals.push_back({x, y});
  std::array<Inst, 2> &both = program.duals.back();
  int32_t saved = 0;
  for (int k = 0; k < kSources; ++k) {
    Source &s = both[1].src[k];
    if (s.kind != Source::vgpr || s.index + words_of(s.type) <= x.dst || x.dst + words_of(x.result) <= s.index)
      continue;
    s.index = uint16_t(kSpareRow + 2 * k);
    saved |= 1 << k;
  }
  x.run = run_dual;
  x.target = both.data();
  x.offset = saved;
}

} // namespace flysim
