// ASYNCcnt: one for each asynchronous copy, and for each arrival at a barrier in LDS that is ordered behind them;
// TENSORcnt: one for each move of a tensor.
#include "copies.h"

#include "place.h"

#include <algorithm>

namespace flysim {

void Copies::wait(uint8_t counter, int left) {
  if (left < 0) return;
  auto more =
      std::count_if(pending.begin(), pending.end(), [=](const Copy &copy) { return copy.counter == counter; }) - left;
  std::erase_if(pending, [&](const Copy &copy) { return copy.counter == counter && more-- > 0; });
}

void Copies::after(const Inst &inst, const Effects &e, const Trace &trace) {
  wait(kAsyncCounter, e.wait_async);
  wait(kTensorCounter, e.wait_tensor);
  if (!(e.counters & kCopyCounters)) return;
  Copy &copy = pending.emplace_back(Copy{&inst, e.kind == Kind::load_to_lds, e.counters, {}});
  if (is_atomic(e.kind)) return;
  for (const Touch &touch : trace.touches)
    if (touch.space == Space::lds) copy.places.emplace_back(touch.address, touch.address + touch.size);
}

void Copies::check(const Program &program, const Trace &trace, bool writes) const {
  for (const Copy &copy : pending) {
    if (!copy.writes && !writes) continue;
    for (const auto &[begin, end] : copy.places)
      for (const Touch &touch : trace.touches)
        if (touch.space == Space::lds && touch.address < end && begin < touch.address + touch.size)
          throw Fault("a missing wait: LDS at offset " + std::to_string(touch.address) +
                      (writes ? " is overwritten" : " is used") + " before an asynchronous copy " +
                      (copy.writes ? "to" : "from") + " it has been waited for; begun at " +
                      describe_place(program, *copy.inst));
  }
}

} // namespace flysim
