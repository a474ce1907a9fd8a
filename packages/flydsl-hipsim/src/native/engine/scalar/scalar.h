// A function of scalar values in, a handler out. Its first argument may be the wave, for scc and exec.
#pragma once
#include "engine/vector/lanes.h"

namespace flysim {

template <class T> inline T scalar_source(const Wave &w, const Source &s) {
  uint64_t value = s.value;
  if (s.kind == Source::sgpr) std::memcpy(&value, w.s + s.index, sizeof(T));
  T result;
  std::memcpy(&result, &value, sizeof(T));
  return result;
}
template <class T> inline void scalar_result(Wave &w, const Inst &i, T value) {
  std::memcpy(w.s + i.dst, &value, sizeof(T));
}
template <class T> constexpr char scalar_letter() { return sizeof(T) == 8 ? 'S' : 's'; }

template <class F, class P = Plain<F>> struct ScalarOp;
template <class F, class R, class... A> struct ScalarOp<F, R (*)(Wave &, A...)> {
  static std::string signature() {
    std::string made;
    if constexpr (!std::is_void_v<R>) made += scalar_letter<R>();
    made += '=';
    ((made += scalar_letter<A>()), ...);
    return made;
  }
  template <size_t... K> static void call(Wave &w, const Inst &i, std::index_sequence<K...>) {
    if constexpr (std::is_void_v<R>) F{}(w, scalar_source<A>(w, i.src[K])...);
    else scalar_result<R>(w, i, F{}(w, scalar_source<A>(w, i.src[K])...));
  }
  static void run(Wave &w, const Inst &i) { call(w, i, std::index_sequence_for<A...>{}); }
};

template <class F> Opcode sop(const char *name, F) { return {name, ScalarOp<F>::run, ScalarOp<F>::signature()}; }

} // namespace flysim
