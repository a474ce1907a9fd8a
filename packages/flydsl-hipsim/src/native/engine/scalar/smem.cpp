// Scalar loads: from addresses, and through buffer resources, where what is out of range is 0.
#include "engine/core/access.h"
#include "engine/core/resource.h"
#include "scalar.h"

namespace flysim {
namespace {

// The offset words after the base: a register or a constant, and the instruction's own.
uint64_t scalar_offset(const Wave &w, const FlySimRecord &r) {
  const FlySimOperand &given = r.operands[2];
  const int64_t constant = given.kind == FLYSIM_LITERAL || given.kind == FLYSIM_INLINE_INT
      ? int32_t(given.value)
      : int64_t(scalar_operand(w, given)) << r.abid;
  return uint64_t(constant + r.offset);
}

template <int Bytes, bool Sign = false> void load(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint64_t given = scalar_pair(w, r.operands[1]) + scalar_offset(w, r);
  if constexpr (Bytes >= 4) {
    const uint64_t address = given & ~3ull;
    uint32_t *to = w.s + r.operands[0].index, found = Bytes;
    if (Bytes > 4 && !w.cached.holds(address, Bytes)) found = bytes_of_scalar_load(w, address, Bytes);
    const uint8_t *from = global_at(w, address, found, -1, Access::read);
    if (found < Bytes) std::memset(to, 0, Bytes);
    std::memcpy(to, from, found);
    return;
  }
  const uint8_t *from = global_at(w, given, Bytes, -1, Access::read);
  uint32_t value = 0;
  std::memcpy(&value, from, Bytes);
  if constexpr (Sign) value = uint32_t(int32_t(value << (32 - 8 * Bytes)) >> (32 - 8 * Bytes));
  w.s[r.operands[0].index] = value;
}

template <int Words> void buffer_load(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const auto [base, records, stride] = resource_of(w, w.s + r.operands[1].index);
  const uint64_t limit = stride ? stride * records : records;
  const uint64_t offset = scalar_offset(w, r) & ~3ull;
  for (int k = 0; k < Words; ++k) {
    uint32_t value = 0;
    if (offset + 4 * k + 4 <= limit) std::memcpy(&value, global_at(w, base + offset + 4 * k, 4, -1, Access::read), 4);
    w.s[r.operands[0].index + k] = value;
  }
}

const Registration loads({
    {"s_load_dword", load<4>, "*"},
    {"s_load_dwordx2", load<8>, "*"},
    {"s_load_dwordx4", load<16>, "*"},
    {"s_load_dwordx8", load<32>, "*"},
    {"s_load_dwordx16", load<64>, "*"},
    {"s_load_b32", load<4>, "*"},
    {"s_load_b64", load<8>, "*"},
    {"s_load_b96", load<12>, "*"},
    {"s_load_b128", load<16>, "*"},
    {"s_load_b256", load<32>, "*"},
    {"s_load_b512", load<64>, "*"},
    {"s_load_u8", load<1>, "*"},
    {"s_load_i8", load<1, true>, "*"},
    {"s_load_u16", load<2>, "*"},
    {"s_load_i16", load<2, true>, "*"},
    {"s_buffer_load_dword", buffer_load<1>, "*"},
    {"s_buffer_load_dwordx2", buffer_load<2>, "*"},
    {"s_buffer_load_dwordx4", buffer_load<4>, "*"},
    {"s_buffer_load_dwordx8", buffer_load<8>, "*"},
    {"s_buffer_load_dwordx16", buffer_load<16>, "*"},
    {"s_buffer_load_b32", buffer_load<1>, "*"},
    {"s_buffer_load_b64", buffer_load<2>, "*"},
    {"s_buffer_load_b96", buffer_load<3>, "*"},
    {"s_buffer_load_b128", buffer_load<4>, "*"},
    {"s_buffer_load_b256", buffer_load<8>, "*"},
    {"s_buffer_load_b512", buffer_load<16>, "*"},
});

} // namespace
} // namespace flysim
