// What RDNA adds to memory instructions: pairs exchanged in LDS, masked or, small loads through resources.
#include "access.h"
#include "atomics.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

// Two places a lane, `Scale` elements of T apart: the old values to the destination's first and second half.
template <class T, int Scale> void exchange_two(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  constexpr int words = sizeof(T) / 4;
  const u64 offsets[] = {u64(uint8_t(r.offset)) * sizeof(T) * Scale, u64(uint8_t(r.offset1)) * sizeof(T) * Scale};
  uint32_t address[kLanes];
  std::memcpy(address, w.row(r.operands[1].index), sizeof address);
  uint32_t *to = w.row(r.operands[0].index);
  each_lane(w.exec(), [&](int l) {
    uint32_t old[2][kLanes * 2];
    for (int k = 0; k < 2; ++k)
      atomic_lane<AtomicSwap<T>>(lds_at(w, address[l] + offsets[k], sizeof(T), l), w.row(r.operands[2 + k].index) + l, old[k]);
    for (int k = 0; k < 2 * words; ++k) to[l + k * kLanes] = old[k / words][k % words * kLanes];
  });
}

// The first value's bits are cleared, the second's set.
template <class T, bool Returns> void masked_or(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *address = w.row(r.operands[Returns].index);
  const uint32_t *mask = w.row(r.operands[Returns + 1].index), *set = w.row(r.operands[Returns + 2].index);
  uint32_t *result = Returns ? w.row(r.operands[0].index) : nullptr;
  each_lane(w.exec(), [&](int l) {
    uint8_t *place = lds_at(w, u64(address[l]) + (u32(r.offset) & 0xffff), sizeof(T), l);
    const T clear = lane_value<T>(mask + l), bits = lane_value<T>(set + l);
    const T old = exchange_with<T>(place, [=](T before) { return T((before & ~clear) | bits); });
    if (Returns) set_lane_value(result + l, old);
  });
}

const Registration lds({
    {"ds_storexchg_2addr_rtn_b32", exchange_two<u32, 1>, "*"}, {"ds_storexchg_2addr_rtn_b64", exchange_two<u64, 1>, "*"},
    {"ds_storexchg_2addr_stride64_rtn_b32", exchange_two<u32, 64>, "*"}, {"ds_storexchg_2addr_stride64_rtn_b64", exchange_two<u64, 64>, "*"},
    {"ds_mskor_b32", masked_or<u32, false>, "*"}, {"ds_mskor_b64", masked_or<u64, false>, "*"},
    {"ds_mskor_rtn_b32", masked_or<u32, true>, "*"}, {"ds_mskor_rtn_b64", masked_or<u64, true>, "*"},
});

// Bytes and halves through a resource; out of its range they are 0.
template <int Bytes, bool Sign> void small_load(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *resource = w.s + r.operands[1].index;
  const FlySimOperand &given = r.operands[2];
  const u64 base = resource[0] | u64(resource[1] & 0xffff) << 32, stride = resource[1] >> 16 & 0x3fff;
  const u64 limit = stride ? stride * resource[2] : resource[2], offset = u64(scalar_operand(w, given)) + u32(r.offset);
  u32 value = 0;
  if (offset + Bytes <= limit) std::memcpy(&value, global_at(w, base + offset, Bytes, -1, Access::read), Bytes);
  if (Sign) value = u32(int32_t(value << (32 - 8 * Bytes)) >> (32 - 8 * Bytes));
  w.s[r.operands[0].index] = value;
}
const Registration small_loads({
    {"s_buffer_load_u8", small_load<1, false>, "*"}, {"s_buffer_load_i8", small_load<1, true>, "*"},
    {"s_buffer_load_u16", small_load<2, false>, "*"}, {"s_buffer_load_i16", small_load<2, true>, "*"},
});

} // namespace
} // namespace flysim
