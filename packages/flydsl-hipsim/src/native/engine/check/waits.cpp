// The counters' rules: loads of one kind return in order; scalar loads, and flat ones beside others, in any order.
#include "waits.h"

#include "place.h"

#include <algorithm>

namespace flysim {
namespace {

constexpr size_t kMost = 63; // a counter has no more bits: what is older has arrived

size_t slot_of(const Registers &registers) {
  return registers.scalar ? size_t(kRows) + registers.first : registers.first;
}

} // namespace

void Waits::reset() {
  loads.clear();
  done.clear();
  std::fill(rows.begin(), rows.end(), uint8_t(0));
}

void Waits::mark() {
  std::fill(rows.begin(), rows.end(), uint8_t(0));
  for (const Load &load : loads)
    for (const Registers &to : load.effects->writes)
      for (unsigned k = 0; k < to.count; ++k) rows[slot_of(to) + k] |= load.counters;
}

void Waits::complete(uint8_t counters, int left) {
  if (left < 0 || loads.empty()) return;
  bool in_any_order = false;
  for (const Load &load : loads)
    if (load.counters & counters)
      in_any_order |= load.in_any_order && (load.effects->kind == Kind::scalar_load || !(counters & kLoadCounter));
  if (left && in_any_order) return;
  for (size_t k = loads.size(); k-- > 0;) {
    if (!(loads[k].counters & counters) || left-- > 0) continue;
    loads[k].counters &= uint8_t(~counters);
  }
  for (const Load &load : loads)
    if (!load.counters && load.flying) done.push_back(load.flying);
  std::erase_if(loads, [](const Load &load) { return !load.counters; });
  mark();
}

void Waits::check(const Program &program, const Registers &registers, const Inst &inst, const Effects &effects,
                  bool writes) const {
  const size_t first = slot_of(registers);
  for (unsigned k = 0; k < registers.count && first + k < rows.size(); ++k) {
    const uint8_t waits = rows[first + k];
    const bool in_order = effects.counters == waits || (waits == kLoadCounter && (effects.counters & kLoadCounter));
    if (!waits || (writes && in_order && effects.kind != Kind::scalar_load)) continue;
    for (const Load &load : loads)
      for (const Registers &to : load.effects->writes) {
        const size_t begin = slot_of(to);
        if (load.inst == &inst || first + k < begin || first + k >= begin + to.count) continue;
        const std::string name = register_name(program, registers.scalar, uint16_t(registers.first + k));
        throw Fault("a missing wait: " + name + (writes ? " is overwritten" : " is used") +
                    " before the load into it has been waited for; loaded at " + describe_place(program, *load.inst));
      }
  }
}

void Waits::before(const Program &program, const Inst &inst, const Effects &effects) {
  if (loads.empty()) return;
  for (const Registers &registers : effects.reads) check(program, registers, inst, effects, false);
  for (const Registers &registers : effects.writes) check(program, registers, inst, effects, true);
}

void Waits::after(const Inst &inst, const Effects &effects, FlyingPtr flying, Spaces spaces) {
  if (effects.kind == Kind::wait) {
    const bool shared = effects.name == "s_waitcnt"; // one counter for LDS and scalar loads
    complete(kLoadCounter, effects.wait_load);
    complete(shared ? kLdsCounter | kScalarCounter : kLdsCounter, effects.wait_lds);
    if (!shared) complete(kScalarCounter, effects.wait_scalar);
    complete(kStoreCounter, effects.wait_store);
    return;
  }
  if (!effects.counters) return;
  // A flat instruction counts for LDS and for memory; what it loads comes with the one that it was in.
  const bool flat = effects.name.starts_with("flat_") && spaces.lds != spaces.other;
  const uint8_t counters = uint8_t(!flat            ? effects.counters
                                       : spaces.lds ? kLdsCounter
                                                    : effects.counters & ~kLdsCounter);
  loads.push_back({&inst, &effects, counters, effects.in_any_order && !flat, std::move(flying)});
  if (loads.size() > 4 * kMost)
    for (const uint8_t counter : {kLoadCounter, kLdsCounter, kStoreCounter}) complete(counter, kMost);
  for (const Registers &to : effects.writes)
    for (unsigned k = 0; k < to.count; ++k) rows[slot_of(to) + k] |= counters;
}

std::vector<FlyingPtr> Waits::flying() const {
  std::vector<FlyingPtr> found;
  for (const Load &load : loads)
    if (load.flying) found.push_back(load.flying);
  return found;
}

} // namespace flysim
