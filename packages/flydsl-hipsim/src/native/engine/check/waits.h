// Loads and waits of a wave in; a fault when a register is used before its load has been waited for.
#pragma once
#include "stores.h"

namespace flysim {

// The memory that an instruction touched; neither: it is not known.
struct Spaces { bool lds = false, other = false; };

class Waits {
public:
  void reset();
  // Before an instruction runs: faults when it uses or overwrites what is still on its way.
  void before(const Program &program, const Inst &inst, const Effects &effects);
  // `flying` is what the instruction writes to memory, if anybody needs to know; `spaces` the memory that it was in.
  void after(const Inst &inst, const Effects &effects, FlyingPtr flying, Spaces spaces);
  // Writes that have not been waited for, oldest first.
  std::vector<FlyingPtr> flying() const;
  // Those that have been since this was called last.
  std::vector<FlyingPtr> arrived() { return std::exchange(done, {}); }

private:
  struct Load {
    const Inst *inst;
    const Effects *effects;
    uint8_t counters; // not yet waited for
    bool in_any_order;
    FlyingPtr flying;
  };
  void complete(uint8_t counters, int left);
  void mark();
  void check(const Program &program, const Registers &registers, const Inst &inst, const Effects &effects,
             bool writes) const;

  std::vector<Load> loads; // and stores, oldest first
  std::vector<FlyingPtr> done;
  std::vector<uint8_t> rows = std::vector<uint8_t>(kRows + kSgprs); // counters that a register waits for
};

} // namespace flysim
