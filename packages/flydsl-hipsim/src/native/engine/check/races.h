// Accesses of waves to memory in; a fault at the second of two that nothing orders, of which one writes.
#pragma once
#include "effects.h"
#include "engine/core/trace.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace flysim {

// One wave's execution of one instruction between two barriers of its workgroup.
struct Event {
  uint64_t group;
  uint32_t wave, epoch;
  const Inst *inst;
  bool atomic, writes;
};

// Accesses to one kind of memory: LDS of a workgroup, or what all workgroups of a launch share. Safe from several
// threads.
class Races {
public:
  explicit Races(const Program &program, const char *space) : program(program), space(space) {}
  // One instruction's accesses; `writes`: it stores. Faults when one of them races.
  void add(const Event &event, const Effects &effects, const Trace &trace, Space of, bool writes);
  // A workgroup has met others at a barrier: what they did before does not race with what it does now.
  void meet(uint64_t group, const std::vector<uint64_t> &others);
  // Everything before is over, and nothing that follows races with it.
  void clear();

private:
  // Numbers of events: the last write, the last read, one by another wave of its workgroup, one by another workgroup.
  struct Cell { uint32_t write = 0, read = 0, read_wave = 0, read_group = 0; };
  // Cells of four bytes each until an access is smaller or not aligned; then of one.
  struct Page {
    bool fine = false;
    std::vector<Cell> cells = std::vector<Cell>(kPage / 4);
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<uint64_t, Page> pages;
  };
  static constexpr uint64_t kPage = 1024;
  static constexpr size_t kShards = 64, kChunk = 1 << 16, kChunks = 1 << 14;

  uint32_t number(const Event &event);
  const Event &event(uint32_t id) const { return chunks[id / kChunk].load(std::memory_order_acquire)[id % kChunk]; }
  void add_touch(const Event &event, uint32_t id, const Touch &touch, bool writes);
  void visit(Cell &cell, const Event &event, uint32_t id, const Touch &touch, bool writes);
  bool races(uint32_t id, const Event &now);
  void synchronise(const Event &event, uint32_t id, uint64_t address);
  [[noreturn]] void fail(const Event &now, const Event &other, bool other_writes, const Touch &touch,
                         bool writes) const;

  const Program &program;
  const char *space;
  std::array<Shard, kShards> shards;
  std::mutex growth;
  std::atomic<uint32_t> count{1};
  std::unique_ptr<std::atomic<Event *>[]> chunks = std::make_unique<std::atomic<Event *>[]>(kChunks);
  std::vector<std::unique_ptr<Event[]>> storage;
  // What each workgroup, and whoever reads an atomic's place next, may rely on: other workgroups' events up to a
  // number.
  std::mutex order;
  std::unordered_map<uint64_t, std::map<uint64_t, uint32_t>> seen_by_group, left_at;
};

} // namespace flysim
