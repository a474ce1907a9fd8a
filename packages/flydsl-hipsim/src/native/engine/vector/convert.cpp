// Conversions between numbers of all widths.
#include "float_lanes.h"
#include "small_floats.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;

// Towards zero; what is too large becomes the largest number, a NaN becomes 0.
template <class To, class From> To to_int(From x) {
  constexpr double low = double(std::numeric_limits<To>::min()), high = double(std::numeric_limits<To>::max());
  const double value = x;
  return is_nan(value) ? To(0)
      : value <= low   ? std::numeric_limits<To>::min()
      : value >= high  ? std::numeric_limits<To>::max()
                       : To(value);
}
// -1 to 1, or 0 to 1, as 16 bits. The product is exact in f64, so that it is rounded once.
u32 normalised(double x, bool is_signed) {
  const double part = is_signed ? (x > 1 ? 1 : x < -1 ? -1 : x) * 32767 : (x > 1 ? 1 : x > 0 ? x : 0) * 65535;
  return is_nan(x) ? 0 : u32(i32(__builtin_roundeven(part))) & 0xffff;
}
u32 signed_norms(double a, double b) { return normalised(a, true) | normalised(b, true) << 16; }
u32 unsigned_norms(double a, double b) { return normalised(a, false) | normalised(b, false) << 16; }
u32 byte_of(float x, u32 position, u32 old) {
  const u32 shift = 8 * (position & 3), value = to_int<uint8_t>(__builtin_nearbyintf(x));
  return (old & ~(0xffu << shift)) | value << shift;
}

const Registration numbers({
    vop("v_cvt_f32_i32", [](i32 a) { return float(a); }),
    vop("v_cvt_f32_u32", [](u32 a) { return float(a); }),
    vop("v_cvt_i32_f32", [](float a) { return to_int<i32>(a); }),
    vop("v_cvt_u32_f32", [](float a) { return to_int<u32>(a); }),
    vop("v_cvt_f64_i32", [](i32 a) { return double(a); }),
    vop("v_cvt_f64_u32", [](u32 a) { return double(a); }),
    vop("v_cvt_i32_f64", [](double a) { return to_int<i32>(a); }),
    vop("v_cvt_u32_f64", [](double a) { return to_int<u32>(a); }),
    vop("v_cvt_f32_f64", [](double a) { return float(a); }),
    vop("v_cvt_f64_f32", [](float a) { return double(a); }),
    vop("v_cvt_f32_f16", [](f16 a) { return is_nan(a.v) ? quiet(a.v) : a.v; }),
    vop("v_cvt_f16_f32", [](float a) { return f16{a}; }),
    vop("v_cvt_f16_u16", [](uint16_t a) { return f16{float(a)}; }),
    vop("v_cvt_f16_i16", [](int16_t a) { return f16{float(a)}; }),
    vop("v_cvt_u16_f16", [](f16 a) { return to_int<uint16_t>(a.v); }),
    vop("v_cvt_i16_f16", [](f16 a) { return to_int<int16_t>(a.v); }),
    vop("v_cvt_i32_i16", [](int16_t a) { return i32(a); }),
    vop("v_cvt_u32_u16", [](uint16_t a) { return u32(a); }),
    vop("v_cvt_rpi_i32_f32", [](float a) { return to_int<i32>(std::floor(a + 0.5f)); }),
    vop("v_cvt_flr_i32_f32", [](float a) { return to_int<i32>(std::floor(a)); }),
    vop("v_cvt_floor_i32_f32", [](float a) { return to_int<i32>(std::floor(a)); }),
    vop("v_cvt_nearest_i32_f32", [](float a) { return to_int<i32>(std::floor(a + 0.5f)); }),
    vop("v_cvt_off_f32_i4", [](u32 a) { return float(i32(a << 28) >> 28) / 16.0f; }),
    vop("v_cvt_f32_ubyte0", [](u32 a) { return float(a & 0xff); }),
    vop("v_cvt_f32_ubyte1", [](u32 a) { return float(a >> 8 & 0xff); }),
    vop("v_cvt_f32_ubyte2", [](u32 a) { return float(a >> 16 & 0xff); }),
    vop("v_cvt_f32_ubyte3", [](u32 a) { return float(a >> 24); }),
    vop("v_sat_pk_u8_i16",
        [](u32 a) -> uint16_t {
          const auto byte = [](i32 x) { return u32(x < 0 ? 0 : x > 255 ? 255 : x); };
          return byte(int16_t(a)) | byte(int16_t(a >> 16)) << 8;
        }),
});

const Registration packed({
    vop("v_cvt_pkrtz_f16_f32",
        [](float a, float b) { return Half2{float_to_half_rtz(a) | float_to_half_rtz(b) << 16}; }),
    vop("v_cvt_pk_rtz_f16_f32",
        [](float a, float b) { return Half2{float_to_half_rtz(a) | float_to_half_rtz(b) << 16}; }),
    vop("v_cvt_pk_f16_f32", [](float a, float b) { return Halves{a, b}; }),
    vop("v_cvt_pk_bf16_f32", [](float a, float b) { return u32(float_to_bf16(a) | float_to_bf16(b) << 16); }),
    vop("v_cvt_pknorm_i16_f32", [](float a, float b) { return signed_norms(a, b); }),
    vop("v_cvt_pknorm_i16_f16", [](f16 a, f16 b) { return signed_norms(a.v, b.v); }),
    vop("v_cvt_pknorm_u16_f32", [](float a, float b) { return unsigned_norms(a, b); }),
    vop("v_cvt_pknorm_u16_f16", [](f16 a, f16 b) { return unsigned_norms(a.v, b.v); }),
    vop("v_cvt_pk_norm_i16_f32", [](float a, float b) { return signed_norms(a, b); }),
    vop("v_cvt_pk_norm_i16_f16", [](f16 a, f16 b) { return signed_norms(a.v, b.v); }),
    vop("v_cvt_pk_norm_u16_f32", [](float a, float b) { return unsigned_norms(a, b); }),
    vop("v_cvt_pk_norm_u16_f16", [](f16 a, f16 b) { return unsigned_norms(a.v, b.v); }),
    vop("v_cvt_norm_i16_f16", [](f16 a) { return uint16_t(normalised(a.v, true)); }),
    vop("v_cvt_norm_u16_f16", [](f16 a) { return uint16_t(normalised(a.v, false)); }),
    vop("v_cvt_pk_u16_u32", [](u32 a, u32 b) { return u32((a > 65535 ? 65535 : a) | (b > 65535 ? 65535 : b) << 16); }),
    vop("v_cvt_pk_i16_i32",
        [](i32 a, i32 b) {
          const auto clamped = [](i32 x) { return u32(x > 32767 ? 32767 : x < -32768 ? -32768 : x) & 0xffff; };
          return u32(clamped(a) | clamped(b) << 16);
        }),
    vop("v_cvt_pk_u8_f32", [](float a, u32 b, u32 c) { return byte_of(a, b, c); }),
    vop("v_cvt_pkaccum_u8_f32", [](float a, u32 b, Old<u32> c) { return byte_of(a, b, c.v); }),
});

// ---- 8-bit floats: FNUZ on gfx940 to gfx942, OCP elsewhere ----
bool is_fnuz(const Wave &w) { return w.fnuz; }

template <bool Bf8> float widen(const Wave &w, uint32_t byte) {
  return is_fnuz(w) ? (Bf8 ? bf8_fnuz_to_float(byte) : fp8_fnuz_to_float(byte))
      : Bf8         ? bf8_to_float(byte)
                    : fp8_to_float(byte);
}
// MODE's FP16_OVFL clamps what is too large, and without it there is a NaN or an infinity.
constexpr uint32_t kModeClampsOverflow = 1u << 23;
template <class Small> uint32_t narrow_as(const Wave &w, float value) {
  return w.mode & kModeClampsOverflow ? Small::narrow(value) : Small::narrow_unclamped(value);
}
template <bool Bf8> uint32_t narrow(const Wave &w, float value) {
  if (is_fnuz(w)) return Bf8 ? narrow_as<Bf8Fnuz>(w, value) : narrow_as<Fp8Fnuz>(w, value);
  return Bf8 ? narrow_as<flysim::Bf8>(w, value) : narrow_as<Fp8>(w, value);
}

// SDWA picks the byte or word; VOP3 does it with op_sel.
template <bool Bf8> void one_to_f32(Wave &w, const Inst &i) {
  const uint32_t *from = fetch(w, i, 0);
  const int shift = i.record->form == FLYSIM_SDWA ? 0 : 8 * ((i.record->op_sel & 1) * 2 + (i.record->op_sel >> 1 & 1));
  for (int l = 0; l < w.lanes; ++l) w.out[l] = as_bits(widen<Bf8>(w, from[l] >> shift & 0xff));
  finish(w, i, 1);
}
template <bool Bf8> void two_to_f32(Wave &w, const Inst &i) {
  const uint32_t *from = fetch(w, i, 0);
  const bool selected = i.record->form == FLYSIM_SDWA || (i.src[0].mods & FLYSIM_HIGH_HALF);
  const int shift = selected ? 0 : 16 * (i.record->op_sel & 1);
  for (int l = 0; l < w.lanes; ++l)
    for (int k = 0; k < 2; ++k) w.out[l + k * kLanes] = as_bits(widen<Bf8>(w, from[l] >> (shift + 8 * k) & 0xff));
  finish(w, i, 2);
}
template <bool Bf8> void two_from_f32(Wave &w, const Inst &i) {
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1), *old = w.row(i.dst);
  const bool high = i.record->op_sel & 12 || (i.flags & FLYSIM_HIGH);
  for (int l = 0; l < w.lanes; ++l) {
    const uint32_t pair = narrow<Bf8>(w, as_float(a[l])) | narrow<Bf8>(w, as_float(b[l])) << 8;
    w.out[l] = high ? (old[l] & 0xffff) | pair << 16 : (old[l] & 0xffff0000u) | pair;
  }
  finish(w, i, 1);
}
// Random bits are added below the result's last bit.
template <bool Bf8> void stochastic_from_f32(Wave &w, const Inst &i) {
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1), *old = w.row(i.dst);
  const int shift = 8 * (i.record->op_sel >> 2 & 3);
  constexpr int dropped = Bf8 ? 21 : 20;
  for (int l = 0; l < w.lanes; ++l) {
    const uint32_t bits = (a[l] & 0x7f800000u) == 0x7f800000u ? a[l] : a[l] + (b[l] >> (32 - dropped));
    const uint32_t byte = narrow<Bf8>(w, as_float(bits & ~((1u << dropped) - 1)));
    w.out[l] = (old[l] & ~(0xffu << shift)) | byte << shift;
  }
  finish(w, i, 1);
}

const Registration eight_bits({
    {"v_cvt_f32_fp8", one_to_f32<false>, "f=u"},
    {"v_cvt_f32_bf8", one_to_f32<true>, "f=u"},
    {"v_cvt_pk_f32_fp8", two_to_f32<false>, "P=u"},
    {"v_cvt_pk_f32_bf8", two_to_f32<true>, "P=u"},
    {"v_cvt_pk_fp8_f32", two_from_f32<false>, "u=ff"},
    {"v_cvt_pk_bf8_f32", two_from_f32<true>, "u=ff"},
    {"v_cvt_sr_fp8_f32", stochastic_from_f32<false>, "u=fu"},
    {"v_cvt_sr_bf8_f32", stochastic_from_f32<true>, "u=fu"},
});

} // namespace
} // namespace flysim
