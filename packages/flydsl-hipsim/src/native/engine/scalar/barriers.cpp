// Barriers in two parts: the workgroup's, named ones that waves join, and the cluster's.
#include "scalar.h"

namespace flysim {
namespace {

using u32 = uint32_t;

constexpr int kWorkgroup = -1, kCluster = -3;

struct Which {
  int id;
  u32 members; // that M0 gives, 0 for none
};
Which which(const Wave &w, const Inst &i, int operand = 0) {
  const FlySimOperand &given = i.record->operands[operand];
  const u32 word = w.s[kM0];
  const int id = given.kind == FLYSIM_SGPR ? int(word & 63) : int16_t(given.value);
  if (id != kWorkgroup && id != kCluster && (id < 1 || id > kNamedBarriers))
    throw Fault("barrier " + std::to_string(id) + ": the simulator has -1, -3 and 1 to 16");
  return {id, word >> 16 & 127};
}

void complete_if_all_came(NamedBarrier &barrier) {
  if (!barrier.members || barrier.signals < barrier.members) return;
  barrier.signals = 0;
  ++barrier.phase;
}
void init(Wave &w, const Inst &i) {
  const Which to = which(w, i);
  w.group->named[to.id - 1] = {to.members, 0, 0};
}
void join(Wave &w, const Inst &i) {
  w.joined = uint8_t(which(w, i).id);
  w.seen_phase = w.group->named[w.joined - 1].phase;
}
void leave(Wave &w, const Inst &) {
  w.scc = w.joined != 0;
  if (!w.joined) return;
  NamedBarrier &barrier = w.group->named[w.joined - 1];
  if (barrier.members) --barrier.members;
  complete_if_all_came(barrier);
  w.joined = 0;
}
void count_signal(Wave &w, const Which &to) {
  if (to.id == kWorkgroup) ++w.group->signals;
  else if (to.id == kCluster) {
    Cluster &cluster = *w.group->cluster;
    if (++cluster.signals < cluster.members) return;
    cluster.signals = 0;
    ++cluster.phase;
  } else {
    NamedBarrier &barrier = w.group->named[to.id - 1];
    ++barrier.signals;
    complete_if_all_came(barrier);
  }
}
void signal(Wave &w, const Inst &i) { count_signal(w, which(w, i)); }
void signal_is_first(Wave &w, const Inst &i) {
  const Which to = which(w, i);
  if (to.id == kCluster) w.scc = w.group->cluster->signals == 0;
  else w.scc = (to.id == kWorkgroup ? w.group->signals : w.group->named[to.id - 1].signals) == 0;
  count_signal(w, to);
}
// A positive number stands for the barrier that the wave has joined.
void wait(Wave &w, const Inst &i) {
  const int id = int16_t(i.record->operands[0].value);
  if (id == kWorkgroup) {
    if (w.group->waves > 1) w.status = Status::barrier;
    else w.group->signals = 0;
    return;
  }
  if (id != kCluster && id < 1) throw Fault("barrier " + std::to_string(id) + ": the simulator has -1, -3 and 1 to 16");
  if (id != kCluster && !w.joined) throw Fault("a wait for a named barrier that the wave has not joined");
  w.status = Status::named;
  w.waits_for_cluster = id == kCluster;
}
void state(Wave &w, const Inst &i) {
  const int id = which(w, i, 1).id;
  const bool named = id > 0;
  const Cluster &cluster = *w.group->cluster;
  const u32 members = named ? w.group->named[id - 1].members : id == kWorkgroup ? w.group->waves : cluster.members;
  const u32 signals = named ? w.group->named[id - 1].signals : id == kWorkgroup ? w.group->signals : cluster.signals;
  scalar_result<u32>(w, i, signals << 16 | members << 4 | (members != 0));
}
void nothing(Wave &, const Inst &) {}

const Registration barriers({
    {"s_barrier_init", init, "*"},
    {"s_barrier_join", join, "*"},
    {"s_barrier_leave", leave, "*"},
    {"s_barrier_signal", signal, "*"},
    {"s_barrier_signal_isfirst", signal_is_first, "*"},
    {"s_barrier_wait", wait, "*"},
    {"s_get_barrier_state", state, "s=-"},
    {"s_wakeup_barrier", nothing, "*"},
});

} // namespace

bool Wave::passes_named_barrier() {
  const uint32_t phase = waits_for_cluster ? group->cluster->phase : group->named[joined - 1].phase;
  uint32_t &seen = waits_for_cluster ? seen_cluster_phase : seen_phase;
  if (phase == seen) return false;
  ++seen;
  status = Status::running;
  return true;
}

} // namespace flysim
