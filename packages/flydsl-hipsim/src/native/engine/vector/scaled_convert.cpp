// What gfx950 converts with a scale in groups of 32, or with random bits: 6-bit floats packed without gaps, one byte,
// one pair.
#include "float_lanes.h"
#include "packed_codes.h"
#include "small_floats.h"

namespace flysim {
namespace {

using u32 = uint32_t;

template <class Small, class Wide> void widen_32(Wave &w, const Inst &i) {
  const u32 *codes = rows_of(w, i, 0), *scales = fetch(w, i, 1);
  for (int l = 0; l < w.lanes; ++l) {
    u32 made[32] = {};
    for (int e = 0; e < 32; ++e)
      pack_code(made, Wide::bits, e, Wide::code(Small::widen(packed_code(codes, l, 6, e)) * power_of_two(scales[l])));
    write_lane(w, i, l, made, Wide::bits);
  }
}
// Of one source with 32 values, or of two with sixteen; with random bits before the scale.
template <class Small, class Wide, int Sources, bool Randomly> void narrow_32(Wave &w, const Inst &i) {
  const u32 *scales = fetch(w, i, Sources + Randomly), *noise = Randomly ? fetch(w, i, Sources) : nullptr;
  constexpr int each = 32 / Sources;
  for (int l = 0; l < w.lanes; ++l) {
    u32 made[6] = {};
    for (int e = 0; e < 32; ++e) {
      const float value =
          Wide::value(packed_code(rows_of(w, i, e / each), l, Wide::bits, e % each)) / power_of_two(scales[l]);
      pack_code(made, 6, e, Randomly ? Small::narrow_randomly(value, noise[l]) : Small::narrow(value));
    }
    write_lane(w, i, l, made, 6);
  }
}
// One value to a byte, or two to one, of the destination; op_sel says which.
template <class Small, class Wide> void byte_randomly(Wave &w, const Inst &i) {
  const u32 *values = rows_of(w, i, 0), *noise = fetch(w, i, 1), *scales = fetch(w, i, 2), *old = w.row(i.dst);
  const int shift = 8 * (i.record->op_sel >> 2 & 3);
  for (int l = 0; l < w.lanes; ++l) {
    const u32 code = Small::narrow_randomly(Wide::value(values[l]) / power_of_two(scales[l]), noise[l]);
    const u32 made = (old[l] & ~(0xffu << shift)) | code << shift;
    write_lane(w, i, l, &made, 1);
  }
}
template <class Wide> void pair_randomly(Wave &w, const Inst &i) {
  const u32 *values = rows_of(w, i, 0), *noise = fetch(w, i, 1), *scales = fetch(w, i, 2), *old = w.row(i.dst);
  const int shift = 8 * (i.record->op_sel >> 2 & 3);
  for (int l = 0; l < w.lanes; ++l) {
    u32 pair = 0;
    for (int e = 0; e < 2; ++e)
      pair |=
          Fp4::narrow_randomly(Wide::value(packed_code(values, l, Wide::bits, e)) / power_of_two(scales[l]), noise[l])
          << (4 * e);
    const u32 made = (old[l] & ~(0xffu << shift)) | pair << shift;
    write_lane(w, i, l, &made, 1);
  }
}
template <class Small> void byte_to_half(Wave &w, const Inst &i) {
  const u32 *codes = fetch(w, i, 0), *scales = fetch(w, i, 1), *old = w.row(i.dst);
  const int shift = 8 * ((i.record->op_sel & 1) | (i.record->op_sel & 2)), to = 16 * (i.record->op_sel >> 3 & 1);
  for (int l = 0; l < w.lanes; ++l) {
    const u32 half = float_to_half(Small::widen(codes[l] >> shift & 255) * power_of_two(scales[l]));
    const u32 made = (old[l] & ~(0xffffu << to)) | half << to;
    write_lane(w, i, l, &made, 1);
  }
}

const Registration random({
    keeping(vop("v_cvt_sr_f16_f32", [](float a, u32 noise) { return f16{noisy<13>(a, noise)}; })),
    keeping(vop("v_cvt_sr_bf16_f32", [](float a, u32 noise) { return bf16{noisy<16>(a, noise)}; })),
    {"v_cvt_scalef32_sr_fp8_f32", byte_randomly<Fp8, WideFloat>, "u=uuu"},
    {"v_cvt_scalef32_sr_bf8_f32", byte_randomly<Bf8, WideFloat>, "u=uuu"},
    {"v_cvt_scalef32_sr_fp8_f16", byte_randomly<Fp8, WideHalf>, "u=uuu"},
    {"v_cvt_scalef32_sr_bf8_f16", byte_randomly<Bf8, WideHalf>, "u=uuu"},
    {"v_cvt_scalef32_sr_fp8_bf16", byte_randomly<Fp8, WideBf16>, "u=uuu"},
    {"v_cvt_scalef32_sr_bf8_bf16", byte_randomly<Bf8, WideBf16>, "u=uuu"},
    {"v_cvt_scalef32_sr_pk_fp4_f32", pair_randomly<WideFloat>, "u=quu"},
    {"v_cvt_scalef32_sr_pk_fp4_f16", pair_randomly<WideHalf>, "u=uuu"},
    {"v_cvt_scalef32_sr_pk_fp4_bf16", pair_randomly<WideBf16>, "u=uuu"},
    {"v_cvt_scalef32_sr_pk32_fp6_f32", narrow_32<Fp6, WideFloat, 1, true>, "r=ruu"},
    {"v_cvt_scalef32_sr_pk32_bf6_f32", narrow_32<Bf6, WideFloat, 1, true>, "r=ruu"},
    {"v_cvt_scalef32_sr_pk32_fp6_f16", narrow_32<Fp6, WideHalf, 1, true>, "r=ruu"},
    {"v_cvt_scalef32_sr_pk32_bf6_f16", narrow_32<Bf6, WideHalf, 1, true>, "r=ruu"},
    {"v_cvt_scalef32_sr_pk32_fp6_bf16", narrow_32<Fp6, WideBf16, 1, true>, "r=ruu"},
    {"v_cvt_scalef32_sr_pk32_bf6_bf16", narrow_32<Bf6, WideBf16, 1, true>, "r=ruu"},
});
const Registration groups({
    {"v_cvt_scalef32_f16_fp8", byte_to_half<Fp8>, "u=uu"},
    {"v_cvt_scalef32_f16_bf8", byte_to_half<Bf8>, "u=uu"},
    {"v_cvt_scalef32_pk32_f32_fp6", widen_32<Fp6, WideFloat>, "r=ru"},
    {"v_cvt_scalef32_pk32_f32_bf6", widen_32<Bf6, WideFloat>, "r=ru"},
    {"v_cvt_scalef32_pk32_f16_fp6", widen_32<Fp6, WideHalf>, "r=ru"},
    {"v_cvt_scalef32_pk32_f16_bf6", widen_32<Bf6, WideHalf>, "r=ru"},
    {"v_cvt_scalef32_pk32_bf16_fp6", widen_32<Fp6, WideBf16>, "r=ru"},
    {"v_cvt_scalef32_pk32_bf16_bf6", widen_32<Bf6, WideBf16>, "r=ru"},
    {"v_cvt_scalef32_pk32_fp6_f16", narrow_32<Fp6, WideHalf, 1, false>, "r=ru"},
    {"v_cvt_scalef32_pk32_bf6_f16", narrow_32<Bf6, WideHalf, 1, false>, "r=ru"},
    {"v_cvt_scalef32_pk32_fp6_bf16", narrow_32<Fp6, WideBf16, 1, false>, "r=ru"},
    {"v_cvt_scalef32_pk32_bf6_bf16", narrow_32<Bf6, WideBf16, 1, false>, "r=ru"},
    {"v_cvt_scalef32_2xpk16_fp6_f32", narrow_32<Fp6, WideFloat, 2, false>, "r=rru"},
    {"v_cvt_scalef32_2xpk16_bf6_f32", narrow_32<Bf6, WideFloat, 2, false>, "r=rru"},
});

} // namespace
} // namespace flysim
