// Copies between memory and LDS that a wave has not waited for in; a fault when their LDS is used too early.
#pragma once
#include "effects.h"
#include "engine/core/trace.h"

#include <deque>

namespace flysim {

class Copies {
public:
  void reset() { pending.clear(); }
  // After an instruction of the wave that they belong to: one more copy, or a wait for all but some.
  void after(const Inst &inst, const Effects &effects, const Trace &trace);
  // An instruction of any wave of the workgroup has touched LDS; `writes`: it stores there.
  void check(const Program &program, const Trace &trace, bool writes) const;

private:
  struct Copy {
    const Inst *inst;
    bool writes; // to LDS
    uint8_t counter;
    std::vector<std::pair<uint64_t, uint64_t>> places;
  };
  void wait(uint8_t counter, int left);
  std::deque<Copy> pending; // oldest first: those of one counter are done in order
};

} // namespace flysim
