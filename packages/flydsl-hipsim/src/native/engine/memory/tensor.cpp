// Moves of tensors of gfx1250: a descriptor of two to four groups of scalar registers in, tiles of up to five
// dimensions moved between memory and LDS. The fields are those of LLVM's `amdgpu.make_dma_descriptor`.
#include "cluster_mask.h"
#include "engine/core/access.h"
#include "engine/core/registry.h"
#include "lds_barrier.h"

#include <algorithm>

namespace flysim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

constexpr int kDims = 5;
constexpr u64 kMost = 64; // bytes that are moved at once: what the check of races compares

struct Tile {
  bool valid;
  u64 memory; // address of the first element
  u32 lds, bytes; // its offset there, and its size
  u64 extents[kDims], steps[kDims]; // of the tensor from there on; bytes to the next element of a dimension
  u32 tile[kDims]; // dimension 0 is the innermost
  u32 interval = 0, amount = 0; // bytes after which so many more are left out in LDS
  uint32_t mask; // of workgroups
  bool arrives;
  u32 barrier; // in LDS
};

[[noreturn]] void refuse(const char *what) { throw Fault(std::string("a tensor's descriptor ") + what); }

Tile tile_of(const Wave &w, const FlySimRecord &r) {
  static const u32 zeros[8] = {};
  const auto group = [&](int k) {
    return k < r.operand_count && r.operands[k].kind == FLYSIM_SGPR ? w.s + r.operands[k].index : zeros;
  };
  const u32 *a = group(0), *b = group(1), *c = group(2), *d = group(3);
  Tile t;
  t.valid = a[0] & 3;
  if (a[0] >> 30) refuse("gathers rows, which the simulator does not");
  if (t.valid && a[3] >> 30 != 2) refuse("has another type than 2, in the upper two bits of its fourth word");
  if (b[0] >> 19 & 1) refuse("iterates, which the simulator does not");
  t.memory = a[2] | u64(a[3] & 0x1ffffff) << 32;
  t.lds = a[1];
  t.bytes = 1u << (b[0] >> 16 & 3);
  if (b[0] >> 20 & 1) {
    t.interval = 8u << (b[0] >> 22 & 7);
    t.amount = 4 * ((b[0] >> 25) + 1);
  }
  t.mask = b[0] & 0xffff;
  t.arrives = b[0] >> 18 & 1;
  t.barrier = 8 * (b[1] & 0xffff);
  const auto joined = [](u32 low, u32 high) { return low >> 16 | high << 16; };
  const u64 extents[] = {joined(b[1], b[2]), joined(b[2], b[3]), c[0], c[1], joined(d[1], d[2])};
  const u32 tiles[] = {b[3] >> 16, b[4] & 0xffff, b[4] >> 16, c[3] >> 16, d[2] >> 16};
  const u64 strides[] = {1, b[5] | u64(b[6] & 0xffff) << 32, b[6] >> 16 | u64(b[7]) << 16,
                         c[2] | u64(c[3] & 0xffff) << 32, d[0] | u64(d[1] & 0xffff) << 32};
  for (int k = 0; k < kDims; ++k) { // dimensions that are not used have a tile of 0
    const bool used = tiles[k] || !k;
    t.tile[k] = used ? tiles[k] : 1;
    t.extents[k] = used ? extents[k] : 1;
    t.steps[k] = strides[k] * t.bytes;
  }
  return t;
}

// f(memory or null for what is outside of the tensor, offset in LDS, bytes) for runs of the innermost dimension.
template <class F> void each_run(const Tile &t, F f) {
  u64 moved = 0; // bytes of the tile so far
  const auto move = [&](u64 memory, bool inside, u64 bytes) {
    while (bytes) {
      const u64 until = t.interval ? t.interval - moved % t.interval : kMost, size = std::min({bytes, until, kMost});
      const u64 padding = t.interval ? moved / t.interval * t.amount : 0;
      f(inside ? memory : 0, t.lds + moved + padding, u32(size));
      memory += size, moved += size, bytes -= size;
    }
  };
  u32 at[kDims] = {};
  for (;;) {
    u64 memory = t.memory;
    bool inside = true;
    for (int k = 1; k < kDims; ++k) {
      memory += at[k] * t.steps[k];
      inside &= at[k] < t.extents[k];
    }
    const u64 within = inside ? std::min<u64>(t.tile[0], t.extents[0]) : 0;
    move(memory, true, within * t.bytes);
    move(0, false, (t.tile[0] - within) * t.bytes);
    int k = 1;
    while (k < kDims && ++at[k] == t.tile[k]) at[k++] = 0;
    if (k == kDims) return;
  }
}

void arrive(Wave &w, const Tile &t) {
  if (t.arrives) arrive_at(lds_at(w, t.barrier, 8, -1), 1);
}

// What is outside of the tensor is 0.
void load(Wave &w, const Inst &i) {
  const Tile t = tile_of(w, *i.record);
  if (!t.valid) return;
  check_cluster_mask(w, t.mask);
  each_run(t, [&](u64 memory, u64 offset, u32 bytes) {
    uint8_t *to = lds_at(w, offset, bytes, -1);
    if (memory) std::memcpy(to, global_at(w, memory, bytes, -1, Access::read), bytes);
    else std::memset(to, 0, bytes);
  });
  arrive(w, t);
}
void store(Wave &w, const Inst &i) {
  Tile t = tile_of(w, *i.record);
  if (!t.valid) return;
  t.interval = 0; // padding is for what is written to LDS only
  each_run(t, [&](u64 memory, u64 offset, u32 bytes) {
    if (!memory) return;
    const uint8_t *from = lds_at(w, offset, bytes, -1);
    std::memcpy(global_at(w, memory, bytes, -1, Access::write), from, bytes);
  });
  arrive(w, t);
}

const Registration moves({
    {"tensor_load_to_lds", load, "*"},
    {"tensor_store_from_lds", store, "*"},
});

} // namespace
} // namespace flysim
