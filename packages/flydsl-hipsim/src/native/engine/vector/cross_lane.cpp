// Values between lanes, and between lanes and SGPRs.
#include "engine/core/access.h"
#include "engine/scalar/scalar.h"

#include <bit>

namespace flysim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

void readfirstlane(Wave &w, const Inst &i) {
  const u64 active = w.exec();
  const Source &s = i.src[0];
  const int lane = active ? std::countr_zero(active) : 0;
  w.s[i.dst] = s.kind == Source::vgpr ? w.row(s.index)[lane] : scalar_source<u32>(w, s);
}
void readlane(Wave &w, const Inst &i) {
  w.s[i.dst] = w.row(i.src[0].index)[scalar_source<u32>(w, i.src[1]) & (w.lanes - 1)];
}
void writelane(Wave &w, const Inst &i) {
  w.row(i.dst)[scalar_source<u32>(w, i.src[1]) & (w.lanes - 1)] = scalar_source<u32>(w, i.src[0]);
}

// How many lanes below this one have their bit set.
template <bool High> void count_below(Wave &w, const Inst &i) {
  const uint32_t *mask = fetch(w, i, 0), *base = fetch(w, i, 1);
  for (int l = 0; l < w.lanes; ++l) {
    const int below = High ? l - 32 : l;
    const u32 bits = below >= 32 ? ~0u : below > 0 ? (1u << below) - 1 : 0;
    w.out[l] = base[l] + u32(std::popcount(mask[l] & bits));
  }
  finish(w, i, 1);
}

void swap(Wave &w, const Inst &i) {
  uint32_t *a = w.row(i.dst), *b = w.row(i.src[0].index);
  each_lane(w.exec(), [&](int l) { std::swap(a[l], b[l]); });
}

// ---- through the LDS crossbar, without memory ----
template <bool Inactive> void bpermute(Wave &w, const Inst &i) {
  const u64 active = w.exec();
  const uint32_t *address = fetch(w, i, 0), *data = fetch(w, i, 1);
  for (int l = 0; l < w.lanes; ++l) {
    const unsigned from = crossbar_lane(w, i, address[l], l);
    w.out[l] = Inactive || (active >> from & 1) ? data[from] : 0;
  }
  finish(w, i, 1);
}
void permute(Wave &w, const Inst &i) {
  const uint32_t *address = fetch(w, i, 0), *data = fetch(w, i, 1);
  std::memset(w.out, 0, kLanes * 4);
  each_lane(w.exec(), [&](int l) { w.out[crossbar_lane(w, i, address[l], l)] = data[l]; });
  finish(w, i, 1);
}

int swizzled_lane(u32 offset, int l) {
  if (offset >= 0xe000) { // an FFT's bit reversal of the lane number
    const u32 mask = offset & 31;
    u32 reversed = 0;
    for (int k = 0; k < 5; ++k) reversed |= u32(l >> k & 1) << (4 - k);
    return (l & 32) | int(reversed >> __builtin_popcount(mask) | (u32(l) & mask));
  }
  if (offset >= 0xc000) { // a rotation
    const int count = offset >> 5 & 31, mask = offset & 31;
    const int turned = offset >> 10 & 1 ? l - count : l + count;
    return (l & 32) | (l & mask) | (turned & ~mask & 31);
  }
  if (offset & 0x8000) return (l & ~3) | int(offset >> (2 * (l & 3)) & 3);
  return (l & 32) | int((((u32(l) & offset & 31) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)));
}
void swizzle(Wave &w, const Inst &i) {
  const u64 active = w.exec();
  const uint32_t *data = fetch(w, i, 0);
  const u32 offset = u32(i.record->offset) & 0xffff;
  for (int l = 0; l < w.lanes; ++l) {
    const int from = swizzled_lane(offset, l);
    w.out[l] = active >> from & 1 ? data[from] : 0;
  }
  finish(w, i, 1);
}

// Rows of two registers exchanged: lanes [Half, 2 Half) of the first with [0, Half) of the second.
template <int Half> void permlane_swap(Wave &w, const Inst &i) {
  uint32_t *a = w.row(i.dst), *b = w.row(i.src[0].index);
  const u64 active = w.exec();
  for (int base = 0; base < w.lanes; base += 2 * Half)
    for (int l = base; l < base + Half; ++l)
      if ((active >> l & 1) && (active >> (l + Half) & 1)) std::swap(a[l + Half], b[l]);
}

const Registration lanes({
    {"v_readfirstlane_b32", readfirstlane, "s=u"},
    {"v_readlane_b32", readlane, "s=us"},
    {"v_writelane_b32", writelane, "u=ss"},
    {"v_mbcnt_lo_u32_b32", count_below<false>, "u=uu"},
    {"v_mbcnt_hi_u32_b32", count_below<true>, "u=uu"},
    {"v_swap_b32", swap, "u=u"},
    {"ds_bpermute_b32", bpermute<false>, "u=uu"},
    {"ds_bpermute_fi_b32", bpermute<true>, "u=uu"},
    {"ds_permute_b32", permute, "u=uu"},
    {"ds_swizzle_b32", swizzle, "u=u"},
    {"v_permlane16_swap_b32", permlane_swap<16>, "u=u"},
    {"v_permlane32_swap_b32", permlane_swap<32>, "u=u"},
});

} // namespace
} // namespace flysim
