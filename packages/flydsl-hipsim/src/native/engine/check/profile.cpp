// Counts of each launch, added up by kernel; lines of words as the report.
#include "profile.h"

#include "engine/core/message.h"
#include "engine/core/mutex.h"
#include "place.h"

#include <algorithm>
#include <bit>

namespace flysim {
namespace {

constexpr uint64_t kSegment = 128;

struct Kept {
  KernelProfile profile;
  std::string head;                          // arch, registers, LDS, scratch, wave size, threads
  std::map<uint32_t, MemoryCounts> places;   // by offset
  std::map<uint32_t, std::string> described; // `text\tline`
};
// Never destroyed: kernels may run while the process ends.
Mutex &mutex = *new Mutex;
auto &kept = *new std::map<std::string, Kept>;

Traffic traffic_of(const Effects &e, Space space) {
  const bool writes = is_write(e.kind) || is_atomic(e.kind);
  if (e.kind == Kind::scalar_load) return Traffic::scalar_read;
  if (space == Space::lds) return writes || e.kind == Kind::load_to_lds ? Traffic::lds_write : Traffic::lds_read;
  if (space == Space::scratch) return writes ? Traffic::scratch_write : Traffic::scratch_read;
  return writes ? Traffic::global_write : Traffic::global_read;
}

// Passes of as many consecutive lanes as ask for one row of all banks; each takes as long as its busiest bank has
// words.
void count_banks(const Trace &trace, unsigned banks, MemoryCounts &counts) {
  std::vector<uint64_t> words; // bank and word, of a pass
  uint32_t bytes = 0;
  const auto finish = [&] {
    if (words.empty()) return;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    unsigned most = 0, run = 0;
    for (size_t k = 0; k < words.size(); ++k) {
      run = k && words[k] >> 32 == words[k - 1] >> 32 ? run + 1 : 1;
      most = std::max(most, run);
    }
    ++counts.lds_passes;
    counts.lds_conflicts += most - 1;
    words.clear();
    bytes = 0;
  };
  for (const Touch &touch : trace.touches) {
    if (touch.space != Space::lds) continue;
    for (uint64_t word = touch.address / 4; word <= (touch.address + touch.size - 1) / 4; ++word)
      words.push_back(word % banks << 32 | word);
    bytes += std::max(4u, touch.size);
    if (bytes >= banks * 4) finish();
  }
  finish();
}

void count_segments(const Trace &trace, MemoryCounts &counts) {
  std::vector<std::pair<uint64_t, uint64_t>> parts;
  std::vector<uint64_t> segments;
  for (const Touch &touch : trace.touches) {
    if (touch.space != Space::global) continue;
    parts.emplace_back(touch.address, touch.address + touch.size);
    for (uint64_t s = touch.address / kSegment; s <= (touch.address + touch.size - 1) / kSegment; ++s)
      segments.push_back(s);
  }
  std::sort(parts.begin(), parts.end());
  uint64_t unique = 0, end = 0;
  for (const auto &[from, to] : parts) {
    if (to > end) unique += to - std::max(from, end);
    end = std::max(end, to);
  }
  std::sort(segments.begin(), segments.end());
  counts.segments += uint64_t(std::unique(segments.begin(), segments.end()) - segments.begin());
  counts.least_segments += (unique + kSegment - 1) / kSegment;
}

} // namespace

void MemoryCounts::add(const MemoryCounts &other) {
  executed += other.executed;
  lanes += other.lanes;
  bytes += other.bytes;
  lds_passes += other.lds_passes;
  lds_conflicts += other.lds_conflicts;
  segments += other.segments;
  least_segments += other.least_segments;
}

void KernelProfile::count(const Program &program, const Wave &w, const Inst &inst, const Effects &e,
                          const Trace &trace) {
  ++executed[int(e.kind)];
  const bool per_lane = e.kind == Kind::vector || e.kind == Kind::matrix || e.kind == Kind::crossbar ||
      (is_memory(e.kind) && e.kind != Kind::scalar_load);
  const unsigned active = unsigned(std::popcount(w.exec() & w.full()));
  if (per_lane) {
    lanes += active;
    lane_slots += w.lanes;
  }
  if (!is_memory(e.kind)) return;
  MemoryCounts &counts = places[&inst];
  ++counts.executed;
  counts.lanes += active;
  for (const Touch &touch : trace.touches) {
    bytes[int(traffic_of(e, touch.space))] += touch.size;
    counts.bytes += touch.size;
  }
  count_banks(trace, program.arch == "gfx950" ? 64 : 32, counts);
  if (e.kind != Kind::scalar_load) count_segments(trace, counts);
}

void KernelProfile::add(const KernelProfile &other) {
  launches += other.launches;
  workgroups += other.workgroups;
  waves += other.waves;
  for (int k = 0; k < kKinds; ++k) executed[k] += other.executed[k];
  for (int k = 0; k < kTraffics; ++k) bytes[k] += other.bytes[k];
  lanes += other.lanes;
  lane_slots += other.lane_slots;
  for (const auto &[inst, counts] : other.places) places[inst].add(counts);
}

void keep_profile(const FlySimKernel &kernel, uint32_t lds, uint32_t threads, const KernelProfile &profile) {
  const Program &program = kernel.module->program;
  const FlySimKernelDesc &d = kernel.desc;
  std::lock_guard lock(mutex);
  Kept &to = kept[kernel.name];
  KernelProfile sums = profile;
  sums.places.clear();
  to.profile.add(sums);
  to.head = program.arch;
  for (const uint32_t number : {d.vgprs, d.sgprs, lds, d.private_bytes, d.wave_size, threads})
    to.head += "\t" + std::to_string(number);
  for (const auto &[inst, counts] : profile.places) {
    const uint32_t offset = inst->record->address;
    to.places[offset].add(counts);
    const size_t k = size_t(inst->record - program.records.data()) % program.stride;
    to.described[offset] = (k < program.texts.size() ? program.texts[k] : "") + "\t" + line_of(program, offset);
  }
}

} // namespace flysim

using namespace flysim;

// For each kernel a line `K`, then `C kind count`, `B bytes of each traffic` and a line `I` for each memory
// instruction.
extern "C" uint64_t flysim_profile(char *buffer, uint64_t size) {
  std::lock_guard lock(mutex);
  std::string text;
  for (const auto &[name, one] : kept) {
    const KernelProfile &p = one.profile;
    text += "K\t" + name + "\t" + one.head;
    for (const uint64_t number : {p.launches, p.workgroups, p.waves, p.lanes, p.lane_slots})
      text += "\t" + std::to_string(number);
    text += "\nB";
    for (const uint64_t bytes : p.bytes) text += "\t" + std::to_string(bytes);
    text += "\n";
    for (int k = 0; k < kKinds; ++k)
      if (p.executed[k]) text += std::string("C\t") + kind_name(Kind(k)) + "\t" + std::to_string(p.executed[k]) + "\n";
    for (const auto &[offset, c] : one.places) {
      text += "I\t" + std::to_string(offset) + "\t" + one.described.at(offset);
      for (const uint64_t number :
           {c.executed, c.lanes, c.bytes, c.lds_passes, c.lds_conflicts, c.segments, c.least_segments})
        text += "\t" + std::to_string(number);
      text += "\n";
    }
  }
  report(0, text, buffer, size);
  return text.size() + 1;
}

extern "C" void flysim_profile_clear(void) {
  std::lock_guard lock(mutex);
  kept.clear();
}
