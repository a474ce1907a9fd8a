// Each check asked before and after an instruction, if it is chosen.
#include "checker.h"

namespace flysim {

void LaunchChecks::add(const KernelProfile &counts) {
  std::lock_guard lock(mutex);
  profile.add(counts);
}

void LaunchChecks::finish(uint32_t threads) {
  if (!(chosen & FLYSIM_CHECK_PROFILE)) return;
  profile.launches = 1;
  keep_profile(kernel, lds, threads, profile);
}

Checker::Checker(LaunchChecks &launch)
    : launch(launch), program(launch.kernel.module->program), effects(effects_of(program)),
      stores(program, !program.gfx9 || launch.kernel.desc.split_groups, launch.others),
      undefined(program, launch.kernel.desc), lds_races(program, "LDS") {}

Checker::~Checker() { launch.add(profile); }

void Checker::start_group(uint64_t number) {
  group = number;
  epoch = 0;
  ++profile.workgroups;
  if (has(FLYSIM_CHECK_UNINITIALISED)) undefined.reset_lds(launch.lds);
  if (has(FLYSIM_CHECK_RACES)) lds_races.clear();
  if (has(FLYSIM_CHECK_WAITS)) stores.reset(number);
}

void Checker::start_wave(Wave &w) {
  ++profile.waves;
  w.trace =
      launch.chosen != FLYSIM_CHECK_WAITS || program.gfx1250 ? &trace : nullptr; // gfx1250: copies to and from LDS
  trace.keeps_before = has(FLYSIM_CHECK_RACES);
  if (waits.size() <= w.index) waits.resize(w.index + 1);
  waits[w.index].reset();
  if (copies.size() <= w.index) copies.resize(w.index + 1);
  copies[w.index].reset();
  if (has(FLYSIM_CHECK_UNINITIALISED)) undefined.reset(w.index, w);
}

void Checker::check_races(const Wave &w, const Inst &inst, const Effects &e) {
  const bool writes = is_write(e.kind) || is_atomic(e.kind);
  Event event{group, w.index, epoch, &inst, is_atomic(e.kind) || e.synchronises, writes};
  launch.races.add(event, e, trace, Space::global, writes);
  if (!launch.lds) return;
  event.writes = (writes && !e.reads_local) || e.kind == Kind::load_to_lds;
  lds_races.add(event, e, trace, Space::lds, event.writes);
}

// Other waves' copies too: a barrier does not wait for them.
void Checker::check_copies(const Wave &w, const Inst &inst, const Effects &e) {
  const bool writes = (is_write(e.kind) && !e.reads_local) || is_atomic(e.kind) || e.kind == Kind::load_to_lds;
  if (is_memory(e.kind))
    for (size_t k = 0; k < copies.size(); ++k) // a wave's own asynchronous ones are done in order
      if (k != w.index || !(e.counters & kAsyncCounter)) copies[k].check(program, trace, writes);
  copies[w.index].after(inst, e, trace);
}

void Checker::before_waits(Wave &w, const Inst &inst, const Effects &e) {
  Waits &own = waits[w.index];
  own.before(program, inst, e);
  if (e.kind == Kind::barrier && e.name != "s_barrier_wait") stores.pass_barrier(w, own.flying(), epoch);
  if (e.synchronises && (is_atomic(e.kind) || is_write(e.kind))) stores.pass_atomic(w, own.flying());
  if (has(~uint32_t(FLYSIM_CHECK_WAITS)) || program.gfx1250) return;
  w.trace = stores.cares_for(e) || e.name.starts_with("flat_") ? &trace : nullptr; // noting costs time
  if (w.trace) w.cached = {};
}

void Checker::after_waits(Wave &w, const Inst &inst, const Effects &e) {
  FlyingPtr made;
  if (!trace.touches.empty()) {
    stores.check(w, e, trace);
    made = stores.issue(w, inst, e, trace);
  }
  Spaces spaces;
  for (const Touch &touch : trace.touches) (touch.space == Space::lds ? spaces.lds : spaces.other) = true;
  Waits &own = waits[w.index];
  own.after(inst, e, std::move(made), spaces);
  for (const FlyingPtr &each : own.arrived()) stores.arrive(each);
}

void Checker::step(Wave &w, const Inst &inst) {
  const Effects &e = effects[size_t(&inst - program.code.data())];
  if (e.name == "s_set_gpr_idx_on") return run_indexed(w, inst);
  if ((inst.flags & FLYSIM_DUAL) && inst.target) return run_dual(w, inst);
  trace.touches.clear();
  if (has(FLYSIM_CHECK_WAITS)) before_waits(w, inst, e);
  if (has(FLYSIM_CHECK_UNINITIALISED)) undefined.before(w, inst, e);
  inst.run(w, inst);
  if (has(FLYSIM_CHECK_WAITS)) {
    after_waits(w, inst, e);
    if (program.gfx1250) check_copies(w, inst, e);
  }
  if (has(FLYSIM_CHECK_PROFILE)) profile.count(program, w, inst, e, trace);
  if (!is_memory(e.kind)) return;
  if (has(FLYSIM_CHECK_UNINITIALISED)) undefined.after(w, inst, e, trace);
  if (has(FLYSIM_CHECK_RACES)) check_races(w, inst, e);
}

// Both halves read before either writes: the second reads the first's result from a row of its own.
void Checker::run_dual(Wave &w, const Inst &inst) {
  const Inst *both = inst.target;
  const Effects &first = effects[size_t(&inst - program.code.data())], &second = (&first)[1];
  if (has(FLYSIM_CHECK_WAITS))
    for (const Effects *half : {&first, &second}) waits[w.index].before(program, inst, *half);
  if (has(FLYSIM_CHECK_UNINITIALISED)) {
    Effects moved = second;
    moved.shadow.record = &moved.record;
    for (int k = 0; k < kSources; ++k) {
      if (moved.shadow.src[k].index == both[1].src[k].index) continue;
      moved.shadow.src[k].index = both[1].src[k].index;
      undefined.copy(w, both[0].dst, both[1].src[k].index);
    }
    undefined.before(w, both[0], first);
    undefined.before(w, both[1], moved);
  }
  inst.run(w, inst);
  if (has(FLYSIM_CHECK_PROFILE)) profile.count(program, w, inst, first, trace);
}

// The instruction runs those after it with other registers: they are followed here as it will run them.
void Checker::run_indexed(Wave &w, const Inst &inst) {
  const Inst *first = w.next;
  const auto value = [&](int k) {
    return inst.src[k].kind == Source::sgpr ? w.s[inst.src[k].index] : uint32_t(inst.src[k].value);
  };
  const uint32_t index = value(0) & 0xff, which = value(1);
  for (const Inst *at = first; effects[size_t(at - program.code.data())].name != "s_set_gpr_idx_off"; ++at) {
    Effects moved = effects[size_t(at - program.code.data())];
    Inst real = *at;
    for (Inst *one : {&real, &moved.shadow}) {
      for (int k = 0; k < 3; ++k)
        if ((which >> k & 1) && one->src[k].kind == Source::vgpr)
          one->src[k].index = uint16_t(one->src[k].index + index);
      if ((which & 8) && one->dst_kind == FLYSIM_VGPR) one->dst = uint16_t(one->dst + index);
    }
    moved.shadow.record = &moved.record;
    if (has(FLYSIM_CHECK_UNINITIALISED)) undefined.before(w, real, moved);
    if (has(FLYSIM_CHECK_PROFILE)) profile.count(program, w, *at, moved, trace);
  }
  inst.run(w, inst);
}

} // namespace flysim
