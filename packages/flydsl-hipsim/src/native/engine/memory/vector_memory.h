// Lane addresses of one kind of instruction in (`Space`), handlers and tables for all its loads, stores and atomics
// out.
//
// A Space has `static Addresses begin(Wave &, const Inst &, int first)`; operands from `first` on are its address
// operands, and `uint8_t *place(Wave &, int lane, uint32_t bytes, Access, uint32_t at)`, null for a lane that reads 0
// and writes nothing. For waves without inactive lanes it may have `static uint8_t *run(Wave &, const FlySimRecord &,
// int first, uint32_t bytes, Access)`, the place of lane 0 when all lanes follow one another and may be used, else
// null; and `bool inside(Wave &, uint32_t bytes, Access)`, true when all lanes may be used, at `uint8_t *at(int lane)`.
// Neither answers in a checked launch, where every access is noted.
#pragma once
#include "atomics.h"
#include "transfer.h"

namespace flysim {

// Of a global or flat instruction whose address operands begin with operand `first`: kLanes addresses.
void global_addresses(Wave &w, const FlySimRecord &r, int first, uint64_t *to);

template <class Space, class F> void vector_load(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  uint32_t *to = w.row(r.operands[0].index);
  const bool full = w.exec() == w.full();
  if constexpr (requires { &Space::run; })
    if (full)
      if (const uint8_t *from = Space::run(w, r, 1, F::bytes, Access::read)) return load_run<F>(from, to, w.lanes);
  Space space(w, r, 1);
  if constexpr (requires { &Space::inside; })
    if (full && space.inside(w, F::bytes, Access::read))
      return load_all<F>([&](int l) { return space.at(l); }, to, w.lanes);
  each_lane(w.exec(), [&](int l) {
    if constexpr (Space::checks_words && F::bytes > 4) {
      for (int k = 0; k < F::words; ++k) {
        const uint8_t *from = space.place(w, l, 4, Access::read, 4 * k);
        to[l + k * kLanes] = 0;
        if (from) std::memcpy(to + l + k * kLanes, from, 4);
      }
      return;
    }
    static const uint8_t zero[16] = {};
    const uint8_t *from = space.place(w, l, F::bytes, Access::read, 0);
    F::load(from ? from : zero, to + l);
  });
}

template <class Space, class F> void vector_store(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *from = w.row(r.operands[Space::store_data].index);
  const bool full = w.exec() == w.full();
  if constexpr (requires { &Space::run; })
    if (full)
      if (uint8_t *to = Space::run(w, r, Space::store_address, F::bytes, Access::write))
        return store_run<F>(to, from, w.lanes);
  Space space(w, r, Space::store_address);
  if constexpr (requires { &Space::inside; })
    if (full && space.inside(w, F::bytes, Access::write))
      return store_all<F>([&](int l) { return space.at(l); }, from, w.lanes);
  each_lane(w.exec(), [&](int l) {
    if constexpr (Space::checks_words && F::bytes > 4) {
      for (int k = 0; k < F::words; ++k)
        if (uint8_t *to = space.place(w, l, 4, Access::write, 4 * k)) std::memcpy(to, from + l + k * kLanes, 4);
      return;
    }
    if (uint8_t *to = space.place(w, l, F::bytes, Access::write, 0)) F::store(to, from + l);
  });
}

// f(place, data, result) for each active lane whose `bytes` may be used; `result` is null when none is returned.
// Atomics that return have a destination, which comes first; for buffers it is the data itself.
template <class Space, class F> inline void each_exchange(Wave &w, const FlySimRecord &r, uint32_t bytes, F f) {
  const bool returns = Space::returns(r);
  const int first = returns && !Space::in_place;
  const Space space(w, r, Space::store_address + first);
  const uint32_t *data = w.row(r.operands[Space::store_data + first].index);
  uint32_t *result = returns ? w.row(r.operands[0].index) : nullptr;
  each_lane(w.exec(), [&](int l) {
    if (uint8_t *place = space.place(w, l, bytes, Access::exchange, 0))
      f(place, data + l, result ? result + l : nullptr);
  });
}

template <class Space, class A> void vector_atomic(Wave &w, const Inst &i) {
  each_exchange<Space>(w, *i.record, sizeof(typename A::type), atomic_lane<A>);
}

// The data's first half is the new value, the second what it is compared with.
template <class Space, class T> void vector_compare(Wave &w, const Inst &i) {
  each_exchange<Space>(w, *i.record, sizeof(T), [](uint8_t *place, const uint32_t *data, uint32_t *result) {
    compare_lane<T>(place, lane_value<T>(data), lane_value<T>(data + sizeof(T) / 4 * kLanes), result);
  });
}

// A handler's name on gfx9 and from gfx11 (floats' minima: gfx12) on; null: it has none there.
struct TwoNames {
  const char *gfx9, *later;
  Handler run;
};
using Names = std::vector<TwoNames>;
std::vector<Opcode> prefixed(const std::string &prefix, const Names &names);

template <class S> Names transfer_names() {
  return {
      {"load_dword", "load_b32", vector_load<S, Form<4>>},
      {"load_dwordx2", "load_b64", vector_load<S, Form<8>>},
      {"load_dwordx3", "load_b96", vector_load<S, Form<12>>},
      {"load_dwordx4", "load_b128", vector_load<S, Form<16>>},
      {"load_ubyte", "load_u8", vector_load<S, Byte>},
      {"load_sbyte", "load_i8", vector_load<S, SignedByte>},
      {"load_ushort", "load_u16", vector_load<S, Short>},
      {"load_sshort", "load_i16", vector_load<S, SignedShort>},
      {"load_ubyte_d16", "load_d16_u8", vector_load<S, ByteD16>},
      {"load_ubyte_d16_hi", "load_d16_hi_u8", vector_load<S, ByteD16High>},
      {"load_sbyte_d16", "load_d16_i8", vector_load<S, SignedByteD16>},
      {"load_sbyte_d16_hi", "load_d16_hi_i8", vector_load<S, SignedByteD16High>},
      {"load_short_d16", "load_d16_b16", vector_load<S, ShortD16>},
      {"load_short_d16_hi", "load_d16_hi_b16", vector_load<S, ShortD16High>},
      {"store_dword", "store_b32", vector_store<S, Form<4>>},
      {"store_dwordx2", "store_b64", vector_store<S, Form<8>>},
      {"store_dwordx3", "store_b96", vector_store<S, Form<12>>},
      {"store_dwordx4", "store_b128", vector_store<S, Form<16>>},
      {"store_byte", "store_b8", vector_store<S, Byte>},
      {"store_short", "store_b16", vector_store<S, Short>},
      {"store_byte_d16_hi", "store_d16_hi_b8", vector_store<S, ByteD16High>},
      {"store_short_d16_hi", "store_d16_hi_b16", vector_store<S, ShortD16High>},
  };
}

template <class S> Names atomic_names() {
  using u32 = uint32_t;
  using i32 = int32_t;
  using u64 = uint64_t;
  using i64 = int64_t;
  return {
      {"add", "add_u32", vector_atomic<S, AtomicAdd<u32>>},
      {"add_x2", "add_u64", vector_atomic<S, AtomicAdd<u64>>},
      {"sub", "sub_u32", vector_atomic<S, AtomicSub<u32>>},
      {"sub_x2", "sub_u64", vector_atomic<S, AtomicSub<u64>>},
      {"smin", "min_i32", vector_atomic<S, AtomicMin<i32>>},
      {"smin_x2", "min_i64", vector_atomic<S, AtomicMin<i64>>},
      {"umin", "min_u32", vector_atomic<S, AtomicMin<u32>>},
      {"umin_x2", "min_u64", vector_atomic<S, AtomicMin<u64>>},
      {"smax", "max_i32", vector_atomic<S, AtomicMax<i32>>},
      {"smax_x2", "max_i64", vector_atomic<S, AtomicMax<i64>>},
      {"umax", "max_u32", vector_atomic<S, AtomicMax<u32>>},
      {"umax_x2", "max_u64", vector_atomic<S, AtomicMax<u64>>},
      {"and", "and_b32", vector_atomic<S, AtomicAnd<u32>>},
      {"and_x2", "and_b64", vector_atomic<S, AtomicAnd<u64>>},
      {"or", "or_b32", vector_atomic<S, AtomicOr<u32>>},
      {"or_x2", "or_b64", vector_atomic<S, AtomicOr<u64>>},
      {"xor", "xor_b32", vector_atomic<S, AtomicXor<u32>>},
      {"xor_x2", "xor_b64", vector_atomic<S, AtomicXor<u64>>},
      {"inc", "inc_u32", vector_atomic<S, AtomicInc<u32>>},
      {"inc_x2", "inc_u64", vector_atomic<S, AtomicInc<u64>>},
      {"dec", "dec_u32", vector_atomic<S, AtomicDec<u32>>},
      {"dec_x2", "dec_u64", vector_atomic<S, AtomicDec<u64>>},
      {"swap", "swap_b32", vector_atomic<S, AtomicSwap<u32>>},
      {"swap_x2", "swap_b64", vector_atomic<S, AtomicSwap<u64>>},
      {nullptr, "cmpswap_f32", vector_compare<S, float>},
      {"cmpswap", "cmpswap_b32", vector_compare<S, u32>},
      {"cmpswap_x2", "cmpswap_b64", vector_compare<S, u64>},
      {"add_f32", "add_f32", vector_atomic<S, AtomicAdd<float>>},
      {"add_f64", "add_f64", vector_atomic<S, AtomicAdd<double>>},
      {"pk_add_f16", "pk_add_f16", vector_atomic<S, AtomicAddHalf2>},
      {"pk_add_bf16", "pk_add_bf16", vector_atomic<S, AtomicAddBf16x2>},
      {"min_f32", "min_num_f32", vector_atomic<S, AtomicFloatMin<float>>},
      {"max_f32", "max_num_f32", vector_atomic<S, AtomicFloatMax<float>>},
      {"min_f64", "min_num_f64", vector_atomic<S, AtomicFloatMin<double>>},
      {"max_f64", "max_num_f64", vector_atomic<S, AtomicFloatMax<double>>},
      {"csub_u32", "sub_clamp_u32", vector_atomic<S, AtomicSubClamp<u32>>},
      {nullptr, "cond_sub_u32", vector_atomic<S, AtomicCondSub<u32>>},
  };
}

} // namespace flysim
