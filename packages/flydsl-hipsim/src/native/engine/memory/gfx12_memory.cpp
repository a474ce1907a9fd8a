// What gfx12 and gfx1250 add to memory instructions: transposed loads, copies between memory and LDS, blocks of
// registers, barriers in LDS. Loads for a cluster are loads, as all its workgroups ask; copies are done when they are
// issued.
#include "cluster_mask.h"
#include "engine/vector/packed_codes.h"
#include "lds_barrier.h"
#include "vector_memory.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

// ---- transposed loads: rows of a tile in, columns out ----
// Bits of an element, of a lane's data, and which lane's element `e` of lane l is: lane and element there.
struct From { int lane, element; };
struct Transposed16 { // eight lanes exchange eight halves each
  static constexpr int bits = 16, words = 4;
  static From of(int l, int e) { return {l / 8 * 8 + e, l % 8}; }
};
struct Transposed8 { // lanes 0 to 15 have rows 0 to 7, four lanes the left half of four rows, the next four the right
                     // one
  static constexpr int bits = 8, words = 2;
  static From of(int l, int e) { return {l / 16 * 16 + e / 4 * 8 + l % 16 / 8 * 4 + e % 4, l % 8}; }
};
struct Transposed6 { // of eight lanes four have the first sixteen columns, four the next
  static constexpr int bits = 6, words = 3;
  static From of(int l, int e) { return {e / 4 * 8 + l / 16 * 4 + e % 4, l % 16}; }
};
struct Transposed4 { // eight lanes each: columns 0 to 15 of eight rows, 16 to 31 of them, and the same of the next
                     // eight rows
  static constexpr int bits = 4, words = 2;
  static From of(int l, int e) { return {e / 8 * 16 + l / 16 * 8 + e % 8, l % 16}; }
};

// `read(l, to)` has the bytes that lane l loads. In waves of 64 the first half loads, and the second half receives the
// second half of what lanes of the first one do otherwise.
template <class How, class Read> void transpose(Wave &w, const FlySimRecord &r, Read read) {
  constexpr int elements = How::words * 32 / How::bits;
  u32 loaded[How::words * kLanes] = {};
  const u64 active = w.exec() & 0xffffffffu;
  each_lane(active, [&](int l) {
    u32 data[How::words];
    read(l, reinterpret_cast<uint8_t *>(data), How::words * 4);
    for (int k = 0; k < How::words; ++k) loaded[k * kLanes + l] = data[k];
  });
  const int parts = w.lanes / 32, words = How::words / parts;
  each_lane(w.exec(), [&](int l) {
    u32 made[How::words] = {};
    for (int e = 0; e < elements; ++e) {
      const From from = How::of(l % 32, e);
      pack_code(made, How::bits, e, packed_code(loaded, from.lane, How::bits, from.element));
    }
    for (int k = 0; k < words; ++k) w.row(r.operands[0].index + unsigned(k))[l] = made[l / 32 * words + k];
  });
}
template <class How> void load_transposed(Wave &w, const Inst &i) {
  u64 address[kLanes];
  global_addresses(w, *i.record, 1, address);
  transpose<How>(w, *i.record, [&](int l, uint8_t *to, u32 bytes) {
    std::memcpy(to, global_at(w, address[l], bytes, l, Access::read), bytes);
  });
}
template <class How> void read_transposed(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const u32 *address = w.row(r.operands[1].index);
  transpose<How>(w, r, [&](int l, uint8_t *to, u32 bytes) {
    std::memcpy(to, lds_at(w, u64(address[l]) + (u32(r.offset) & 0xffff), bytes, l), bytes);
  });
}
const Registration transposed({
    {"global_load_tr_b128", load_transposed<Transposed16>, "*"},
    {"global_load_tr_b64", load_transposed<Transposed8>, "*"},
    {"global_load_tr16_b128", load_transposed<Transposed16>, "*"},
    {"global_load_tr8_b64", load_transposed<Transposed8>, "*"},
    {"global_load_tr6_b96", load_transposed<Transposed6>, "*"},
    {"global_load_tr4_b64", load_transposed<Transposed4>, "*"},
    {"ds_load_tr16_b128", read_transposed<Transposed16>, "*"},
    {"ds_load_tr8_b64", read_transposed<Transposed8>, "*"},
    {"ds_load_tr6_b96", read_transposed<Transposed6>, "*"},
    {"ds_load_tr4_b64", read_transposed<Transposed4>, "*"},
});

// ---- between memory and LDS: each lane has an address in both, and the offset counts in both ----
template <int Bytes, bool Stores> void copy(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  u64 address[kLanes];
  global_addresses(w, r, Stores ? 0 : 1, address);
  const u32 *local = w.row(r.operands[Stores ? 1 : 0].index);
  each_lane(w.exec(), [&](int l) {
    uint8_t *memory = global_at(w, address[l], Bytes, l, Stores ? Access::write : Access::read);
    uint8_t *shared = lds_at(w, local[l] + u32(r.offset), Bytes, l);
    std::memcpy(Stores ? memory : shared, Stores ? shared : memory, Bytes);
  });
}
template <bool Stores> Names copies() {
  return {{nullptr, "b8", copy<1, Stores>},
          {nullptr, "b32", copy<4, Stores>},
          {nullptr, "b64", copy<8, Stores>},
          {nullptr, "b128", copy<16, Stores>}};
}
const Registration to_lds(prefixed("global_load_async_to_lds_", copies<false>()));
const Registration from_lds(prefixed("global_store_async_from_lds_", copies<true>()));

// For the workgroups in M0's mask.
template <Handler Run> void masked(Wave &w, const Inst &i) {
  check_cluster_mask(w, w.s[kM0] & 0xffff);
  Run(w, i);
}
const Registration cluster_to_lds(prefixed("cluster_load_async_to_lds_",
                                           {{nullptr, "b8", masked<copy<1, false>>},
                                            {nullptr, "b32", masked<copy<4, false>>},
                                            {nullptr, "b64", masked<copy<8, false>>},
                                            {nullptr, "b128", masked<copy<16, false>>}}));

// ---- loads for a cluster, loads that are watched ----
template <class F> void load(Wave &w, const Inst &i) {
  u64 address[kLanes];
  global_addresses(w, *i.record, 1, address);
  u32 *to = w.row(i.record->operands[0].index);
  each_lane(w.exec(), [&](int l) { F::load(global_at(w, address[l], F::bytes, l, Access::read), to + l); });
}
const Names kLoads = {
    {nullptr, "b32", load<Form<4>>}, {nullptr, "b64", load<Form<8>>}, {nullptr, "b128", load<Form<16>>}};
const Registration cluster(prefixed("cluster_load_",
                                    {{nullptr, "b32", masked<load<Form<4>>>},
                                     {nullptr, "b64", masked<load<Form<8>>>},
                                     {nullptr, "b128", masked<load<Form<16>>>}}));
const Registration watched(prefixed("global_load_monitor_", kLoads));
const Registration watched_flat(prefixed("flat_load_monitor_", kLoads));

// ---- up to 32 registers: bit k of M0 says whether the k-th is moved; its place is always that of the k-th word ----
template <bool Stores, class Place> void move_block(Wave &w, const FlySimRecord &r, Place place) {
  const FlySimOperand &data = r.operands[Stores ? 1 : 0];
  each_lane(w.exec(), [&](int l) {
    for (unsigned k = 0; k < data.count; ++k) {
      if (!(w.s[kM0] >> k & 1)) continue;
      u32 *word = w.row(data.index + k) + l;
      uint8_t *at = place(l, 4 * k);
      std::memcpy(Stores ? at : reinterpret_cast<uint8_t *>(word), Stores ? reinterpret_cast<uint8_t *>(word) : at, 4);
    }
  });
}
template <bool Stores> void global_block(Wave &w, const Inst &i) {
  u64 address[kLanes];
  global_addresses(w, *i.record, Stores ? 0 : 1, address);
  move_block<Stores>(w, *i.record, [&](int l, u32 at) {
    return global_at(w, address[l] + at, 4, l, Stores ? Access::write : Access::read);
  });
}
template <bool Stores> void scratch_block(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const FlySimOperand &vector = r.operands[Stores ? 0 : 1], &last = r.operands[r.operand_count - 1];
  u32 offset[kLanes];
  for (int l = 0; l < kLanes; ++l)
    offset[l] = u32(r.offset) + scalar_operand(w, last) + (vector.kind == FLYSIM_VGPR ? w.row(vector.index)[l] : 0);
  move_block<Stores>(w, r, [&](int l, u32 at) { return scratch_at(w, offset[l] + at, 4, l); });
}
// A word a lane, one after the other from a scalar address on.
template <bool Stores> void by_lane(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  u32 *row = w.row(r.operands[0].index);
  if (r.operands[1].kind != FLYSIM_SGPR) throw Fault("an address of lanes without a base");
  const u64 base = scalar_pair(w, r.operands[1]) + u64(int64_t(r.offset));
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = global_at(w, base + 4u * u32(l), 4, l, Stores ? Access::write : Access::read);
    std::memcpy(Stores ? place : reinterpret_cast<uint8_t *>(row + l),
                Stores ? reinterpret_cast<uint8_t *>(row + l) : place, 4);
  });
}
const Registration blocks({
    {"global_load_block", global_block<false>, "*"},
    {"global_store_block", global_block<true>, "*"},
    {"scratch_load_block", scratch_block<false>, "*"},
    {"scratch_store_block", scratch_block<true>, "*"},
    {"global_load_addtid_b32", by_lane<false>, "*"},
    {"global_store_addtid_b32", by_lane<true>, "*"},
});

// ---- barriers in LDS ----
template <bool Returns> void arrive(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const u32 *address = w.row(r.operands[Returns].index);
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = lds_at(w, u64(address[l]) + (u32(r.offset) & 0xffff), 8, l);
    const u32 arrivals = Returns ? w.row(r.operands[2].index)[l] : 1;
    const u64 old = arrive_at(place, arrivals);
    if (Returns) set_lane_value<u64>(w.row(r.operands[0].index) + l, old);
  });
}
const Registration barriers({
    {"ds_atomic_barrier_arrive_rtn_b64", arrive<true>, "*"},
    {"ds_atomic_async_barrier_arrive_b64", arrive<false>, "*"},
});

} // namespace
} // namespace flysim
