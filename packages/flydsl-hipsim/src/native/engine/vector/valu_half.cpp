// Vector arithmetic on half floats, one a lane and two a lane, and on pairs of 16-bit integers and of f32.
#include "float_lanes.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;

float fused(float a, float b, float c) { return double_to_odd(double(a) * b + c); }
f16 fused(f16 a, f16 b, f16 c) { return {fused(a.v, b.v, c.v)}; }

f16 fixed_quotient(f16 a, f16 b, f16 c) {
  const bool negative = std::signbit(b.v) != std::signbit(c.v);
  const float inf = std::numeric_limits<float>::infinity(), sign = negative ? -1.0f : 1.0f;
  if (is_nan(c.v)) return c;
  if (is_nan(b.v)) return b;
  if ((b.v == 0 && c.v == 0) || (std::isinf(b.v) && std::isinf(c.v)))
    return f16{std::numeric_limits<float>::quiet_NaN()};
  if (b.v == 0 || std::isinf(c.v)) return f16{sign * inf};
  if (std::isinf(b.v) || c.v == 0) return f16{sign * 0.0f};
  return f16{sign * std::fabs(a.v)};
}

Opcode to_upper_half(Opcode opcode) {
  opcode.signature.insert(0, "^");
  return opcode;
}

const Registration one({
    vop("v_add_f16", [](f16 a, f16 b) { return f16{a.v + b.v}; }),
    vop("v_sub_f16", [](f16 a, f16 b) { return f16{a.v - b.v}; }),
    vop("v_subrev_f16", [](f16 a, f16 b) { return f16{b.v - a.v}; }),
    vop("v_mul_f16", [](f16 a, f16 b) { return f16{a.v * b.v}; }),
    keeping(vop("v_fma_f16", [](f16 a, f16 b, f16 c) { return fused(a, b, c); })),
    keeping(vop("v_fmac_f16", [](f16 a, f16 b, Old<f16> c) { return fused(a, b, c.v); })),
    keeping(vop("v_mac_f16",
                [](f16 a, f16 b, Old<f16> c) { return f16{half_to_float(float_to_half(a.v * b.v)) + c.v.v}; })),
    keeping(vop("v_mad_f16", [](f16 a, f16 b, f16 c) { return f16{half_to_float(float_to_half(a.v * b.v)) + c.v}; })),
    vop("v_mad_legacy_f16", [](f16 a, f16 b, f16 c) { return f16{half_to_float(float_to_half(a.v * b.v)) + c.v}; }),
    vop("v_fma_legacy_f16", [](f16 a, f16 b, f16 c) { return fused(a, b, c); }),
    vop("v_fmaak_f16", [](f16 a, f16 b, f16 k) { return fused(a, b, k); }),
    vop("v_fmamk_f16", [](f16 a, f16 k, f16 b) { return fused(a, k, b); }),
    vop("v_madak_f16", [](f16 a, f16 b, f16 k) { return f16{half_to_float(float_to_half(a.v * b.v)) + k.v}; }),
    vop("v_madmk_f16", [](f16 a, f16 k, f16 b) { return f16{half_to_float(float_to_half(a.v * k.v)) + b.v}; }),
    vop("v_floor_f16", [](f16 a) { return f16{std::floor(a.v)}; }),
    vop("v_ceil_f16", [](f16 a) { return f16{std::ceil(a.v)}; }),
    vop("v_trunc_f16", [](f16 a) { return f16{std::trunc(a.v)}; }),
    vop("v_rndne_f16", [](f16 a) { return f16{__builtin_roundevenf(a.v)}; }),
    vop("v_fract_f16",
        [](f16 a) {
          const float part = a.v - std::floor(a.v);
          return f16{part < 0.99951171875f || is_nan(part) ? part : 0.99951171875f};
        }),
    vop("v_rcp_f16", [](f16 a) { return f16{1.0f / a.v}; }),
    vop("v_rsq_f16", [](f16 a) { return f16{1.0f / std::sqrt(a.v)}; }),
    vop("v_sqrt_f16", [](f16 a) { return f16{std::sqrt(a.v)}; }),
    vop("v_exp_f16", [](f16 a) { return f16{std::exp2(a.v)}; }),
    vop("v_log_f16", [](f16 a) { return f16{std::log2(a.v)}; }),
    vop("v_sin_f16", [](f16 a) { return f16{sine_of_turns(a.v)}; }),
    vop("v_cos_f16", [](f16 a) { return f16{cosine_of_turns(a.v)}; }),
    vop("v_frexp_mant_f16", [](f16 a) { return f16{mantissa(a.v)}; }),
    vop("v_frexp_exp_i16_f16", [](f16 a) { return int16_t(exponent_of(a.v)); }),
    vop("v_ldexp_f16", [](f16 a, int16_t b) { return f16{std::ldexp(a.v, b)}; }),
    keeping(vop("v_div_fixup_f16", [](f16 a, f16 b, f16 c) { return fixed_quotient(a, b, c); })),
    vop("v_div_fixup_legacy_f16", [](f16 a, f16 b, f16 c) { return fixed_quotient(a, b, c); }), // clears the upper half
});

// ---- two halves ----
template <class F> Halves each_half(Halves a, Halves b, F f) { return {f(a.x, b.x), f(a.y, b.y)}; }
Halves fused2(Halves a, Halves b, Halves c) { return {fused(a.x, b.x, c.x), fused(a.y, b.y, c.y)}; }
template <class F> Int2 each_int(Int2 a, Int2 b, F f) {
  return {(f(a.v & 0xffff, b.v & 0xffff) & 0xffff) | f(a.v >> 16, b.v >> 16) << 16};
}
i32 sign(u32 x) { return int16_t(x); }
u32 clamped_signed(i32 x) { return u32(x > 32767 ? 32767 : x < -32768 ? -32768 : x); }

const Registration two({
    vop("v_pk_add_f16", [](Halves a, Halves b) { return each_half(a, b, [](float x, float y) { return x + y; }); }),
    vop("v_pk_mul_f16", [](Halves a, Halves b) { return each_half(a, b, [](float x, float y) { return x * y; }); }),
    vop("v_pk_fma_f16", [](Halves a, Halves b, Halves c) { return fused2(a, b, c); }),
    vop("v_pk_fmac_f16", [](Halves a, Halves b, Old<Halves> c) { return fused2(a, b, c.v); }),
    vop("v_pk_add_u16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x + y; }); }),
    vop("v_pk_sub_u16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x - y; }); }),
    vop("v_pk_add_i16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x + y; }); }),
    vop("v_pk_sub_i16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x - y; }); }),
    vop("v_pk_add_u16 clamp",
        [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x + y > 65535 ? 65535 : x + y; }); }),
    vop("v_pk_sub_u16 clamp",
        [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x < y ? 0 : x - y; }); }),
    vop("v_pk_add_i16 clamp",
        [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return clamped_signed(sign(x) + sign(y)); }); }),
    vop("v_pk_sub_i16 clamp",
        [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return clamped_signed(sign(x) - sign(y)); }); }),
    vop("v_pk_mul_lo_u16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x * y; }); }),
    vop("v_pk_mad_u16",
        [](Int2 a, Int2 b, Int2 c) {
          return Int2{((a.v * b.v + c.v) & 0xffff) | ((a.v >> 16) * (b.v >> 16) + (c.v >> 16)) << 16};
        }),
    vop("v_pk_mad_i16",
        [](Int2 a, Int2 b, Int2 c) {
          return Int2{((a.v * b.v + c.v) & 0xffff) | ((a.v >> 16) * (b.v >> 16) + (c.v >> 16)) << 16};
        }),
    vop("v_pk_lshlrev_b16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return y << (x & 15); }); }),
    vop("v_pk_lshrrev_b16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return y >> (x & 15); }); }),
    vop("v_pk_ashrrev_i16",
        [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return u32(sign(y) >> (x & 15)); }); }),
    vop("v_pk_min_u16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x < y ? x : y; }); }),
    vop("v_pk_max_u16", [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return x > y ? x : y; }); }),
    vop("v_pk_min_i16",
        [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return sign(x) < sign(y) ? x : y; }); }),
    vop("v_pk_max_i16",
        [](Int2 a, Int2 b) { return each_int(a, b, [](u32 x, u32 y) { return sign(x) > sign(y) ? x : y; }); }),
});

const Registration pairs({
    vop("v_pk_add_f32", [](Float2 a, Float2 b) { return Float2{a.x + b.x, a.y + b.y}; }),
    vop("v_pk_mul_f32", [](Float2 a, Float2 b) { return Float2{a.x * b.x, a.y * b.y}; }),
    vop("v_pk_fma_f32",
        [](Float2 a, Float2 b, Float2 c) {
          return Float2{__builtin_fmaf(a.x, b.x, c.x), __builtin_fmaf(a.y, b.y, c.y)};
        }),
    vop("v_pk_mov_b32",
        [](Float2 a, Float2 b) { return Float2{a.x, b.x}; }), // op_sel chooses both; op_sel_hi says nothing
});

// ---- sources of either width, dot products ----
u32 dot4_u8(u32 a, u32 b) {
  u32 sum = 0;
  for (int k = 0; k < 32; k += 8) sum += (a >> k & 0xff) * (b >> k & 0xff);
  return sum;
}
i32 dot4_i8(u32 a, u32 b) {
  i32 sum = 0;
  for (int k = 0; k < 32; k += 8) sum += int8_t(a >> k) * int8_t(b >> k);
  return sum;
}
u32 dot8_u4(u32 a, u32 b) {
  u32 sum = 0;
  for (int k = 0; k < 32; k += 4) sum += (a >> k & 15) * (b >> k & 15);
  return sum;
}
i32 dot8_i4(u32 a, u32 b) {
  i32 sum = 0;
  for (int k = 0; k < 32; k += 4) sum += (i32(a << (28 - k)) >> 28) * (i32(b << (28 - k)) >> 28);
  return sum;
}
float low(Half2 a) { return half_to_float(a.v & 0xffff); }
float high(Half2 a) { return half_to_float(a.v >> 16); }
float low_bf16(Int2 a) { return as_float(a.v << 16); }
float high_bf16(Int2 a) { return as_float(a.v & 0xffff0000u); }

const Registration mixed({
    vop("v_fma_mix_f32", [](Mixed a, Mixed b, Mixed c) { return __builtin_fmaf(a.v, b.v, c.v); }),
    vop("v_mad_mix_f32", [](Mixed a, Mixed b, Mixed c) { return a.v * b.v + c.v; }),
    vop("v_fma_mix_f32_bf16", [](Mixed a, Mixed b, Mixed c) { return __builtin_fmaf(a.v, b.v, c.v); }),
    keeping(vop("v_fma_mixlo_f16", [](Mixed a, Mixed b, Mixed c) { return f16{__builtin_fmaf(a.v, b.v, c.v)}; })),
    keeping(vop("v_mad_mixlo_f16", [](Mixed a, Mixed b, Mixed c) { return f16{a.v * b.v + c.v}; })),
    to_upper_half(vop("v_fma_mixhi_f16", [](Mixed a, Mixed b, Mixed c) { return f16{__builtin_fmaf(a.v, b.v, c.v)}; })),
    to_upper_half(vop("v_mad_mixhi_f16", [](Mixed a, Mixed b, Mixed c) { return f16{a.v * b.v + c.v}; })),
    vop("v_dot2_f32_f16",
        [](Half2 a, Half2 b, float c) { return __builtin_fmaf(high(a), high(b), __builtin_fmaf(low(a), low(b), c)); }),
    vop("v_dot2c_f32_f16",
        [](Half2 a, Half2 b, Old<float> c) {
          return __builtin_fmaf(high(a), high(b), __builtin_fmaf(low(a), low(b), c.v));
        }),
    vop("v_dot2acc_f32_f16",
        [](Half2 a, Half2 b, Old<float> c) {
          return __builtin_fmaf(high(a), high(b), __builtin_fmaf(low(a), low(b), c.v));
        }),
    vop("v_dot2_f32_bf16",
        [](Int2 a, Int2 b, float c) {
          return __builtin_fmaf(high_bf16(a), high_bf16(b), __builtin_fmaf(low_bf16(a), low_bf16(b), c));
        }),
    vop("v_dot2c_f32_bf16",
        [](Int2 a, Int2 b, Old<float> c) {
          return __builtin_fmaf(high_bf16(a), high_bf16(b), __builtin_fmaf(low_bf16(a), low_bf16(b), c.v));
        }),
    vop("v_dot2_i32_i16",
        [](Int2 a, Int2 b, u32 c) { return u32(sign(a.v) * sign(b.v)) + u32(sign(a.v >> 16) * sign(b.v >> 16)) + c; }),
    vop("v_dot2c_i32_i16",
        [](Int2 a, Int2 b, Old<u32> c) {
          return u32(sign(a.v) * sign(b.v)) + u32(sign(a.v >> 16) * sign(b.v >> 16)) + c.v;
        }),
    vop("v_dot2_u32_u16",
        [](Int2 a, Int2 b, u32 c) { return (a.v & 0xffff) * (b.v & 0xffff) + (a.v >> 16) * (b.v >> 16) + c; }),
    vop("v_dot4_i32_i8", [](u32 a, u32 b, u32 c) { return u32(dot4_i8(a, b)) + c; }),
    vop("v_dot4c_i32_i8", [](u32 a, u32 b, Old<u32> c) { return u32(dot4_i8(a, b)) + c.v; }),
    vop("v_dot4_u32_u8", [](u32 a, u32 b, u32 c) { return dot4_u8(a, b) + c; }),
    vop("v_dot8_i32_i4", [](u32 a, u32 b, u32 c) { return u32(dot8_i4(a, b)) + c; }),
    vop("v_dot8c_i32_i4", [](u32 a, u32 b, Old<u32> c) { return u32(dot8_i4(a, b)) + c.v; }),
    vop("v_dot8_u32_u4", [](u32 a, u32 b, u32 c) { return dot8_u4(a, b) + c; }),
});

} // namespace
} // namespace flysim
