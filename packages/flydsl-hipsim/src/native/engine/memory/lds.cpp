// LDS instructions: loads, stores, pairs and atomics.
#include "vector_memory.h"

#include <deque>

namespace flysim {
namespace {

uint32_t offset_of(const FlySimRecord &r) { return uint32_t(r.offset) & 0xffff; }

// Whether all lanes are active and have `bytes` at their address and offset, in a launch that is not checked: no access
// is noted.
bool all_inside(const Wave &w, const uint32_t *address, uint32_t offset, uint32_t bytes) {
  const uint32_t size = w.group->lds_size;
  if (w.exec() != w.full() || w.trace || size < bytes) return false;
  return largest_sum(address, offset, w.lanes) <= size - bytes;
}

template <class F> void read(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t offset = offset_of(r);
  alignas(64) uint32_t address[kLanes];
  copy_words<kLanes>(address, w.row(r.operands[1].index));
  uint32_t *to = w.row(r.operands[0].index);
  if (all_inside(w, address, offset, F::bytes)) {
    uint8_t *lds = w.group->lds;
    if (F::bytes == 4 && is_run(address, 4, w.lanes))
      return load_run<F>(lds + uint32_t(address[0] + offset), to, w.lanes);
    return load_all<F>([&](int l) { return lds + uint32_t(address[l] + offset); }, to, w.lanes);
  }
  each_lane(w.exec(), [&](int l) { F::load(lds_at(w, address[l] + offset, F::bytes, l), to + l); });
}
template <class F> void write(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t offset = offset_of(r);
  const uint32_t *address = w.row(r.operands[0].index), *from = w.row(r.operands[1].index);
  if (all_inside(w, address, offset, F::bytes)) {
    uint8_t *lds = w.group->lds;
    if (F::bytes == 4 && is_run(address, 4, w.lanes))
      return store_run<F>(lds + uint32_t(address[0] + offset), from, w.lanes);
    return store_all<F>([&](int l) { return lds + uint32_t(address[l] + offset); }, from, w.lanes);
  }
  each_lane(w.exec(), [&](int l) { F::store(lds_at(w, address[l] + offset, F::bytes, l), from + l); });
}
template <int Bytes, int Scale> void read_two(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t first = uint8_t(r.offset) * Bytes * Scale, second = uint8_t(r.offset1) * Bytes * Scale;
  alignas(64) uint32_t address[kLanes];
  copy_words<kLanes>(address, w.row(r.operands[1].index));
  uint32_t *to = w.row(r.operands[0].index);
  if (all_inside(w, address, first, Bytes) && all_inside(w, address, second, Bytes)) {
    const uint8_t *lds = w.group->lds;
    load_all<Form<Bytes>>([&](int l) { return lds + uint32_t(address[l] + first); }, to, w.lanes);
    return load_all<Form<Bytes>>([&](int l) { return lds + uint32_t(address[l] + second); }, to + Bytes / 4 * kLanes,
                                 w.lanes);
  }
  each_lane(w.exec(), [&](int l) {
    Form<Bytes>::load(lds_at(w, address[l] + first, Bytes, l), to + l);
    Form<Bytes>::load(lds_at(w, address[l] + second, Bytes, l), to + l + Bytes / 4 * kLanes);
  });
}
template <int Bytes, int Scale> void write_two(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t first = uint8_t(r.offset) * Bytes * Scale, second = uint8_t(r.offset1) * Bytes * Scale;
  const uint32_t *address = w.row(r.operands[0].index), *a = w.row(r.operands[1].index),
                 *b = w.row(r.operands[2].index);
  if (all_inside(w, address, first, Bytes) && all_inside(w, address, second, Bytes)) {
    uint8_t *lds = w.group->lds;
    return store_both<Form<Bytes>>([&](int l) { return lds + uint32_t(address[l] + first); },
                                   [&](int l) { return lds + uint32_t(address[l] + second); }, a, b, w.lanes);
  }
  each_lane(w.exec(), [&](int l) {
    Form<Bytes>::store(lds_at(w, address[l] + first, Bytes, l), a + l);
    Form<Bytes>::store(lds_at(w, address[l] + second, Bytes, l), b + l);
  });
}

template <class A, bool Returns> void atomic(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t offset = offset_of(r);
  const uint32_t *address = w.row(r.operands[Returns].index), *data = w.row(r.operands[Returns + 1].index);
  uint32_t *result = Returns ? w.row(r.operands[0].index) : nullptr;
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = lds_at(w, address[l] + offset, sizeof(typename A::type), l);
    atomic_lane<A>(place, data + l, Returns ? result + l : nullptr);
  });
}
// gfx9 has the compared value first, gfx11 on (`cmpstore`) the new one.
template <class T, bool Returns, bool NewFirst> void compare(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t offset = offset_of(r);
  const uint32_t *address = w.row(r.operands[Returns].index);
  const uint32_t *a = w.row(r.operands[Returns + 1].index), *b = w.row(r.operands[Returns + 2].index);
  const uint32_t *made = NewFirst ? a : b, *compared = NewFirst ? b : a;
  uint32_t *result = Returns ? w.row(r.operands[0].index) : nullptr;
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = lds_at(w, address[l] + offset, sizeof(T), l);
    compare_lane<T>(place, lane_value<T>(made + l), lane_value<T>(compared + l), Returns ? result + l : nullptr);
  });
}

// The first value's bits are cleared, the second's set.
template <class T, bool Returns> void masked_or(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *address = w.row(r.operands[Returns].index);
  const uint32_t *mask = w.row(r.operands[Returns + 1].index), *set = w.row(r.operands[Returns + 2].index);
  uint32_t *result = Returns ? w.row(r.operands[0].index) : nullptr;
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = lds_at(w, uint64_t(address[l]) + (offset_of(r)), sizeof(T), l);
    const T clear = lane_value<T>(mask + l), bits = lane_value<T>(set + l);
    const T old = exchange_with<T>(place, [=](T before) { return T((before & ~clear) | bits); });
    if (Returns) set_lane_value(result + l, old);
  });
}

template <bool R> Names atomic_names_of() {
  using u32 = uint32_t;
  using i32 = int32_t;
  using u64 = uint64_t;
  using i64 = int64_t;
  return {
      {"add_u32", "add_u32", atomic<AtomicAdd<u32>, R>},
      {"add_u64", "add_u64", atomic<AtomicAdd<u64>, R>},
      {"sub_u32", "sub_u32", atomic<AtomicSub<u32>, R>},
      {"sub_u64", "sub_u64", atomic<AtomicSub<u64>, R>},
      {"rsub_u32", "rsub_u32", atomic<AtomicReverseSub<u32>, R>},
      {"rsub_u64", "rsub_u64", atomic<AtomicReverseSub<u64>, R>},
      {"inc_u32", "inc_u32", atomic<AtomicInc<u32>, R>},
      {"inc_u64", "inc_u64", atomic<AtomicInc<u64>, R>},
      {"dec_u32", "dec_u32", atomic<AtomicDec<u32>, R>},
      {"dec_u64", "dec_u64", atomic<AtomicDec<u64>, R>},
      {"min_i32", "min_i32", atomic<AtomicMin<i32>, R>},
      {"min_i64", "min_i64", atomic<AtomicMin<i64>, R>},
      {"max_i32", "max_i32", atomic<AtomicMax<i32>, R>},
      {"max_i64", "max_i64", atomic<AtomicMax<i64>, R>},
      {"min_u32", "min_u32", atomic<AtomicMin<u32>, R>},
      {"min_u64", "min_u64", atomic<AtomicMin<u64>, R>},
      {"max_u32", "max_u32", atomic<AtomicMax<u32>, R>},
      {"max_u64", "max_u64", atomic<AtomicMax<u64>, R>},
      {"and_b32", "and_b32", atomic<AtomicAnd<u32>, R>},
      {"and_b64", "and_b64", atomic<AtomicAnd<u64>, R>},
      {"or_b32", "or_b32", atomic<AtomicOr<u32>, R>},
      {"or_b64", "or_b64", atomic<AtomicOr<u64>, R>},
      {"xor_b32", "xor_b32", atomic<AtomicXor<u32>, R>},
      {"xor_b64", "xor_b64", atomic<AtomicXor<u64>, R>},
      {"add_f32", "add_f32", atomic<AtomicAdd<float>, R>},
      {"add_f64", "add_f64", atomic<AtomicAdd<double>, R>},
      {"pk_add_f16", "pk_add_f16", atomic<AtomicAddHalf2, R>},
      {"pk_add_bf16", "pk_add_bf16", atomic<AtomicAddBf16x2, R>},
      {"min_f32", "min_num_f32", atomic<AtomicFloatMin<float>, R>},
      {"max_f32", "max_num_f32", atomic<AtomicFloatMax<float>, R>},
      {"min_f64", "min_num_f64", atomic<AtomicFloatMin<double>, R>},
      {"max_f64", "max_num_f64", atomic<AtomicFloatMax<double>, R>},
      {"wrxchg_b32", "storexchg_b32", atomic<AtomicSwap<u32>, R>},
      {"wrxchg_b64", "storexchg_b64", atomic<AtomicSwap<u64>, R>},
      {"cmpst_b32", nullptr, compare<u32, R, false>},
      {"cmpst_b64", nullptr, compare<u64, R, false>},
      {"cmpst_f32", nullptr, compare<float, R, false>},
      {"cmpst_f64", nullptr, compare<double, R, false>},
      {nullptr, "cmpstore_b32", compare<u32, R, true>},
      {nullptr, "cmpstore_b64", compare<u64, R, true>},
      {nullptr, "cmpstore_f32", compare<float, R, true>},
      {nullptr, "cmpstore_f64", compare<double, R, true>},
      {nullptr, "sub_clamp_u32", atomic<AtomicSubClamp<u32>, R>},
      {nullptr, "cond_sub_u32", atomic<AtomicCondSub<u32>, R>},
      {"mskor_b32", "mskor_b32", masked_or<u32, R>},
      {"mskor_b64", "mskor_b64", masked_or<u64, R>},
  };
}

// ---- what hardly any compiler emits, but builtins reach ----
void wrap(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *address = w.row(r.operands[1].index), *a = w.row(r.operands[2].index),
                 *b = w.row(r.operands[3].index);
  uint32_t *result = w.row(r.operands[0].index);
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = lds_at(w, address[l] + offset_of(r), 4, l);
    const uint32_t x = a[l], y = b[l];
    result[l] = exchange_with<uint32_t>(place, [&](uint32_t old) { return old >= x ? old - x : old + y; });
  });
}
// A counter at M0 for all active lanes at once; each receives what it was.
template <bool Adds> void count_lanes(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint64_t active = w.exec();
  const uint32_t lanes = uint32_t(__builtin_popcountll(active));
  if (!active) return;
  uint8_t *place = lds_at(w, (w.s[kM0] & 0xffff) + offset_of(r), 4, __builtin_ctzll(active));
  const uint32_t old =
      exchange_with<uint32_t>(place, [&](uint32_t before) { return Adds ? before + lanes : before - lanes; });
  uint32_t *result = w.row(r.operands[0].index);
  each_lane(active, [&](int l) { result[l] = old; });
}
// Two places, each with a value of its own, exchanged.
template <class T, int Scale> void exchange_two(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t places[] = {uint8_t(r.offset) * uint32_t(sizeof(T)) * Scale,
                             uint8_t(r.offset1) * uint32_t(sizeof(T)) * Scale};
  uint32_t *result = w.row(r.operands[0].index);
  each_lane(w.exec(), [&](int l) {
    const uint32_t address = w.row(r.operands[1].index)[l];
    const T values[] = {lane_value<T>(w.row(r.operands[2].index) + l), lane_value<T>(w.row(r.operands[3].index) + l)};
    uint8_t *const at[] = {lds_at(w, address + places[0], sizeof(T), l), lds_at(w, address + places[1], sizeof(T), l)};
    const T old[] = {exchange_with<T>(at[0], [&](T) { return values[0]; }),
                     exchange_with<T>(at[1], [&](T) { return values[1]; })};
    set_lane_value<T>(result + l, old[0]);
    set_lane_value<T>(result + l + int(sizeof(T) / 4) * kLanes,
                      at[0] == at[1] ? old[0] : old[1]); // both are read before one is written
  });
}
// Consecutive words at M0, one a lane.
template <bool Stores> void consecutive(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  uint32_t *row = w.row(r.operands[0].index);
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = lds_at(w, (w.s[kM0] & 0xffff) + offset_of(r) + 4u * uint32_t(l), 4, l);
    if (Stores) std::memcpy(place, row + l, 4);
    else std::memcpy(row + l, place, 4);
  });
}
const Registration rare({
    {"ds_wrap_rtn_b32", wrap, "*"},
    {"ds_append", count_lanes<true>, "*"},
    {"ds_consume", count_lanes<false>, "*"},
});

// ds_add_u32 and ds_add_rtn_u32: the word in front of the type is where `rtn` goes.
std::vector<Opcode> returning_atomics() {
  static std::deque<std::string> kept;
  std::vector<Opcode> made = prefixed("ds_", atomic_names_of<true>());
  for (Opcode &opcode : made) {
    kept.push_back(opcode.name);
    kept.back().insert(kept.back().rfind('_'), "_rtn");
    opcode.name = kept.back().c_str();
  }
  return made;
}

const Registration atomics(prefixed("ds_", atomic_names_of<false>()));
const Registration returning(returning_atomics());
const Registration
    transfers(prefixed("ds_",
                       {
                           {"read_b32", "load_b32", read<Form<4>>},
                           {"read_b64", "load_b64", read<Form<8>>},
                           {"read_b96", "load_b96", read<Form<12>>},
                           {"read_b128", "load_b128", read<Form<16>>},
                           {"read_u8", "load_u8", read<Byte>},
                           {"read_i8", "load_i8", read<SignedByte>},
                           {"read_u16", "load_u16", read<Short>},
                           {"read_i16", "load_i16", read<SignedShort>},
                           {"read_u8_d16", "load_u8_d16", read<ByteD16>},
                           {"read_u8_d16_hi", "load_u8_d16_hi", read<ByteD16High>},
                           {"read_i8_d16", "load_i8_d16", read<SignedByteD16>},
                           {"read_i8_d16_hi", "load_i8_d16_hi", read<SignedByteD16High>},
                           {"read_u16_d16", "load_u16_d16", read<ShortD16>},
                           {"read_u16_d16_hi", "load_u16_d16_hi", read<ShortD16High>},
                           {"write_b32", "store_b32", write<Form<4>>},
                           {"write_b64", "store_b64", write<Form<8>>},
                           {"write_b96", "store_b96", write<Form<12>>},
                           {"write_b128", "store_b128", write<Form<16>>},
                           {"write_b8", "store_b8", write<Byte>},
                           {"write_b16", "store_b16", write<Short>},
                           {"write_b8_d16_hi", "store_b8_d16_hi", write<ByteD16High>},
                           {"write_b16_d16_hi", "store_b16_d16_hi", write<ShortD16High>},
                           {"read2_b32", "load_2addr_b32", read_two<4, 1>},
                           {"read2_b64", "load_2addr_b64", read_two<8, 1>},
                           {"read2st64_b32", "load_2addr_stride64_b32", read_two<4, 64>},
                           {"read2st64_b64", "load_2addr_stride64_b64", read_two<8, 64>},
                           {"write2_b32", "store_2addr_b32", write_two<4, 1>},
                           {"write2_b64", "store_2addr_b64", write_two<8, 1>},
                           {"write2st64_b32", "store_2addr_stride64_b32", write_two<4, 64>},
                           {"write2st64_b64", "store_2addr_stride64_b64", write_two<8, 64>},
                           {"wrxchg2_rtn_b32", "storexchg_2addr_rtn_b32", exchange_two<uint32_t, 1>},
                           {"wrxchg2_rtn_b64", "storexchg_2addr_rtn_b64", exchange_two<uint64_t, 1>},
                           {"wrxchg2st64_rtn_b32", "storexchg_2addr_stride64_rtn_b32", exchange_two<uint32_t, 64>},
                           {"wrxchg2st64_rtn_b64", "storexchg_2addr_stride64_rtn_b64", exchange_two<uint64_t, 64>},
                           {"read_addtid_b32", "load_addtid_b32", consecutive<false>},
                           {"write_addtid_b32", "store_addtid_b32", consecutive<true>},
                       }));

void nothing(Wave &, const Inst &) {}
const Registration without_effect({{"ds_nop", nothing, "*"}});

} // namespace
} // namespace flysim
