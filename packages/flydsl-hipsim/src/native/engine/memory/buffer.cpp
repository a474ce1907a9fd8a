// Buffer instructions: addresses through a resource of four SGPRs; what is out of its range reads 0 and is not written.
#include "engine/core/resource.h"
#include "vector_memory.h"

namespace flysim {
namespace {

constexpr uint32_t kAddThread = 1u << 23; // each lane has memory of its own

// Operands: data, address in VGPRs or off, resource, offset in an SGPR.
struct BufferSpace {
  static constexpr bool checks_words = true, in_place = true;
  static constexpr int store_address = 1, store_data = 0;
  static bool returns(const FlySimRecord &r) { return r.flags & (FLYSIM_SC0 | FLYSIM_GLC); }

  BufferSpace(Wave &w, const FlySimRecord &r, int first) {
    const uint32_t *resource = w.s + r.operands[first + 1].index;
    const Resource described = resource_of(w, resource);
    base = described.base;
    stride = described.stride;
    records = described.records;
    scalar = scalar_operand(w, r.operands[first + 2]);
    structured = (r.flags & FLYSIM_IDXEN) && stride;
    own = is_own(w, resource);
    const uint32_t *vector = r.operands[first].kind == FLYSIM_VGPR ? w.row(r.operands[first].index) : nullptr;
    const bool indexed = r.flags & FLYSIM_IDXEN, shifted = r.flags & FLYSIM_OFFEN;
    for (int l = 0; l < kLanes; ++l) {
      index[l] = vector && indexed ? vector[l] : 0;
      offset[l] = uint64_t(uint32_t(r.offset)) + (vector && shifted ? vector[l + (indexed ? kLanes : 0)] : 0);
    }
  }
  static bool is_own(const Wave &w, const uint32_t *resource) {
    return w.group->program->gfx9 && (resource[3] & kAddThread);
  }
  uint8_t *place(Wave &w, int lane, uint32_t bytes, Access access, uint32_t at) const {
    const uint64_t inside = offset[lane] + at;
    if (own) return scratch_at(w, inside + scalar / 64, bytes, lane); // the SGPR counts bytes of all lanes
    if (structured ? index[lane] >= records || inside + bytes > stride : inside + scalar + bytes > records)
      return nullptr;
    return global_at(w, base + scalar + inside + uint64_t(index[lane]) * stride, bytes, lane, access);
  }
  static uint8_t *run(Wave &w, const FlySimRecord &r, int first, uint32_t bytes, Access access) {
    if ((r.flags & (FLYSIM_IDXEN | FLYSIM_OFFEN)) != FLYSIM_OFFEN) return nullptr;
    const uint32_t *vector = w.row(r.operands[first].index), *resource = w.s + r.operands[first + 1].index;
    const int lanes = w.lanes;
    if (is_own(w, resource)) return nullptr;
    const Resource described = resource_of(w, resource);
    const uint64_t size = uint64_t(bytes) * lanes,
                   offset = uint64_t(uint32_t(r.offset)) + vector[0] + scalar_operand(w, r.operands[first + 2]);
    if (vector[0] + size > 1ull << 32 || offset + size > described.records || !is_run(vector, bytes, lanes))
      return nullptr;
    return unnoted_at(w, described.base + offset, size, access);
  }
  bool inside(Wave &w, uint32_t bytes, Access access) {
    if (own) return false;
    bool outside = false;
    const uint64_t end = structured ? stride : records, shift = structured ? 0 : scalar;
    const uint64_t indices = structured ? records : ~0ull;
    for (int l = 0; l < w.lanes; ++l) {
      outside |= offset[l] + shift + bytes > end || index[l] >= indices;
      address[l] = base + scalar + offset[l] + uint64_t(index[l]) * stride;
    }
    return !outside && unnoted_at_all(w, address, w.lanes, bytes, access);
  }
  uint8_t *at(int lane) const { return reinterpret_cast<uint8_t *>(address[lane]); }
  uint64_t base, records;
  uint32_t stride, scalar;
  bool structured, own /* of gfx90a's scratch */;
  uint32_t index[kLanes];
  uint64_t offset[kLanes], address[kLanes];
};

// With `lds` the data go there, from where M0 says.
template <int Bytes> void load_to_lds(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const BufferSpace space(w, r, 0);
  const uint32_t base = w.s[kM0] + uint32_t(r.offset);
  constexpr uint32_t step = Bytes < 4 ? 4 : Bytes;
  each_lane(w.exec(), [&](int l) {
    uint32_t words[4] = {};
    if (Bytes < 4) {
      if (const uint8_t *from = space.place(w, l, Bytes, Access::read, 0)) std::memcpy(words, from, Bytes);
    } else {
      for (int k = 0; k < Bytes / 4; ++k)
        if (const uint8_t *from = space.place(w, l, 4, Access::read, 4 * k)) std::memcpy(words + k, from, 4);
    }
    std::memcpy(lds_at(w, base + step * l, step, l), words, step);
  });
}
// The printed operands of such a load have no data: `off, s[0:3], s5` or `v0, s[0:3], s5`.
template <int Bytes, class F> void load(Wave &w, const Inst &i) {
  if (i.flags & FLYSIM_LDS) load_to_lds<Bytes>(w, i);
  else vector_load<BufferSpace, F>(w, i);
}

const Registration transfers(prefixed("buffer_", transfer_names<BufferSpace>()));
const Registration loads(prefixed("buffer_load_",
                                  {{"dword", nullptr, load<4, Form<4>>},
                                   {"dwordx3", nullptr, load<12, Form<12>>},
                                   {"dwordx4", nullptr, load<16, Form<16>>},
                                   {"ubyte", nullptr, load<1, Byte>},
                                   {"ushort", nullptr, load<2, Short>}}));
const Registration atomics(prefixed("buffer_atomic_", atomic_names<BufferSpace>()));

} // namespace
} // namespace flysim
