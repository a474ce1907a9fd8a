// Executed instructions in; undefined bits followed through registers, LDS and scratch; a fault where one decides
// something.
//
// Every register has a shadow whose set bits are undefined, in rows like the registers' own, so that operands are
// selected and results placed by the engine's functions (DPP, SDWA, halves, exec). A fault when undefined bits reach
// global memory, an address, a branch or exec. What an unknown instruction makes counts as defined.
#pragma once
#include "effects.h"
#include "engine/core/trace.h"

#include <memory>

namespace flysim {

class Undefined {
public:
  Undefined(const Program &program, const FlySimKernelDesc &desc) : program(program), desc(desc) {}

  void reset_lds(uint32_t bytes) { lds.assign(bytes + 64, 0xff); }
  void reset(size_t wave, const Wave &w);
  // A register's value and shadow to another, as the two halves of a dual instruction need it.
  void copy(Wave &w, uint16_t from, uint16_t to);
  // Of instructions without memory; before they run, while their sources are still there.
  void before(Wave &w, const Inst &inst, const Effects &effects);
  // Of loads, stores and atomics, with the places that they touched.
  void after(Wave &w, const Inst &inst, const Effects &effects, const Trace &trace);

private:
  struct State {
    Wave wave; // shadows in place of registers
    std::unique_ptr<uint32_t[]> rows = std::make_unique<uint32_t[]>(size_t(kRows) * kLanes);
    std::vector<uint8_t> scratch;
    bool scc = true;
    const Inst *origin[kRows + kSgprs]; // the LDS read that an undefined value came from, if it did
  };

  void define(State &s, const Registers &registers, uint64_t lanes);
  void vector(Wave &w, State &s, const Inst &inst, const Effects &e);
  void matrix(State &s, const Effects &e);
  void crossbar(Wave &w, State &s, const Inst &inst, const Effects &e);
  void scalar(Wave &w, State &s, const Inst &inst, const Effects &e);
  void branch(const Wave &w, State &s, const Effects &e);
  void check_addresses(const Wave &w, State &s, const Effects &e) const;
  void set_scalar(Wave &w, State &s, const Inst &inst, const Effects &e, uint64_t undefined, unsigned words);
  void load(Wave &w, State &s, const Inst &inst, const Effects &e, const Trace &trace);
  void load_transposed(Wave &w, State &s, const Effects &e);
  void store(State &s, const Effects &e, const Trace &trace);
  void store_local(State &s, const Trace &trace);
  uint8_t *shadow_of(State &s, const Touch &touch);
  void note_origin(State &s, const Effects &e);
  [[noreturn]] void fail(const State &s, const char *what, const Registers &from, int lane) const;

  const Program &program;
  const FlySimKernelDesc &desc;
  std::vector<std::unique_ptr<State>> states;
  std::vector<uint8_t> lds;
  uint32_t addresses[kLanes] = {}; // of a transposed read, kept while they are in their register
};

// What a vector instruction makes of its sources' undefined bits, into `out`; `u` has their shadows, `x` their values.
using VectorRule = void (*)(uint32_t *out, const uint32_t *const *u, const uint32_t *const *x);
// The rule of an opcode; null: every bit of the result depends on every bit of the sources.
VectorRule vector_rule(std::string_view name);

struct ScalarValue { uint64_t value, undefined; };
// The same for scalar instructions that look at single bits; false when there is none of this name.
bool scalar_rule(std::string_view name, ScalarValue a, ScalarValue b, bool wide, ScalarValue &result);

} // namespace flysim
