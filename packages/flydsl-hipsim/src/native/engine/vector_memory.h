// Lane addresses of one kind of instruction in (`Space`), handlers and tables for all its loads, stores and atomics out.
//
// A Space has `static Addresses begin(Wave &, const Inst &, int first)`; operands from `first` on are its address operands,
// and `uint8_t *place(Wave &, int lane, uint32_t bytes, Access, uint32_t at)`, null for a lane that reads 0 and writes nothing.
#pragma once
#include "atomics.h"
#include "transfer.h"

namespace flysim {

template <class Space, class F> void vector_load(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const Space space(w, r, 1);
  uint32_t *to = w.row(r.operands[0].index);
  if constexpr (F::bytes == 4 && requires { space.block(w, 4, Access::read); }) {
    if (const uint8_t *from = space.block(w, 4, Access::read)) {
      std::memcpy(to, from, kLanes * 4);
      return;
    }
  }
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
  const Space space(w, r, Space::store_address);
  const uint32_t *from = w.row(r.operands[Space::store_data].index);
  if constexpr (F::bytes == 4 && requires { space.block(w, 4, Access::write); }) {
    if (uint8_t *to = space.block(w, 4, Access::write)) {
      std::memcpy(to, from, kLanes * 4);
      return;
    }
  }
  each_lane(w.exec(), [&](int l) {
    if constexpr (Space::checks_words && F::bytes > 4) {
      for (int k = 0; k < F::words; ++k)
        if (uint8_t *to = space.place(w, l, 4, Access::write, 4 * k)) std::memcpy(to, from + l + k * kLanes, 4);
      return;
    }
    if (uint8_t *to = space.place(w, l, F::bytes, Access::write, 0)) F::store(to, from + l);
  });
}

// Atomics that return have a destination, which comes first; for buffers it is the data itself.
template <class Space, class A> void vector_atomic(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const bool returns = Space::returns(r);
  const int first = returns && !Space::in_place;
  const Space space(w, r, Space::store_address + first);
  const uint32_t *data = w.row(r.operands[Space::store_data + first].index);
  uint32_t *result = returns ? w.row(r.operands[0].index) : nullptr;
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = space.place(w, l, sizeof(typename A::type), Access::write, 0);
    if (place) atomic_lane<A>(place, data + l, result ? result + l : nullptr);
  });
}

// The data's first half is the new value, the second what it is compared with.
template <class Space, class T> void vector_compare(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const bool returns = Space::returns(r);
  const int first = returns && !Space::in_place;
  const Space space(w, r, Space::store_address + first);
  const uint32_t *data = w.row(r.operands[Space::store_data + first].index);
  uint32_t *result = returns ? w.row(r.operands[0].index) : nullptr;
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = space.place(w, l, sizeof(T), Access::write, 0);
    const uint32_t *compared = data + sizeof(T) / 4 * kLanes;
    if (place) compare_lane<T>(place, lane_value<T>(data + l), lane_value<T>(compared + l), result ? result + l : nullptr);
  });
}

using Names = std::vector<std::pair<std::string, Handler>>;
std::vector<Opcode> prefixed(const std::string &prefix, const Names &names);

// Names of gfx9, and those of gfx11 on.
template <class S> Names transfer_names() {
  return {
      {"load_dword", vector_load<S, Form<4>>}, {"load_dwordx2", vector_load<S, Form<8>>}, {"load_dwordx3", vector_load<S, Form<12>>},
      {"load_dwordx4", vector_load<S, Form<16>>}, {"load_ubyte", vector_load<S, Byte>}, {"load_sbyte", vector_load<S, SignedByte>},
      {"load_ushort", vector_load<S, Short>}, {"load_sshort", vector_load<S, SignedShort>},
      {"load_ubyte_d16", vector_load<S, ByteD16>}, {"load_ubyte_d16_hi", vector_load<S, ByteD16High>},
      {"load_sbyte_d16", vector_load<S, SignedByteD16>}, {"load_sbyte_d16_hi", vector_load<S, SignedByteD16High>},
      {"load_short_d16", vector_load<S, ShortD16>}, {"load_short_d16_hi", vector_load<S, ShortD16High>},
      {"store_dword", vector_store<S, Form<4>>}, {"store_dwordx2", vector_store<S, Form<8>>}, {"store_dwordx3", vector_store<S, Form<12>>},
      {"store_dwordx4", vector_store<S, Form<16>>}, {"store_byte", vector_store<S, Byte>}, {"store_short", vector_store<S, Short>},
      {"store_byte_d16_hi", vector_store<S, ByteD16High>}, {"store_short_d16_hi", vector_store<S, ShortD16High>},
      {"load_b32", vector_load<S, Form<4>>}, {"load_b64", vector_load<S, Form<8>>}, {"load_b96", vector_load<S, Form<12>>},
      {"load_b128", vector_load<S, Form<16>>}, {"load_u8", vector_load<S, Byte>}, {"load_i8", vector_load<S, SignedByte>},
      {"load_u16", vector_load<S, Short>}, {"load_i16", vector_load<S, SignedShort>},
      {"load_d16_u8", vector_load<S, ByteD16>}, {"load_d16_hi_u8", vector_load<S, ByteD16High>},
      {"load_d16_i8", vector_load<S, SignedByteD16>}, {"load_d16_hi_i8", vector_load<S, SignedByteD16High>},
      {"load_d16_b16", vector_load<S, ShortD16>}, {"load_d16_hi_b16", vector_load<S, ShortD16High>},
      {"store_b32", vector_store<S, Form<4>>}, {"store_b64", vector_store<S, Form<8>>}, {"store_b96", vector_store<S, Form<12>>},
      {"store_b128", vector_store<S, Form<16>>}, {"store_b8", vector_store<S, Byte>}, {"store_b16", vector_store<S, Short>},
      {"store_d16_hi_b8", vector_store<S, ByteD16High>}, {"store_d16_hi_b16", vector_store<S, ShortD16High>},
  };
}

template <class S> Names atomic_names() {
  using u32 = uint32_t;
  using i32 = int32_t;
  using u64 = uint64_t;
  using i64 = int64_t;
  return {
      {"add", vector_atomic<S, AtomicAdd<u32>>}, {"sub", vector_atomic<S, AtomicSub<u32>>}, {"smin", vector_atomic<S, AtomicMin<i32>>},
      {"umin", vector_atomic<S, AtomicMin<u32>>}, {"smax", vector_atomic<S, AtomicMax<i32>>}, {"umax", vector_atomic<S, AtomicMax<u32>>},
      {"and", vector_atomic<S, AtomicAnd<u32>>}, {"or", vector_atomic<S, AtomicOr<u32>>}, {"xor", vector_atomic<S, AtomicXor<u32>>},
      {"inc", vector_atomic<S, AtomicInc<u32>>}, {"dec", vector_atomic<S, AtomicDec<u32>>}, {"swap", vector_atomic<S, AtomicSwap<u32>>},
      {"cmpswap", vector_compare<S, u32>}, {"add_x2", vector_atomic<S, AtomicAdd<u64>>}, {"sub_x2", vector_atomic<S, AtomicSub<u64>>},
      {"smin_x2", vector_atomic<S, AtomicMin<i64>>}, {"umin_x2", vector_atomic<S, AtomicMin<u64>>},
      {"smax_x2", vector_atomic<S, AtomicMax<i64>>}, {"umax_x2", vector_atomic<S, AtomicMax<u64>>},
      {"and_x2", vector_atomic<S, AtomicAnd<u64>>}, {"or_x2", vector_atomic<S, AtomicOr<u64>>}, {"xor_x2", vector_atomic<S, AtomicXor<u64>>},
      {"inc_x2", vector_atomic<S, AtomicInc<u64>>}, {"dec_x2", vector_atomic<S, AtomicDec<u64>>}, {"swap_x2", vector_atomic<S, AtomicSwap<u64>>},
      {"cmpswap_x2", vector_compare<S, u64>}, {"add_f32", vector_atomic<S, AtomicAdd<float>>}, {"add_f64", vector_atomic<S, AtomicAdd<double>>},
      {"min_f64", vector_atomic<S, AtomicFloatMin<double>>}, {"max_f64", vector_atomic<S, AtomicFloatMax<double>>},
      {"pk_add_f16", vector_atomic<S, AtomicAddHalf2>}, {"pk_add_bf16", vector_atomic<S, AtomicAddBf16x2>},
      // gfx11 on
      {"add_u32", vector_atomic<S, AtomicAdd<u32>>}, {"sub_u32", vector_atomic<S, AtomicSub<u32>>}, {"min_i32", vector_atomic<S, AtomicMin<i32>>},
      {"min_u32", vector_atomic<S, AtomicMin<u32>>}, {"max_i32", vector_atomic<S, AtomicMax<i32>>}, {"max_u32", vector_atomic<S, AtomicMax<u32>>},
      {"and_b32", vector_atomic<S, AtomicAnd<u32>>}, {"or_b32", vector_atomic<S, AtomicOr<u32>>}, {"xor_b32", vector_atomic<S, AtomicXor<u32>>},
      {"inc_u32", vector_atomic<S, AtomicInc<u32>>}, {"dec_u32", vector_atomic<S, AtomicDec<u32>>}, {"swap_b32", vector_atomic<S, AtomicSwap<u32>>},
      {"cmpswap_b32", vector_compare<S, u32>}, {"add_u64", vector_atomic<S, AtomicAdd<u64>>}, {"sub_u64", vector_atomic<S, AtomicSub<u64>>},
      {"min_i64", vector_atomic<S, AtomicMin<i64>>}, {"min_u64", vector_atomic<S, AtomicMin<u64>>},
      {"max_i64", vector_atomic<S, AtomicMax<i64>>}, {"max_u64", vector_atomic<S, AtomicMax<u64>>},
      {"and_b64", vector_atomic<S, AtomicAnd<u64>>}, {"or_b64", vector_atomic<S, AtomicOr<u64>>}, {"xor_b64", vector_atomic<S, AtomicXor<u64>>},
      {"inc_u64", vector_atomic<S, AtomicInc<u64>>}, {"dec_u64", vector_atomic<S, AtomicDec<u64>>}, {"swap_b64", vector_atomic<S, AtomicSwap<u64>>},
      {"cmpswap_b64", vector_compare<S, u64>}, {"min_f32", vector_atomic<S, AtomicFloatMin<float>>}, {"max_f32", vector_atomic<S, AtomicFloatMax<float>>},
      {"min_num_f32", vector_atomic<S, AtomicFloatMin<float>>}, {"max_num_f32", vector_atomic<S, AtomicFloatMax<float>>},
      {"sub_clamp_u32", vector_atomic<S, AtomicSubClamp<u32>>}, {"cond_sub_u32", vector_atomic<S, AtomicCondSub<u32>>},
      {"csub_u32", vector_atomic<S, AtomicSubClamp<u32>>},
  };
}

} // namespace flysim
