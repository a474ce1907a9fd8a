// What RDNA adds to vector instructions: minima of maxima, dot products, conversions, relative moves, scalar results.
#include "engine/core/access.h"
#include "engine/scalar/scalar.h"
#include "float_lanes.h"
#include "small_floats.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using u16 = uint16_t;

const Registration order({
    vop("v_minmax_i32",
        [](i32 a, i32 b, i32 c) {
          const i32 m = a < b ? a : b;
          return m > c ? m : c;
        }),
    vop("v_maxmin_i32",
        [](i32 a, i32 b, i32 c) {
          const i32 m = a > b ? a : b;
          return m < c ? m : c;
        }),
    vop("v_minmax_u32",
        [](u32 a, u32 b, u32 c) {
          const u32 m = a < b ? a : b;
          return m > c ? m : c;
        }),
    vop("v_maxmin_u32",
        [](u32 a, u32 b, u32 c) {
          const u32 m = a > b ? a : b;
          return m < c ? m : c;
        }),
});

const Registration arithmetic({
    vop("v_mullit_f32",
        [](float a, float b, float c) { // of lights: nothing unless the third is above 0
          const float lowest = std::numeric_limits<float>::lowest();
          return b <= lowest || is_nan(b) || !(c > 0) ? lowest : a == 0 || b == 0 ? 0.0f : a * b;
        }),
    moding("v_fma_dx9_zero_f32",
           [](float a, float b, float c) { return a == 0 || b == 0 ? c : __builtin_fmaf(a, b, c); }),
    moding("v_fmac_dx9_zero_f32",
           [](float a, float b, Old<float> c) { return a == 0 || b == 0 ? c.v : __builtin_fmaf(a, b, c.v); }),
    vop("v_sad_u16",
        [](u32 a, u32 b, u32 c) {
          const auto apart = [](u32 x, u32 y) { return x > y ? x - y : y - x; };
          return apart(a & 0xffff, b & 0xffff) + apart(a >> 16, b >> 16) + c;
        }),
    vop("v_dot2acc_f32_bf16",
        [](Int2 a, Int2 b, Old<float> c) {
          return __builtin_fmaf(as_float(a.v & 0xffff0000u), as_float(b.v & 0xffff0000u),
                                __builtin_fmaf(as_float(a.v << 16), as_float(b.v << 16), c.v));
        }),
    vop("v_dot2_f16_f16",
        [](Half2 a, Half2 b, f16 c) {
          const double low = double(half_to_float(a.v & 0xffff)) * half_to_float(b.v & 0xffff);
          const double high = double(half_to_float(a.v >> 16)) * half_to_float(b.v >> 16);
          return f16{half_to_float(double_to_half(low + high + c.v))};
        }),
    vop("v_dot2_bf16_bf16",
        [](Int2 a, Int2 b, bf16 c) {
          return bf16{__builtin_fmaf(as_float(a.v & 0xffff0000u), as_float(b.v & 0xffff0000u),
                                     __builtin_fmaf(as_float(a.v << 16), as_float(b.v << 16), c.v))};
        }),
});

// ---- dot products of bytes and half bytes: neg_lo says which operand is signed, clamp saturates ----
template <int Bits> i64 part(u32 word, int shift, bool is_signed) {
  const u32 code = word << (32 - Bits - shift);
  return is_signed ? i64(i32(code) >> (32 - Bits)) : i64(code >> (32 - Bits));
}
template <int Bits> void dot_either_sign(Wave &w, const Inst &i) {
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1), *c = fetch(w, i, 2);
  const bool a_signed = i.record->neg_lo & 1, b_signed = i.record->neg_lo & 2, clamp = i.flags & FLYSIM_CLAMP;
  for (int l = 0; l < w.lanes; ++l) {
    i64 sum = i32(c[l]);
    for (int k = 0; k < 32; k += Bits) sum += part<Bits>(a[l], k, a_signed) * part<Bits>(b[l], k, b_signed);
    w.out[l] = u32(clamp ? std::min<i64>(std::max<i64>(sum, INT32_MIN), INT32_MAX) : sum);
  }
  finish(w, i, 1);
}
template <int Bits> void dot_unsigned_clamped(Wave &w, const Inst &i) {
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1), *c = fetch(w, i, 2);
  for (int l = 0; l < w.lanes; ++l) {
    i64 sum = c[l];
    for (int k = 0; k < 32; k += Bits) sum += part<Bits>(a[l], k, false) * part<Bits>(b[l], k, false);
    w.out[l] = u32(std::min<i64>(sum, UINT32_MAX));
  }
  finish(w, i, 1);
}
template <class A, class B> void dot_eight_bits(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1), *c = fetch(w, i, 2);
  for (int l = 0; l < w.lanes; ++l) {
    float sum = as_float(c[l]);
    if (r.neg_hi & 4) sum = std::fabs(sum);
    if (r.neg_lo & 4) sum = -sum;
    for (int k = 0; k < 32; k += 8) sum = __builtin_fmaf(A::widen(a[l] >> k & 0xff), B::widen(b[l] >> k & 0xff), sum);
    w.out[l] = as_bits(sum);
  }
  finish(w, i, 1);
}
const Registration dots({
    {"v_dot4_i32_iu8", dot_either_sign<8>, "u=uuu"},
    {"v_dot4_i32_iu8 clamp", dot_either_sign<8>, "u=uuu"},
    {"v_dot8_i32_iu4", dot_either_sign<4>, "u=uuu"},
    {"v_dot8_i32_iu4 clamp", dot_either_sign<4>, "u=uuu"},
    {"v_dot4_u32_u8 clamp", dot_unsigned_clamped<8>, "u=uuu"},
    {"v_dot8_u32_u4 clamp", dot_unsigned_clamped<4>, "u=uuu"},
    {"v_dot4_f32_fp8_fp8", dot_eight_bits<Fp8, Fp8>, "f=uuf"},
    {"v_dot4_f32_fp8_bf8", dot_eight_bits<Fp8, Bf8>, "f=uuf"},
    {"v_dot4_f32_bf8_fp8", dot_eight_bits<Bf8, Fp8>, "f=uuf"},
    {"v_dot4_f32_bf8_bf8", dot_eight_bits<Bf8, Bf8>, "f=uuf"},
});

// ---- conversions ----
u32 signed_part(float x) {
  return is_nan(x) ? 0 : u32(i32(x <= -32768.0f ? -32768.0f : x >= 32767.0f ? 32767.0f : x)) & 0xffff;
}
u32 unsigned_part(float x) { return x >= 65535.0f ? 65535 : x > 0 ? u32(x) : 0; }
const Registration conversions({
    vop("v_cvt_pk_i16_f32", [](float a, float b) { return u32(signed_part(a) | signed_part(b) << 16); }),
    vop("v_cvt_pk_u16_f32", [](float a, float b) { return u32(unsigned_part(a) | unsigned_part(b) << 16); }),
});

// ---- registers chosen by M0 ----
unsigned moved(unsigned index, u32 by) {
  const u64 at = u64(index) + by;
  if (at >= 256) throw Fault("a relative move of VGPR " + std::to_string(at));
  return unsigned(at);
}
void copy_active(Wave &w, unsigned to, const uint32_t *from) {
  uint32_t *row = w.row(to);
  each_lane(w.exec(), [&](int l) { row[l] = from[l]; });
}
void move_to(Wave &w, const Inst &i) { copy_active(w, moved(i.dst, w.s[kM0]), fetch(w, i, 0)); }
void move_from(Wave &w, const Inst &i) { copy_active(w, i.dst, w.row(moved(i.src[0].index, w.s[kM0]))); }
void move_both(Wave &w, const Inst &i) {
  copy_active(w, moved(i.dst, w.s[kM0]), w.row(moved(i.src[0].index, w.s[kM0])));
}
void move_both_2(Wave &w, const Inst &i) {
  copy_active(w, moved(i.dst, w.s[kM0] >> 16 & 0x3ff), w.row(moved(i.src[0].index, w.s[kM0] & 0x3ff)));
}
void swap_halves(Wave &w, const Inst &i) {
  const FlySimOperand &to = i.record->operands[0], &from = i.record->operands[1];
  const int x = to.mods & FLYSIM_HIGH_HALF ? 16 : 0, y = from.mods & FLYSIM_HIGH_HALF ? 16 : 0;
  uint32_t *a = w.row(to.index), *b = w.row(from.index);
  each_lane(w.exec(), [&](int l) {
    const u32 p = a[l] >> x & 0xffff, q = b[l] >> y & 0xffff;
    a[l] = (a[l] & ~(0xffffu << x)) | q << x;
    b[l] = (b[l] & ~(0xffffu << y)) | p << y;
  });
}
void swap_chosen(Wave &w, const Inst &i) {
  const FlySimOperand &to = i.record->operands[0], &from = i.record->operands[1];
  uint32_t *a = w.row(moved(to.index, w.s[kM0] >> 16 & 0x3ff)), *b = w.row(moved(from.index, w.s[kM0] & 0x3ff));
  each_lane(w.exec(), [&](int l) { std::swap(a[l], b[l]); });
}
const Registration relative({
    {"v_movreld_b32", move_to, "u=u"},
    {"v_movrels_b32", move_from, "u=u"},
    {"v_movrelsd_b32", move_both, "u=u"},
    {"v_movrelsd_2_b32", move_both_2, "u=u"},
    {"v_swap_b16", swap_halves, "*"},
    {"v_swaprel_b32", swap_chosen, "*"},
});

// ---- lanes of a row of 16, of this row or of the other one of its pair ----
// op_sel: bit 0, lanes that are off may be read; bit 1, what may not be read is 0 instead of leaving the destination
// alone.
template <class Select> void permute_rows(Wave &w, const Inst &i, int across, Select select) {
  const uint32_t *from = fetch(w, i, 0);
  const u64 active = w.exec();
  const bool any = i.record->op_sel & 1, zero = i.record->op_sel & 2;
  uint32_t *to = w.row(i.dst);
  for (int l = 0; l < w.lanes; ++l) {
    const int source = ((l & ~15) ^ across) | select(l);
    w.out[l] = any || (active >> source & 1) ? from[source] : zero ? 0 : to[l];
  }
  copy_active(w, i.dst, w.out);
}
template <int Across> void permute_16(Wave &w, const Inst &i) {
  const u64 lanes = scalar_source<u32>(w, i.src[1]) | u64(scalar_source<u32>(w, i.src[2])) << 32;
  permute_rows(w, i, Across, [=](int l) { return int(lanes >> 4 * (l & 15) & 15); });
}
template <int Across> void permute_16_each(Wave &w, const Inst &i) {
  const uint32_t *lanes = fetch(w, i, 1);
  permute_rows(w, i, Across, [=](int l) { return int(lanes[l] & 15); });
}
void exchange_halves(Wave &w, const Inst &i) { // of a wave64; a wave32 has none
  if (w.lanes == 32) return;
  const uint32_t *from = w.row(i.src[0].index);
  for (int l = 0; l < kLanes; ++l) w.out[l] = from[l ^ 32];
  copy_active(w, i.dst, w.out);
}
const Registration rows({
    {"v_permlane16_b32", permute_16<0>, "u=uss"},
    {"v_permlanex16_b32", permute_16<16>, "u=uss"},
    {"v_permlane16_var_b32", permute_16_each<0>, "u=uu"},
    {"v_permlanex16_var_b32", permute_16_each<16>, "u=uu"},
    {"v_permlane64_b32", exchange_halves, "u=u"},
});

// ---- functions of the vector unit with scalar operands ----
float modified(float x, const Source &s) {
  if (s.mods & FLYSIM_ABS) x = std::fabs(x);
  return s.mods & FLYSIM_NEG ? -x : x;
}
float adjusted(float x, const FlySimRecord &r) {
  if (r.omod) x *= r.omod == 1 ? 2.0f : r.omod == 2 ? 4.0f : 0.5f;
  return r.flags & FLYSIM_CLAMP ? (x > 0 ? (x < 1 ? x : 1.0f) : 0.0f) : x;
}
template <class F> void scalar_f32(Wave &w, const Inst &i) {
  w.s[i.dst] = as_bits(adjusted(F{}(modified(scalar_source<float>(w, i.src[0]), i.src[0])), *i.record));
}
template <class F> void scalar_f16(Wave &w, const Inst &i) {
  const float x = half_to_float(scalar_source<u32>(w, i.src[0]) & 0xffff);
  w.s[i.dst] = float_to_half(adjusted(F{}(modified(x, i.src[0])), *i.record));
}
template <class F> std::vector<Opcode> both(const char *name32, const char *name16, F) {
  return {{name32, scalar_f32<F>, "s=f"}, {name16, scalar_f16<F>, "s=h"}};
}
const Registration exponentials(both("v_s_exp_f32", "v_s_exp_f16", [](float a) { return std::exp2(a); }));
const Registration logarithms(both("v_s_log_f32", "v_s_log_f16", [](float a) { return std::log2(a); }));
const Registration reciprocals(both("v_s_rcp_f32", "v_s_rcp_f16", [](float a) { return 1.0f / a; }));
const Registration reciprocal_roots(both("v_s_rsq_f32", "v_s_rsq_f16",
                                         [](float a) { return float(1.0 / std::sqrt(double(a))); }));
const Registration roots(both("v_s_sqrt_f32", "v_s_sqrt_f16", [](float a) { return std::sqrt(a); }));

} // namespace
} // namespace flysim
