// Instructions whose result's undefined bits can be told exactly: logic, shifts, moves, selections, packing, sums.
#include "undefined.h"

#include <unordered_map>

namespace flysim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct Bits { u32 u, x; }; // undefined, value

Bits conjunction(Bits a, Bits b) { return {(a.u & b.u) | (a.u & b.x) | (b.u & a.x), a.x & b.x}; }
Bits disjunction(Bits a, Bits b) { return {(a.u & b.u) | (a.u & ~b.x) | (b.u & ~a.x), a.x | b.x}; }
u32 leftward(u32 u) { return u | (0u - u); } // carries go up
u64 leftward64(u64 u) { return u | (0ull - u); }

template <class F> void each(u32 *out, F f) {
  for (int l = 0; l < kLanes; ++l) out[l] = f(l);
}
template <class F> void each64(u32 *out, F f) {
  for (int l = 0; l < kLanes; ++l) {
    const u64 made = f(l);
    out[l] = u32(made);
    out[l + kLanes] = u32(made >> 32);
  }
}
u64 pair(const u32 *row, int l) { return row[l] | u64(row[l + kLanes]) << 32; }

// A shift by an undefined number leaves nothing defined.
template <class F> u32 by(u32 undefined_amount, u32 mask, F f) { return undefined_amount & mask ? ~0u : f(); }

u32 reversed(u32 a) {
  u32 r = 0;
  for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
  return r;
}
// The place of the lowest bit that is set: told when a set one lies below all undefined ones.
u32 first_bit(u32 u, u32 x) { return (u & -u) > ((x & ~u) & -(x & ~u)) && (x & ~u) ? 0 : u ? ~0u : 0; }

u32 permuted_byte(u64 both, u32 selector) {
  if (selector >= 12) return 0;
  if (selector >= 8) return both >> ((selector - 8) * 16 + 15) & 1 ? 0xff : 0;
  return u32(both >> (selector * 8)) & 0xff;
}
u32 permuted(u32 a, u32 b, u32 selectors) {
  u32 r = 0;
  for (int k = 0; k < 4; ++k) r |= permuted_byte(u64(a) << 32 | b, selectors >> (8 * k) & 0xff) << (8 * k);
  return r;
}

#define RULE(EXPRESSION) \
  [](u32 *out, const u32 *const *u, const u32 *const *x) { \
    (void)x; \
    each(out, [&](int l) -> u32 { return EXPRESSION; }); \
  }
#define RULE64(EXPRESSION) \
  [](u32 *out, const u32 *const *u, const u32 *const *x) { \
    (void)x; \
    each64(out, [&](int l) -> u64 { return EXPRESSION; }); \
  }
#define B(K) \
  Bits { u[K][l], x[K][l] }

const std::unordered_map<std::string_view, VectorRule> &vector_rules() {
  static const VectorRule same = RULE(u[0][l]), same64 = RULE64(pair(u[0], l)),
                          any_carry = RULE(leftward(u[0][l] | u[1][l]));
  static const VectorRule wide_sum = RULE64(leftward64(u[0][l] | u[1][l] | pair(u[2], l)));
  static const VectorRule exclusive = RULE(u[0][l] | u[1][l]);
  static const VectorRule halves = RULE((u[0][l] ? 0xffffu : 0) | (u[1][l] ? 0xffff0000u : 0));
  static const VectorRule choice = RULE(u[2][l] ? ~0u : x[2][l] ? u[1][l] : u[0][l]);
  static const std::unordered_map<std::string_view, VectorRule> rules{
      {"v_mov_b32", same},
      {"v_mov_b16", same},
      {"v_accvgpr_read_b32", same},
      {"v_accvgpr_write_b32", same},
      {"v_accvgpr_mov_b32", same},
      {"v_not_b32", same},
      {"v_not_b16", same},
      {"v_bfrev_b32", RULE(reversed(u[0][l]))},
      {"v_mov_b64", same64},
      {"v_ffbl_b32", RULE(first_bit(u[0][l], x[0][l]))},
      {"v_ctz_i32_b32", RULE(first_bit(u[0][l], x[0][l]))},
      {"v_ffbh_u32", RULE(first_bit(reversed(u[0][l]), reversed(x[0][l])))},
      {"v_clz_i32_u32", RULE(first_bit(reversed(u[0][l]), reversed(x[0][l])))},
      {"v_and_b32", RULE(conjunction(B(0), B(1)).u)},
      {"v_and_b16", RULE(conjunction(B(0), B(1)).u)},
      {"v_or_b32", RULE(disjunction(B(0), B(1)).u)},
      {"v_or_b16", RULE(disjunction(B(0), B(1)).u)},
      {"v_xor_b32", exclusive},
      {"v_xnor_b32", exclusive},
      {"v_xor_b16", exclusive},
      {"v_xor3_b32", RULE(u[0][l] | u[1][l] | u[2][l])},
      {"v_and_or_b32", RULE(disjunction(conjunction(B(0), B(1)), B(2)).u)},
      {"v_or3_b32", RULE(disjunction(disjunction(B(0), B(1)), B(2)).u)},
      {"v_bfi_b32", RULE(disjunction(conjunction(B(0), B(1)), conjunction(Bits{u[0][l], ~x[0][l]}, B(2))).u)},
      {"v_lshl_or_b32",
       RULE(by(u[1][l], 31,
               [&] { return disjunction({u[0][l] << (x[1][l] & 31), x[0][l] << (x[1][l] & 31)}, B(2)).u; }))},
      {"v_lshlrev_b32", RULE(by(u[0][l], 31, [&] { return u[1][l] << (x[0][l] & 31); }))},
      {"v_lshrrev_b32", RULE(by(u[0][l], 31, [&] { return u[1][l] >> (x[0][l] & 31); }))},
      {"v_ashrrev_i32", RULE(by(u[0][l], 31, [&] { return u32(int32_t(u[1][l]) >> (x[0][l] & 31)); }))},
      {"v_lshlrev_b16", RULE(by(u[0][l], 15, [&] { return u[1][l] << (x[0][l] & 15) & 0xffff; }))},
      {"v_lshrrev_b16", RULE(by(u[0][l], 15, [&] { return (u[1][l] & 0xffff) >> (x[0][l] & 15); }))},
      {"v_lshlrev_b64", RULE64(u[0][l] & 63 ? ~0ull : pair(u[1], l) << (x[0][l] & 63))},
      {"v_lshrrev_b64", RULE64(u[0][l] & 63 ? ~0ull : pair(u[1], l) >> (x[0][l] & 63))},
      {"v_ashrrev_i64", RULE64(u[0][l] & 63 ? ~0ull : u64(int64_t(pair(u[1], l)) >> (x[0][l] & 63)))},
      {"v_lshl_add_u64", RULE64(u[1][l] & 7 ? ~0ull : leftward64(pair(u[0], l) << (x[1][l] & 7) | pair(u[2], l)))},
      {"v_add_nc_u64", RULE64(leftward64(pair(u[0], l) | pair(u[1], l)))},
      {"v_bfe_u32",
       RULE(by(u[1][l] | u[2][l], 31,
               [&] {
                 const u32 n = x[2][l] & 31;
                 return u[0][l] >> (x[1][l] & 31) & ((1u << n) - 1);
               }))},
      {"v_bfe_i32",
       RULE(by(u[1][l] | u[2][l], 31,
               [&] { return u[0][l] >> (x[1][l] & 31) & ((1u << (x[2][l] & 31)) - 1) ? ~0u : 0; }))},
      {"v_alignbit_b32", RULE(by(u[2][l], 31, [&] { return u32((u64(u[0][l]) << 32 | u[1][l]) >> (x[2][l] & 31)); }))},
      {"v_alignbyte_b32",
       RULE(by(u[2][l], 3, [&] { return u32((u64(u[0][l]) << 32 | u[1][l]) >> (8 * (x[2][l] & 3))); }))},
      {"v_perm_b32", RULE(by(u[2][l], ~0u, [&] { return permuted(u[0][l], u[1][l], x[2][l]); }))},
      {"v_cndmask_b32", choice},
      {"v_cndmask_b16", choice},
      {"v_add_u32", any_carry},
      {"v_sub_u32", any_carry},
      {"v_subrev_u32", any_carry},
      {"v_add_nc_u32", any_carry},
      {"v_sub_nc_u32", any_carry},
      {"v_subrev_nc_u32", any_carry},
      {"v_add_co_u32", any_carry},
      {"v_sub_co_u32", any_carry},
      {"v_mul_lo_u32", any_carry},
      {"v_mad_u64_u32", wide_sum},
      {"v_mad_i64_i32", wide_sum},
      {"v_mad_co_u64_u32", wide_sum},
      {"v_mad_co_i64_i32", wide_sum},
      {"v_mad_nc_u64_u32", wide_sum},
      {"v_mad_nc_i64_i32", wide_sum},
      {"v_add3_u32", RULE(leftward(u[0][l] | u[1][l] | u[2][l]))},
      {"v_lshl_add_u32", RULE(by(u[1][l], 31, [&] { return leftward(u[0][l] << (x[1][l] & 31) | u[2][l]); }))},
      {"v_add_lshl_u32", RULE(by(u[2][l], 31, [&] { return leftward(u[0][l] | u[1][l]) << (x[2][l] & 31); }))},
      {"v_mul_u32_u24", RULE(leftward((u[0][l] | u[1][l]) & 0xffffff))},
      {"v_mul_i32_i24", RULE(leftward((u[0][l] | u[1][l]) & 0xffffff))},
      {"v_mad_u32_u24", RULE(leftward(((u[0][l] | u[1][l]) & 0xffffff) | u[2][l]))},
      {"v_mad_i32_i24", RULE(leftward(((u[0][l] | u[1][l]) & 0xffffff) | u[2][l]))},
      {"v_pack_b32_f16", RULE((u[0][l] & 0xffff) | u[1][l] << 16)},
      {"v_cvt_pkrtz_f16_f32", halves},
      {"v_cvt_pk_rtz_f16_f32", halves},
      {"v_cvt_pk_f16_f32", halves},
      {"v_cvt_pk_bf16_f32", halves},
      {"v_cvt_pknorm_i16_f32", halves},
      {"v_cvt_pknorm_u16_f32", halves},
      {"v_cvt_pk_u16_u32", halves},
      {"v_cvt_pk_i16_i32", halves},
      {"v_cvt_f32_ubyte0", RULE(u[0][l] & 0xff ? ~0u : 0)},
      {"v_cvt_f32_ubyte1", RULE(u[0][l] >> 8 & 0xff ? ~0u : 0)},
      {"v_cvt_f32_ubyte2", RULE(u[0][l] >> 16 & 0xff ? ~0u : 0)},
      {"v_cvt_f32_ubyte3", RULE(u[0][l] >> 24 ? ~0u : 0)},
      {"v_pk_mov_b32", RULE64(u[0][l] | u64(u[1][l + kLanes]) << 32)},
  };
  return rules;
}
#undef RULE
#undef RULE64
#undef B

ScalarValue both(ScalarValue a, ScalarValue b) {
  return {a.value & b.value, (a.undefined & b.undefined) | (a.undefined & b.value) | (b.undefined & a.value)};
}
ScalarValue either(ScalarValue a, ScalarValue b) {
  return {a.value | b.value, (a.undefined & b.undefined) | (a.undefined & ~b.value) | (b.undefined & ~a.value)};
}
ScalarValue inverse(ScalarValue a) { return {~a.value, a.undefined}; }
ScalarValue difference(ScalarValue a, ScalarValue b) { return {a.value ^ b.value, a.undefined | b.undefined}; }

bool logic(std::string_view op, ScalarValue a, ScalarValue b, ScalarValue &r) {
  if (op == "and") r = both(a, b);
  else if (op == "or") r = either(a, b);
  else if (op == "xor") r = difference(a, b);
  else if (op == "andn2" || op == "and_not1") r = both(a, inverse(b));
  else if (op == "orn2" || op == "or_not1") r = either(a, inverse(b));
  else if (op == "andn1" || op == "and_not0") r = both(inverse(a), b);
  else if (op == "orn1" || op == "or_not0") r = either(inverse(a), b);
  else if (op == "nand") r = inverse(both(a, b));
  else if (op == "nor") r = inverse(either(a, b));
  else if (op == "xnor") r = inverse(difference(a, b));
  else return false;
  return true;
}

bool shift(std::string_view op, ScalarValue a, ScalarValue b, bool wide, ScalarValue &r) {
  const u64 amount = b.value & (wide ? 63 : 31);
  if (op == "lshl") r = {a.value << amount, a.undefined << amount};
  else if (op == "lshr") r = {a.value >> amount, a.undefined >> amount};
  else if (op == "bfe") {
    const u64 offset = b.value & (wide ? 63 : 31), width = b.value >> 16 & 127,
              mask = width >= 64 ? ~0ull : (1ull << width) - 1;
    r = {a.value >> offset & mask, a.undefined >> offset & mask};
  } else return false;
  if (b.undefined & (op == "bfe" ? 0x7f003fu : 63u)) r.undefined = ~0ull;
  return true;
}

bool packing(std::string_view name, ScalarValue a, ScalarValue b, ScalarValue &r) {
  if (!name.starts_with("s_pack_")) return false;
  const bool high_a = name[7] == 'h', high_b = name[8] == 'h';
  const auto half = [](u64 x, bool high) { return (high ? x >> 16 : x) & 0xffff; };
  r = {half(a.value, high_a) | half(b.value, high_b) << 16,
       half(a.undefined, high_a) | half(b.undefined, high_b) << 16};
  return true;
}

} // namespace

VectorRule vector_rule(std::string_view name) {
  const auto &rules = vector_rules();
  const auto found = rules.find(name);
  return found == rules.end() ? nullptr : found->second;
}

bool scalar_rule(std::string_view name, ScalarValue a, ScalarValue b, bool wide, ScalarValue &result) {
  std::string_view op = name.substr(2);
  if (packing(name, a, b, result)) return true;
  if (op.starts_with("mov_") || op.starts_with("movk_") || op.starts_with("brev_")) {
    result = a;
    if (op.starts_with("brev_") && a.undefined) result.undefined = ~0ull;
    return true;
  }
  if (op.starts_with("not_")) {
    result = inverse(a);
    return true;
  }
  if (const size_t at = op.find("_saveexec"); at != op.npos) return logic(op.substr(0, at), a, b, result);
  if (const size_t at = op.find("_wrexec"); at != op.npos) return logic(op.substr(0, at), a, b, result);
  op = op.substr(0, op.rfind('_'));
  if (logic(op, a, b, result) || shift(op, a, b, wide, result)) return true;
  if (op == "add" || op == "sub" || op == "mul" || op == "lshl1_add" || op == "lshl2_add" || op == "lshl3_add" ||
      op == "lshl4_add") {
    const int by = op.size() == 9 ? op[4] - '0' : 0;
    const u64 u = a.undefined << by | b.undefined;
    result = {0, leftward64(u)};
    return false; // exact bits, but the value is not known here
  }
  return false;
}

} // namespace flysim
