// A write is sure to be seen behind the first barrier that its wave came to after having waited for it.
#include "stores.h"

#include "engine/core/wave.h"
#include "place.h"

#include <cstdio>

namespace flysim {
namespace {

bool writes_memory(const Effects &e) { return is_write(e.kind) || e.kind == Kind::load_to_lds || is_atomic(e.kind); }
bool reads_memory(const Effects &e) {
  return !e.synchronises &&
      (e.kind == Kind::vector_load || e.kind == Kind::scalar_load || e.kind == Kind::lds_read ||
       e.kind == Kind::load_to_lds);
}
bool is_written(const Effects &e, const Touch &touch) {
  return e.kind != Kind::load_to_lds || touch.space == Space::lds;
}

} // namespace

LooseBytes::Places::iterator LooseBytes::first_behind(uint64_t begin) {
  auto at = places.upper_bound(begin);
  if (at != places.begin() && std::prev(at)->second.first > begin) --at;
  return at;
}

void LooseBytes::add(const FlyingPtr &flying) {
  for (const auto &[begin, end] : flying->bytes) {
    overwrite(begin, end);
    std::lock_guard lock(mutex);
    places[begin] = {end, flying};
    count = places.size();
  }
}

void LooseBytes::remove(const FlyingPtr &flying) {
  if (empty()) return;
  std::lock_guard lock(mutex);
  for (const auto &[begin, end] : flying->bytes)
    for (auto at = first_behind(begin); at != places.end() && at->first < end;)
      at = at->second.second == flying ? places.erase(at) : std::next(at);
  count = places.size();
}

void LooseBytes::clear() {
  std::lock_guard lock(mutex);
  places.clear();
  count = 0;
}

void LooseBytes::overwrite(uint64_t begin, uint64_t end) {
  if (empty()) return;
  std::lock_guard lock(mutex);
  for (auto at = first_behind(begin); at != places.end() && at->first < end;) {
    const auto [first, rest] = *at;
    at = places.erase(at);
    if (first < begin) places[first] = {begin, rest.second};
    if (rest.first > end) places[end] = rest;
  }
  count = places.size();
}

void Stores::reset(uint64_t number) {
  group = number;
  lds.clear();
  global.clear();
  passed.clear();
  shared.clear(); // others may still read it
}

bool Stores::cares_for(const Effects &e) const {
  return writes_memory(e) || (is_memory(e.kind) && !(lds.empty() && global.empty() && others.empty()));
}

void Stores::check_read(const Wave &w, const Touch &touch) {
  const uint64_t begin = touch.address, end = begin + touch.size;
  FlyingPtr found = own(touch.space).find(begin, end, [&](const Flying &f) {
    return f.wave == w.index ? f.to_lds && !f.arrived : f.passed;
  });
  if (!found && touch.space == Space::global)
    found = others.find(begin, end, [&](const Flying &f) { return f.group != group; });
  if (!found) return;
  char text[240];
  const char *where = touch.space == Space::lds ? "LDS" : "global memory";
  const auto address = static_cast<unsigned long long>(begin);
  if (found->group == group && found->wave == w.index)
    std::snprintf(
        text, sizeof text,
        "a missing wait: %u bytes of %s at 0x%llx are read before the load to there has been waited for; loaded at ",
        touch.size, where, address);
  else {
    const std::string whose =
        found->group == group ? "of the same workgroup" : "of workgroup number " + std::to_string(found->group);
    std::snprintf(text, sizeof text,
                  "a missing wait: %u bytes of %s at 0x%llx are read here; wave %u %s wrote them and came to %s before "
                  "it had waited for that; written at ",
                  touch.size, where, address, found->wave, whose.c_str(),
                  found->group == group ? "the barrier" : "an atomic access");
  }
  Fault fault(text + describe_place(program, *found->inst));
  fault.lane = touch.lane;
  throw fault;
}

void Stores::check(const Wave &w, const Effects &e, const Trace &trace) {
  for (const Touch &touch : trace.touches) {
    if (touch.space == Space::scratch) continue;
    const bool written = writes_memory(e) && is_written(e, touch);
    if (!written && reads_memory(e)) check_read(w, touch);
    if (!written) continue;
    own(touch.space).overwrite(touch.address, touch.address + touch.size);
    if (touch.space == Space::global) others.overwrite(touch.address, touch.address + touch.size);
  }
}

FlyingPtr Stores::issue(const Wave &w, const Inst &inst, const Effects &e, const Trace &trace) {
  if (!writes_memory(e) || e.synchronises || e.kind == Kind::vector_atomic || (e.counters & kCopyCounters))
    return nullptr;
  FlyingPtr made;
  for (const Touch &touch : trace.touches) {
    if (touch.space == Space::scratch || !is_written(e, touch)) continue;
    if (!made) made = std::make_shared<Flying>(Flying{&inst, group, w.index, touch.space, e.kind == Kind::load_to_lds});
    if (touch.space != made->space) continue;
    const uint64_t begin = touch.address, end = begin + touch.size;
    if (!made->bytes.empty() && made->bytes.back().second == begin) made->bytes.back().second = end;
    else made->bytes.emplace_back(begin, end);
  }
  if (made && made->to_lds) lds.add(made);
  return made;
}

void Stores::arrive(const FlyingPtr &flying) {
  flying->arrived = true;
  if (flying->to_lds && !flying->passed) lds.remove(flying);
}

void Stores::pass_barrier(const Wave &w, const std::vector<FlyingPtr> &flying, uint32_t epoch) {
  unshare(w.index);
  for (const FlyingPtr &each : passed)
    if (each->wave == w.index && each->arrived && each->until == ~0u) each->until = epoch;
  for (const FlyingPtr &each : flying) {
    if (each->passed || (each->space == Space::global && !own_caches)) continue;
    each->passed = true;
    if (!each->to_lds) own(each->space).add(each);
    passed.push_back(each);
  }
}

// What has arrived is seen by all who are told of it from now on.
void Stores::unshare(uint32_t wave) {
  std::erase_if(shared, [&](const FlyingPtr &each) {
    if (each->wave != wave || !each->arrived) return false;
    others.remove(each);
    return true;
  });
}

void Stores::pass_atomic(const Wave &w, const std::vector<FlyingPtr> &flying) {
  unshare(w.index);
  for (const FlyingPtr &each : flying) {
    if (each->shared || each->space != Space::global) continue;
    each->shared = true;
    others.add(each);
    shared.push_back(each);
  }
}

void Stores::start_epoch(uint32_t epoch) {
  std::erase_if(passed, [&](const FlyingPtr &each) {
    if (each->until >= epoch) return false;
    own(each->space).remove(each);
    return true;
  });
}

} // namespace flysim
