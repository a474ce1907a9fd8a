// Vector arithmetic on 32-bit and 64-bit integers, and bits.
#include "lanes.h"

#include <bit>

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

i32 sign24(u32 x) { return i32(x << 8) >> 8; }
u32 field_u(u32 x, u32 offset, u32 width) { return width ? (x >> offset) & ((1u << width) - 1) : 0; }
i32 field_i(u32 x, u32 offset, u32 width) {
  if (!width) return 0;
  return offset + width < 32 ? i32(x << (32 - offset - width)) >> (32 - width) : i32(x) >> offset;
}
template <class T> T middle(T a, T b, T c) {
  const T low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}
u32 saturated(i64 x) { return u32(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }
u32 reversed(u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
u32 permuted_byte(u64 both, u32 selector) {
  if (selector >= 13) return 0xff;
  if (selector == 12) return 0;
  if (selector >= 8) return (both >> ((selector - 8) * 16 + 15) & 1) ? 0xff : 0;
  return u32(both >> (selector * 8)) & 0xff;
}
u32 permuted(u32 a, u32 b, u32 selectors) {
  const u64 both = u64(a) << 32 | b;
  u32 r = 0;
  for (int k = 0; k < 4; ++k) r |= permuted_byte(both, selectors >> (8 * k) & 0xff) << (8 * k);
  return r;
}
template <class Sum> u32 byte_differences(u32 a, u32 b, Sum) {
  u32 sum = 0;
  for (int k = 0; k < 32; k += 8) {
    const i32 d = i32(a >> k & 0xff) - i32(b >> k & 0xff);
    sum += Sum{}(b >> k & 0xff, u32(d < 0 ? -d : d));
  }
  return sum;
}

Wide plus(Wide a, Wide b) {
  const u32 low = a.low + b.low;
  return {low, a.high + b.high + (low < a.low)};
}
Wide minus(Wide a, Wide b) { return {a.low - b.low, a.high - b.high - (a.low < b.low)}; }
Wide shifted_left(Wide a, u32 by) { // by 0 to 63
  const u32 s = by & 31, low = a.low << s, high = a.high << s | a.low >> 1 >> (31 - s);
  return by & 32 ? Wide{0, low} : Wide{low, high};
}
Wide shifted_right(Wide a, u32 by) {
  const u32 s = by & 31, high = a.high >> s, low = a.low >> s | a.high << 1 << (31 - s);
  return by & 32 ? Wide{high, 0} : Wide{low, high};
}

// What RDNA calls v_mad_co_u64_u32 and v_mad_co_i64_i32.
Carry<u64> wide_product(u32 a, u32 b, u64 c) {
  const u64 p = u64(a) * b;
  return {p + c, p + c < c};
}
Carry<u64> wide_signed_product(i32 a, i32 b, i64 c) {
  i64 sum;
  const bool over = __builtin_add_overflow(i64(a) * b, c, &sum);
  return {u64(sum), (sum < 0) != over}; // bit 64 of the exact sum
}
const Registration wide_products({
    vop("v_mad_u64_u32", [](u32 a, u32 b, u64 c) { return wide_product(a, b, c); }),
    vop("v_mad_co_u64_u32", [](u32 a, u32 b, u64 c) { return wide_product(a, b, c); }),
    vop("v_mad_i64_i32", [](i32 a, i32 b, i64 c) { return wide_signed_product(a, b, c); }),
    vop("v_mad_co_i64_i32", [](i32 a, i32 b, i64 c) { return wide_signed_product(a, b, c); }),
});

// In 32 bits, of which a vector has more.
Carry<u32> sum_with(u32 a, u32 b, bool carry) {
  const u32 sum = a + b, r = sum + carry;
  return {r, (sum < a) | (r < sum)};
}
Carry<u32> difference_with(u32 a, u32 b, bool borrow) {
  const u32 difference = a - b, r = difference - borrow;
  return {r, (a < b) | (difference < r)};
}

const Registration add_sub({
    vop("v_add_u32", [](u32 a, u32 b) { return a + b; }),
    vop("v_sub_u32", [](u32 a, u32 b) { return a - b; }),
    vop("v_subrev_u32", [](u32 a, u32 b) { return b - a; }),
    vop("v_add_nc_u32", [](u32 a, u32 b) { return a + b; }),
    vop("v_sub_nc_u32", [](u32 a, u32 b) { return a - b; }),
    vop("v_subrev_nc_u32", [](u32 a, u32 b) { return b - a; }),
    vop("v_add_i32", [](u32 a, u32 b) { return a + b; }),
    vop("v_sub_i32", [](u32 a, u32 b) { return a - b; }),
    vop("v_add_nc_i32", [](u32 a, u32 b) { return a + b; }),
    vop("v_sub_nc_i32", [](u32 a, u32 b) { return a - b; }),
    vop("v_add_u32 clamp",
        [](u32 a, u32 b) {
          const u32 r = a + b;
          return r < a ? ~0u : r;
        }),
    vop("v_sub_u32 clamp", [](u32 a, u32 b) { return a < b ? 0u : a - b; }),
    vop("v_subrev_u32 clamp", [](u32 a, u32 b) { return b < a ? 0u : b - a; }),
    vop("v_add_nc_u32 clamp",
        [](u32 a, u32 b) {
          const u32 r = a + b;
          return r < a ? ~0u : r;
        }),
    vop("v_sub_nc_u32 clamp", [](u32 a, u32 b) { return a < b ? 0u : a - b; }),
    vop("v_subrev_nc_u32 clamp", [](u32 a, u32 b) { return b < a ? 0u : b - a; }),
    vop("v_add_i32 clamp", [](i32 a, i32 b) { return saturated(i64(a) + b); }),
    vop("v_sub_i32 clamp", [](i32 a, i32 b) { return saturated(i64(a) - b); }),
    vop("v_add_nc_i32 clamp", [](i32 a, i32 b) { return saturated(i64(a) + b); }),
    vop("v_sub_nc_i32 clamp", [](i32 a, i32 b) { return saturated(i64(a) - b); }),
    vop("v_add_co_u32", [](u32 a, u32 b) { return Carry<u32>{a + b, a + b < a}; }),
    vop("v_sub_co_u32", [](u32 a, u32 b) { return Carry<u32>{a - b, a < b}; }),
    vop("v_subrev_co_u32", [](u32 a, u32 b) { return Carry<u32>{b - a, b < a}; }),
    vop("v_addc_co_u32", [](u32 a, u32 b, Bit c) { return sum_with(a, b, c.v); }),
    vop("v_subb_co_u32", [](u32 a, u32 b, Bit c) { return difference_with(a, b, c.v); }),
    vop("v_subbrev_co_u32", [](u32 a, u32 b, Bit c) { return difference_with(b, a, c.v); }),
    vop("v_add_co_ci_u32", [](u32 a, u32 b, Bit c) { return sum_with(a, b, c.v); }),
    vop("v_sub_co_ci_u32", [](u32 a, u32 b, Bit c) { return difference_with(a, b, c.v); }),
    vop("v_subrev_co_ci_u32", [](u32 a, u32 b, Bit c) { return difference_with(b, a, c.v); }),
    vop("v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; }),
    vop("v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }),
    vop("v_add_lshl_u32", [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }),
    vop("v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; }),
    vop("v_lshl_add_u64", [](Wide a, u32 b, Wide c) { return plus(shifted_left(a, b & 7), c); }),
    vop("v_add_nc_u64", [](Wide a, Wide b) { return plus(a, b); }),
    vop("v_sub_nc_u64", [](Wide a, Wide b) { return minus(a, b); }),
});

const Registration multiply({
    vop("v_mul_lo_u32", [](u32 a, u32 b) { return a * b; }),
    vop("v_mul_lo_i32", [](u32 a, u32 b) { return a * b; }),
    vop("v_mul_hi_u32", [](u32 a, u32 b) { return u32(u64(a) * b >> 32); }),
    vop("v_mul_hi_i32", [](i32 a, i32 b) { return u32(i64(a) * b >> 32); }),
    vop("v_mul_u32_u24", [](u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }),
    vop("v_mul_i32_i24", [](u32 a, u32 b) { return u32(i64(sign24(a)) * sign24(b)); }),
    vop("v_mul_hi_u32_u24", [](u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff) >> 32); }),
    vop("v_mul_hi_i32_i24", [](u32 a, u32 b) { return u32(i64(sign24(a)) * sign24(b) >> 32); }),
    vop("v_mad_u32_u24", [](u32 a, u32 b, u32 c) { return (a & 0xffffff) * (b & 0xffffff) + c; }),
    vop("v_mad_i32_i24", [](u32 a, u32 b, u32 c) { return u32(i64(sign24(a)) * sign24(b)) + c; }),
    vop("v_mad_u32_u16", [](uint16_t a, uint16_t b, u32 c) { return u32(a) * b + c; }),
    vop("v_mad_i32_i16", [](int16_t a, int16_t b, u32 c) { return u32(i32(a) * b) + c; }),
});

const Registration bits({
    vop("v_mov_b32", [](u32 a) { return a; }),
    vop("v_mov_b64", [](Wide a) { return a; }),
    vop("v_accvgpr_read_b32", [](u32 a) { return a; }),
    vop("v_accvgpr_write_b32", [](u32 a) { return a; }),
    vop("v_accvgpr_mov_b32", [](u32 a) { return a; }),
    vop("v_not_b32", [](u32 a) { return ~a; }),
    vop("v_and_b32", [](u32 a, u32 b) { return a & b; }),
    vop("v_or_b32", [](u32 a, u32 b) { return a | b; }),
    vop("v_xor_b32", [](u32 a, u32 b) { return a ^ b; }),
    vop("v_xnor_b32", [](u32 a, u32 b) { return ~(a ^ b); }),
    vop("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; }),
    vop("v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; }),
    vop("v_xor3_b32", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; }),
    vop("v_lshl_or_b32", [](u32 a, u32 b, u32 c) { return a << (b & 31) | c; }),
    vop("v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); }),
    vop("v_lshrrev_b32", [](u32 a, u32 b) { return b >> (a & 31); }),
    vop("v_ashrrev_i32", [](u32 a, i32 b) { return b >> (a & 31); }),
    vop("v_lshlrev_b64", [](u32 a, Wide b) { return shifted_left(b, a & 63); }),
    vop("v_lshrrev_b64", [](u32 a, Wide b) { return shifted_right(b, a & 63); }),
    vop("v_ashrrev_i64", [](u32 a, i64 b) { return b >> (a & 63); }),
    vop("v_bfe_u32", [](u32 a, u32 b, u32 c) { return field_u(a, b & 31, c & 31); }),
    vop("v_bfe_i32", [](u32 a, u32 b, u32 c) { return field_i(a, b & 31, c & 31); }),
    vop("v_bfi_b32", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }),
    vop("v_bfm_b32", [](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }),
    vop("v_bfrev_b32", [](u32 a) { return reversed(a); }),
    vop("v_bcnt_u32_b32", [](u32 a, u32 b) { return u32(std::popcount(a)) + b; }),
    vop("v_ffbh_u32", [](u32 a) { return a ? u32(std::countl_zero(a)) : ~0u; }),
    vop("v_ffbl_b32", [](u32 a) { return a ? u32(std::countr_zero(a)) : ~0u; }),
    vop("v_ffbh_i32",
        [](u32 a) {
          const u32 x = i32(a) < 0 ? ~a : a;
          return x ? u32(std::countl_zero(x)) : ~0u;
        }),
    vop("v_clz_i32_u32", [](u32 a) { return a ? u32(std::countl_zero(a)) : ~0u; }),
    vop("v_ctz_i32_b32", [](u32 a) { return a ? u32(std::countr_zero(a)) : ~0u; }),
    vop("v_cls_i32",
        [](u32 a) {
          const u32 x = i32(a) < 0 ? ~a : a;
          return x ? u32(std::countl_zero(x)) : ~0u;
        }),
    vop("v_alignbit_b32", [](u32 a, u32 b, u32 c) { return u32((u64(a) << 32 | b) >> (c & 31)); }),
    vop("v_alignbyte_b32", [](u32 a, u32 b, u32 c) { return u32((u64(a) << 32 | b) >> (8 * (c & 3))); }),
    vop("v_perm_b32", [](u32 a, u32 b, u32 c) { return permuted(a, b, c); }),
    vop("v_cndmask_b32", [](float a, float b, Bit c) { return as_float(c.v ? as_bits(b) : as_bits(a)); }),
    vop("v_sad_u32", [](u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }),
    vop("v_sad_u8", [](u32 a, u32 b, u32 c) { return byte_differences(a, b, [](u32, u32 d) { return d; }) + c; }),
    vop("v_sad_u16",
        [](u32 a, u32 b, u32 c) {
          const auto distance = [](u32 x, u32 y) { return x > y ? x - y : y - x; };
          return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c;
        }),
    vop("v_sad_hi_u8",
        [](u32 a, u32 b, u32 c) { return (byte_differences(a, b, [](u32, u32 d) { return d; }) << 16) + c; }),
    vop("v_msad_u8",
        [](u32 a, u32 b, u32 c) { return byte_differences(a, b, [](u32 m, u32 d) { return m ? d : 0; }) + c; }),
    vop("v_lerp_u8",
        [](u32 a, u32 b, u32 c) {
          u32 r = 0;
          for (int k = 0; k < 32; k += 8) r |= (((a >> k & 0xff) + (b >> k & 0xff) + (c >> k & 1)) >> 1 & 0xff) << k;
          return r;
        }),
});

// Four sums of differences, of four windows into the first source.
template <class Mask> u64 four_differences(u64 a, u32 b, u64 c, Mask mask) {
  u64 r = 0;
  for (int k = 0; k < 4; ++k)
    r |= u64(uint16_t(byte_differences(u32(a >> (8 * k)), b, mask) + u32(c >> (16 * k)))) << (16 * k);
  return r;
}
const Registration windows({
    vop("v_qsad_pk_u16_u8",
        [](u64 a, u32 b, u64 c) { return four_differences(a, b, c, [](u32, u32 d) { return d; }); }),
    vop("v_mqsad_pk_u16_u8",
        [](u64 a, u32 b, u64 c) { return four_differences(a, b, c, [](u32 m, u32 d) { return m ? d : 0; }); }),
    vop("v_prng_b32", [](u32 a) { return a << 1 ^ (a >> 31 ? 197u : 0u); }), // a shift register with feedback
});

const Registration order({
    vop("v_min_u32", [](u32 a, u32 b) { return a < b ? a : b; }),
    vop("v_max_u32", [](u32 a, u32 b) { return a > b ? a : b; }),
    vop("v_min_i32", [](i32 a, i32 b) { return a < b ? a : b; }),
    vop("v_max_i32", [](i32 a, i32 b) { return a > b ? a : b; }),
    vop("v_min3_u32",
        [](u32 a, u32 b, u32 c) {
          const u32 m = a < b ? a : b;
          return m < c ? m : c;
        }),
    vop("v_max3_u32",
        [](u32 a, u32 b, u32 c) {
          const u32 m = a > b ? a : b;
          return m > c ? m : c;
        }),
    vop("v_min3_i32",
        [](i32 a, i32 b, i32 c) {
          const i32 m = a < b ? a : b;
          return m < c ? m : c;
        }),
    vop("v_max3_i32",
        [](i32 a, i32 b, i32 c) {
          const i32 m = a > b ? a : b;
          return m > c ? m : c;
        }),
    vop("v_med3_u32", [](u32 a, u32 b, u32 c) { return middle(a, b, c); }),
    vop("v_med3_i32", [](i32 a, i32 b, i32 c) { return middle(a, b, c); }),
});

using u16 = uint16_t;
using i16 = int16_t;
u16 saturated16(i32 x) { return u16(x > 32767 ? 32767 : x < -32768 ? -32768 : x); }

const Registration sixteen({
    vop("v_add_u16", [](u16 a, u16 b) { return u16(a + b); }),
    vop("v_sub_u16", [](u16 a, u16 b) { return u16(a - b); }),
    vop("v_subrev_u16", [](u16 a, u16 b) { return u16(b - a); }),
    vop("v_add_nc_u16", [](u16 a, u16 b) { return u16(a + b); }),
    vop("v_sub_nc_u16", [](u16 a, u16 b) { return u16(a - b); }),
    vop("v_add_i16", [](u16 a, u16 b) { return u16(a + b); }),
    vop("v_sub_i16", [](u16 a, u16 b) { return u16(a - b); }),
    vop("v_add_nc_i16", [](u16 a, u16 b) { return u16(a + b); }),
    vop("v_sub_nc_i16", [](u16 a, u16 b) { return u16(a - b); }),
    vop("v_add_u16 clamp", [](u16 a, u16 b) { return u16(a + b > 65535 ? 65535 : a + b); }),
    vop("v_sub_u16 clamp", [](u16 a, u16 b) { return u16(a < b ? 0 : a - b); }),
    vop("v_subrev_u16 clamp", [](u16 a, u16 b) { return u16(b < a ? 0 : b - a); }),
    vop("v_add_nc_u16 clamp", [](u16 a, u16 b) { return u16(a + b > 65535 ? 65535 : a + b); }),
    vop("v_sub_nc_u16 clamp", [](u16 a, u16 b) { return u16(a < b ? 0 : a - b); }),
    vop("v_add_i16 clamp", [](i16 a, i16 b) { return saturated16(a + b); }),
    vop("v_sub_i16 clamp", [](i16 a, i16 b) { return saturated16(a - b); }),
    vop("v_add_nc_i16 clamp", [](i16 a, i16 b) { return saturated16(a + b); }),
    vop("v_sub_nc_i16 clamp", [](i16 a, i16 b) { return saturated16(a - b); }),
    vop("v_mul_lo_u16", [](u16 a, u16 b) { return u16(u32(a) * b); }),
    keeping(vop("v_mad_u16", [](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); })),
    keeping(vop("v_mad_i16", [](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); })),
    vop("v_mad_legacy_u16", [](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); }),
    vop("v_mad_legacy_i16", [](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); }),
    vop("v_lshlrev_b16", [](u16 a, u16 b) { return u16(b << (a & 15)); }),
    vop("v_lshrrev_b16", [](u16 a, u16 b) { return u16(b >> (a & 15)); }),
    vop("v_ashrrev_i16", [](u16 a, i16 b) { return u16(b >> (a & 15)); }),
    vop("v_min_u16", [](u16 a, u16 b) { return a < b ? a : b; }),
    vop("v_max_u16", [](u16 a, u16 b) { return a > b ? a : b; }),
    vop("v_min_i16", [](i16 a, i16 b) { return a < b ? a : b; }),
    vop("v_max_i16", [](i16 a, i16 b) { return a > b ? a : b; }),
    keeping(vop("v_min3_u16",
                [](u16 a, u16 b, u16 c) {
                  const u16 m = a < b ? a : b;
                  return m < c ? m : c;
                })),
    keeping(vop("v_max3_u16",
                [](u16 a, u16 b, u16 c) {
                  const u16 m = a > b ? a : b;
                  return m > c ? m : c;
                })),
    keeping(vop("v_min3_i16",
                [](i16 a, i16 b, i16 c) {
                  const i16 m = a < b ? a : b;
                  return m < c ? m : c;
                })),
    keeping(vop("v_max3_i16",
                [](i16 a, i16 b, i16 c) {
                  const i16 m = a > b ? a : b;
                  return m > c ? m : c;
                })),
    keeping(vop("v_med3_u16", [](u16 a, u16 b, u16 c) { return middle(a, b, c); })),
    keeping(vop("v_med3_i16", [](i16 a, i16 b, i16 c) { return middle(a, b, c); })),
    vop("v_pack_b32_f16", [](u16 a, u16 b) { return u32(a) | u32(b) << 16; }),
    vop("v_and_b16", [](u16 a, u16 b) { return u16(a & b); }),
    vop("v_or_b16", [](u16 a, u16 b) { return u16(a | b); }),
    vop("v_xor_b16", [](u16 a, u16 b) { return u16(a ^ b); }),
    vop("v_not_b16", [](u16 a) { return u16(~a); }),
    vop("v_mov_b16", [](u16 a) { return a; }),
    vop("v_cndmask_b16", [](u16 a, u16 b, Bit c) { return c.v ? b : a; }),
});

} // namespace
} // namespace flysim
