// Barriers order a workgroup's waves; atomic accesses to one place order workgroups, as in C++ with acquire and
// release.
#include "races.h"

#include "place.h"

#include <algorithm>
#include <cstdio>

namespace flysim {
namespace {

void join(std::map<uint64_t, uint32_t> &into, const std::map<uint64_t, uint32_t> &from) {
  for (const auto &[group, id] : from) into[group] = std::max(into[group], id);
}

} // namespace

void Races::clear() {
  for (Shard &shard : shards) shard.pages.clear();
  count = 1;
}

uint32_t Races::number(const Event &made) {
  const uint32_t id = count.fetch_add(1);
  if (id / kChunk >= kChunks) throw Fault("too many accesses for the check of races: check a smaller grid");
  std::atomic<Event *> &chunk = chunks[id / kChunk];
  if (!chunk.load(std::memory_order_acquire)) {
    std::lock_guard lock(growth);
    if (!chunk.load()) {
      storage.push_back(std::make_unique<Event[]>(kChunk));
      chunk.store(storage.back().get(), std::memory_order_release);
    }
  }
  chunk.load(std::memory_order_acquire)[id % kChunk] = made;
  return id;
}

bool Races::races(uint32_t id, const Event &now) {
  if (!id) return false;
  const Event &other = event(id);
  // A compiler's loop of compare and swap, and a relaxed atomic load, begin with an ordinary load.
  if ((other.atomic || !other.writes) && (now.atomic || !now.writes)) return false;
  if (other.group == now.group) return other.wave != now.wave && other.epoch == now.epoch;
  std::lock_guard lock(order);
  const auto seen = seen_by_group.find(now.group);
  if (seen == seen_by_group.end()) return true;
  const auto until = seen->second.find(other.group);
  return until == seen->second.end() || until->second < id;
}

void Races::fail(const Event &now, const Event &other, bool other_writes, const Touch &touch, bool writes) const {
  char text[320];
  const bool same = now.group == other.group;
  std::snprintf(text, sizeof text,
                "a data race in %s: %u bytes at %#llx are %s here and %s by wave %u of %s, with no %s between, at ",
                space, touch.size, static_cast<unsigned long long>(touch.address), writes ? "written" : "read",
                other_writes ? "written" : "read", other.wave,
                same ? "the same workgroup" : ("workgroup number " + std::to_string(other.group)).c_str(),
                same ? "barrier" : "order");
  Fault fault(text + describe_place(program, *other.inst));
  fault.lane = touch.lane;
  throw fault;
}

void Races::visit(Cell &cell, const Event &now, uint32_t id, const Touch &touch, bool writes) {
  const bool same_value =
      writes && !std::memcmp(touch.before, touch.place, std::min<uint32_t>(touch.size, sizeof touch.before));
  if (races(cell.write, now) && !same_value) fail(now, event(cell.write), true, touch, writes);
  if (writes)
    for (const uint32_t read : {cell.read, cell.read_wave, cell.read_group})
      if (races(read, now)) fail(now, event(read), false, touch, writes);
  if (writes) {
    cell.write = id;
    return;
  }
  if (cell.read) {
    const Event &last = event(cell.read);
    if (last.group != now.group) cell.read_group = cell.read;
    else if (last.wave != now.wave) cell.read_wave = cell.read;
  }
  cell.read = id;
}

void Races::add_touch(const Event &now, uint32_t id, const Touch &touch, bool writes) {
  for (uint64_t at = touch.address, end = at + touch.size; at < end;) {
    const uint64_t number = at / kPage, stop = std::min(end, (number + 1) * kPage);
    Shard &shard = shards[number % kShards];
    std::lock_guard lock(shard.mutex);
    Page &page = shard.pages[number];
    if (!page.fine && ((at | stop) & 3)) {
      std::vector<Cell> fine(kPage);
      for (size_t k = 0; k < kPage; ++k) fine[k] = page.cells[k / 4];
      page.cells = std::move(fine);
      page.fine = true;
    }
    const uint64_t step = page.fine ? 1 : 4;
    for (; at < stop; at += step) visit(page.cells[at % kPage / step], now, id, touch, writes);
  }
}

// An atomic access learns what those before it at this place knew, and leaves what its workgroup knows.
void Races::synchronise(const Event &now, uint32_t id, uint64_t address) {
  std::lock_guard lock(order);
  auto &own = seen_by_group[now.group], &left = left_at[address];
  join(own, left);
  join(left, own);
  left[now.group] = id;
}

void Races::meet(uint64_t group, const std::vector<uint64_t> &others) {
  std::lock_guard lock(order);
  for (const uint64_t other : others)
    if (other != group) seen_by_group[group][other] = count - 1;
}

void Races::add(const Event &now, const Effects &effects, const Trace &trace, Space of, bool writes) {
  uint32_t id = 0;
  for (const Touch &touch : trace.touches) {
    if (touch.space != of) continue;
    if (!id) id = number(now);
    if (effects.synchronises) synchronise(now, id, touch.address);
    add_touch(now, id, touch, writes);
  }
}

} // namespace flysim
