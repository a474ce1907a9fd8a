// Checked addresses: where the bytes of a lane's address are in this process. A fault names lane and address.
#pragma once
#include "trace.h"
#include "wave.h"

#include <type_traits>

namespace flysim {

enum class Access : uint8_t { read, write, exchange };

inline bool may_use(const Range &range, Access access) {
  return access == Access::read || !(range.flags & FLYSIM_MEMORY_READ_ONLY);
}

// The slow path of `global_at`: another allocation, LDS or scratch through an aperture, or a fault.
uint8_t *find_place(Wave &w, uint64_t address, uint32_t size, int lane, Access access);

// The bytes that a scalar load of `size` bytes finds. Compilers make such loads longer, up to the end of the aligned 16
// bytes that the last one of use is in, which cannot fault: what is behind an allocation's end there is not used.
uint32_t bytes_of_scalar_load(const Wave &w, uint64_t address, uint32_t size);

inline uint8_t *global_at(Wave &w, uint64_t address, uint32_t size, int lane, Access access) {
  if (w.cached.holds(address, size) && may_use(w.cached, access)) return reinterpret_cast<uint8_t *>(address);
  return find_place(w, address, size, lane, access);
}

// The allocation of an address becomes that of the last access, if there is one and the launch is not checked.
bool find_allocation(Wave &w, uint64_t address);
// `address` as a place when all `size` bytes may be used, else null: nothing is noted, nothing faults.
inline uint8_t *unnoted_at(Wave &w, uint64_t address, uint64_t size, Access access) {
  if (!w.cached.holds(address, size) && !(find_allocation(w, address) && w.cached.holds(address, size))) return nullptr;
  return may_use(w.cached, access) ? reinterpret_cast<uint8_t *>(address) : nullptr;
}
// Calls f with the number of lanes as a constant: loops without ends of odd length.
template <class F> inline auto by_width(int lanes, F f) {
  return lanes == kLanes ? f(std::integral_constant<int, kLanes>{}) : f(std::integral_constant<int, kLanes / 2>{});
}
// Whether that holds for `size` bytes at each of these addresses.
inline bool unnoted_at_all(Wave &w, const uint64_t *addresses, int lanes, uint64_t size, Access access) {
  if (!unnoted_at(w, addresses[0], size, access)) return false;
  const uint64_t begin = w.cached.begin, last = w.cached.end - begin - size;
  return by_width(lanes, [=](auto count) {
    uint64_t signs = 0; // of what is too large, or larger than what is left
    for (int l = 0; l < count; ++l) signs |= (addresses[l] - begin) | (last - (addresses[l] - begin));
    return !(signs >> 63);
  });
}

[[noreturn]] void fault_at(const char *what, uint64_t address, uint32_t size, int lane, const std::string &where);

// Addresses wrap around at 32 bits: a negative one in a register plus an offset is what compilers emit.
[[noreturn, gnu::cold]] void fault_in_lds(const Wave &w, uint64_t offset, uint32_t size, int lane);
[[noreturn, gnu::cold]] void fault_in_scratch(const Wave &w, uint64_t offset, uint32_t size, int lane);

inline uint8_t *lds_at(Wave &w, uint64_t offset, uint32_t size, int lane) {
  if (offset + size > w.group->lds_size) [[unlikely]]
    fault_in_lds(w, offset, size, lane);
  if (w.trace) [[unlikely]]
    w.trace->note(Space::lds, w.group->lds + offset, offset, size, lane);
  return w.group->lds + offset;
}

inline uint8_t *scratch_at(Wave &w, uint64_t offset, uint32_t size, int lane) {
  if (offset + size > w.scratch_size) [[unlikely]]
    fault_in_scratch(w, offset, size, lane);
  uint8_t *place = w.scratch + uint64_t(lane) * w.scratch_size + offset;
  if (w.trace) [[unlikely]]
    w.trace->note(Space::scratch, place, offset, size, lane);
  return place;
}

inline uint32_t scalar_operand(const Wave &w, const FlySimOperand &operand) {
  return operand.kind == FLYSIM_SGPR ? w.s[operand.index] : operand.kind == FLYSIM_OFF ? 0 : operand.value;
}
inline uint64_t scalar_pair(const Wave &w, const FlySimOperand &operand) { return w.pair(operand.index); }

// Calls f(lane) for every active lane, in order.
template <class F> inline void each_lane(uint64_t active, F f) {
  while (active) {
    f(__builtin_ctzll(active));
    active &= active - 1;
  }
}

// The lane that `address` in lane l names to ds_permute and ds_bpermute.
inline unsigned crossbar_lane(const Wave &w, const Inst &i, uint32_t address, int l) {
  const unsigned mask = w.crossbar - 1u;
  return (unsigned(l) & ~mask) | ((address + i.record->offset) / 4 & mask);
}

} // namespace flysim
