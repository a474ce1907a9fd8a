// What RDNA adds to scalar memory instructions: small loads through resources.
#include "engine/core/access.h"
#include "engine/core/registry.h"
#include "engine/core/resource.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

// Bytes and halves through a resource; out of its range they are 0.
template <int Bytes, bool Sign> void small_load(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const FlySimOperand &given = r.operands[2];
  const auto [base, records, stride] = resource_of(w, w.s + r.operands[1].index);
  const u64 limit = stride ? stride * records : records, offset = u64(scalar_operand(w, given)) + u32(r.offset);
  u32 value = 0;
  if (offset + Bytes <= limit) std::memcpy(&value, global_at(w, base + offset, Bytes, -1, Access::read), Bytes);
  if (Sign) value = u32(int32_t(value << (32 - 8 * Bytes)) >> (32 - 8 * Bytes));
  w.s[r.operands[0].index] = value;
}
const Registration small_loads({
    {"s_buffer_load_u8", small_load<1, false>, "*"},
    {"s_buffer_load_i8", small_load<1, true>, "*"},
    {"s_buffer_load_u16", small_load<2, false>, "*"},
    {"s_buffer_load_i16", small_load<2, true>, "*"},
});

} // namespace
} // namespace flysim
