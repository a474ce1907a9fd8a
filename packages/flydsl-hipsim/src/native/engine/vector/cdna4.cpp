// What gfx950 adds to vector instructions: three-input bit functions, packed shifts, conversions, transposed LDS reads.
#include "engine/core/access.h"
#include "float_lanes.h"
#include "packed_codes.h"
#include "small_floats.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;

// Bit k of the table: the result where the three inputs' bits read as a number are k.
u32 by_table(u32 table, u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 k = 0; k < 8; ++k)
    if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return r;
}
void bitop3(Wave &w, const Inst &i) {
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1), *c = fetch(w, i, 2);
  const u32 table = i.record->dpp_control;
  for (int l = 0; l < w.lanes; ++l) w.out[l] = by_table(table, a[l], b[l], c[l]);
  finish(w, i, 1);
}
void bitop3_b16(Wave &w, const Inst &i) {
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1), *c = fetch(w, i, 2);
  const u32 table = i.record->dpp_control;
  for (int l = 0; l < w.lanes; ++l) w.out[l] = by_table(table, a[l], b[l], c[l]) & 0xffff;
  finish(w, i, 1);
}

u32 shifted_to_byte(i32 x, u32 by, i32 low, i32 high) {
  const i32 y = x >> (by & 31);
  return u32(y < low ? low : y > high ? high : y) & 0xff;
}

const Registration bits({
    {"v_bitop3_b32", bitop3, "u=uuu"},
    {"v_bitop3_b16", bitop3_b16, "w=www"},
    vop("v_ashr_pk_i8_i32",
        [](i32 a, i32 b, u32 c) {
          return uint16_t(shifted_to_byte(a, c, -128, 127) | shifted_to_byte(b, c, -128, 127) << 8);
        }),
    vop("v_ashr_pk_u8_i32",
        [](i32 a, i32 b, u32 c) {
          return uint16_t(shifted_to_byte(a, c, 0, 255) | shifted_to_byte(b, c, 0, 255) << 8);
        }),
    vop("v_cvt_f32_bf16", [](bf16 a) { return with_quiet_nan(a.v); }),
});

// ---- conversions with a scale: a power of two in the exponent of an f32 ----
// Source registers hold `Wide` values, the destination a byte or two of `Small` codes chosen by op_sel; the rest is
// kept.
template <class Small, int Bits, class Wide> void narrow_pair(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const bool floats = Wide::bits == 32;
  const uint32_t *a = fetch(w, i, 0), *b = floats ? fetch(w, i, 1) : a, *scales = fetch(w, i, floats ? 2 : 1),
                 *old = w.row(i.dst);
  const int shift = Bits == 4 ? 8 * (r.op_sel >> 2 & 3) : 16 * (r.op_sel >> 3 & 1);
  constexpr u32 field = (1u << 2 * Bits) - 1;
  for (int l = 0; l < w.lanes; ++l) {
    const float scale = power_of_two(scales[l]), x = Wide::value(a[l]),
                y = floats ? Wide::value(b[l]) : Wide::value(a[l] >> 16);
    const u32 pair = Small::narrow(x / scale) | Small::narrow(y / scale) << Bits;
    w.out[l] = (old[l] & ~(field << shift)) | pair << shift;
  }
  finish(w, i, 1);
}
template <class Small, int Bits, class Wide> void widen_pair(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *codes = fetch(w, i, 0), *scales = fetch(w, i, 1);
  const int shift = Bits == 4 ? 8 * ((r.op_sel & 1) | (r.op_sel & 2)) : 16 * (r.op_sel & 1);
  for (int l = 0; l < w.lanes; ++l) {
    const u32 pair = codes[l] >> shift;
    const float scale = power_of_two(scales[l]);
    const float x = Small::widen(pair & ((1u << Bits) - 1)) * scale,
                y = Small::widen(pair >> Bits & ((1u << Bits) - 1)) * scale;
    if constexpr (Wide::bits == 32) {
      w.out[l] = as_bits(x);
      w.out[l + kLanes] = as_bits(y);
    } else w.out[l] = Wide::code(x) | Wide::code(y) << 16;
  }
  finish(w, i, Wide::bits == 32 ? 2 : 1);
}
template <class Small> void widen_one(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  const uint32_t *codes = fetch(w, i, 0), *scales = fetch(w, i, 1);
  const int shift = 8 * ((r.op_sel & 1) | (r.op_sel & 2));
  for (int l = 0; l < w.lanes; ++l) w.out[l] = as_bits(Small::widen(codes[l] >> shift & 255) * power_of_two(scales[l]));
  finish(w, i, 1);
}

const Registration scaled({
    {"v_cvt_scalef32_pk_fp8_f32", narrow_pair<Fp8, 8, WideFloat>, "u=uuu"},
    {"v_cvt_scalef32_pk_bf8_f32", narrow_pair<Bf8, 8, WideFloat>, "u=uuu"},
    {"v_cvt_scalef32_pk_fp4_f32", narrow_pair<Fp4, 4, WideFloat>, "u=uuu"},
    {"v_cvt_scalef32_pk_fp8_f16", narrow_pair<Fp8, 8, WideHalf>, "u=uu"},
    {"v_cvt_scalef32_pk_bf8_f16", narrow_pair<Bf8, 8, WideHalf>, "u=uu"},
    {"v_cvt_scalef32_pk_fp8_bf16", narrow_pair<Fp8, 8, WideBf16>, "u=uu"},
    {"v_cvt_scalef32_pk_bf8_bf16", narrow_pair<Bf8, 8, WideBf16>, "u=uu"},
    {"v_cvt_scalef32_pk_fp4_f16", narrow_pair<Fp4, 4, WideHalf>, "u=uu"},
    {"v_cvt_scalef32_pk_fp4_bf16", narrow_pair<Fp4, 4, WideBf16>, "u=uu"},
    {"v_cvt_scalef32_pk_f32_fp8", widen_pair<Fp8, 8, WideFloat>, "P=uu"},
    {"v_cvt_scalef32_pk_f32_bf8", widen_pair<Bf8, 8, WideFloat>, "P=uu"},
    {"v_cvt_scalef32_pk_f32_fp4", widen_pair<Fp4, 4, WideFloat>, "P=uu"},
    {"v_cvt_scalef32_pk_f16_fp8", widen_pair<Fp8, 8, WideHalf>, "u=uu"},
    {"v_cvt_scalef32_pk_f16_bf8", widen_pair<Bf8, 8, WideHalf>, "u=uu"},
    {"v_cvt_scalef32_pk_bf16_fp8", widen_pair<Fp8, 8, WideBf16>, "u=uu"},
    {"v_cvt_scalef32_pk_bf16_bf8", widen_pair<Bf8, 8, WideBf16>, "u=uu"},
    {"v_cvt_scalef32_pk_f16_fp4", widen_pair<Fp4, 4, WideHalf>, "u=uu"},
    {"v_cvt_scalef32_pk_bf16_fp4", widen_pair<Fp4, 4, WideBf16>, "u=uu"},
    {"v_cvt_scalef32_f32_fp8", widen_one<Fp8>, "f=uu"},
    {"v_cvt_scalef32_f32_bf8", widen_one<Bf8>, "f=uu"},
});

// Sixteen lanes read rows of 16 elements and receive columns: element e of lane l is element l % n of lane e * (16 / n)
// + l / n, n being how many elements 64 bits hold.
template <int Bits> void read_transposed(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  constexpr int elements = 64 / Bits;
  uint64_t loaded[kLanes] = {};
  const uint32_t *address = w.row(r.operands[1].index);
  const uint64_t active = w.exec();
  each_lane(active, [&](int l) { std::memcpy(&loaded[l], lds_at(w, address[l] + uint32_t(r.offset), 8, l), 8); });
  uint32_t *to = w.row(r.operands[0].index);
  each_lane(active, [&](int l) {
    const int row = l & ~15, in = l & 15;
    uint64_t made = 0;
    for (int e = 0; e < elements; ++e) {
      const int from = row + e * (16 / elements) + in / elements, which = in % elements;
      made |= (loaded[from] >> (which * Bits) & ((1ull << Bits) - 1)) << (e * Bits);
    }
    to[l] = uint32_t(made);
    to[l + kLanes] = uint32_t(made >> 32);
  });
}
// Elements of six bits: sixteen a lane, in 96 bits.
void read_transposed_6(Wave &w, const Inst &i) {
  const FlySimRecord &r = *i.record;
  uint8_t loaded[kLanes][16] = {};
  const uint32_t *address = w.row(r.operands[1].index);
  const uint64_t active = w.exec();
  each_lane(active, [&](int l) { std::memcpy(loaded[l], lds_at(w, address[l] + uint32_t(r.offset), 12, l), 12); });
  each_lane(active, [&](int l) {
    uint64_t made[2] = {};
    for (int e = 0; e < 16; ++e) {
      uint16_t pair;
      std::memcpy(&pair, &loaded[(l & ~15) + e][(l & 15) * 6 / 8], 2);
      const uint64_t code = pair >> ((l & 15) * 6 % 8) & 63;
      made[e * 6 / 64] |= code << (e * 6 % 64);
      if (e * 6 % 64 > 58) made[1] |= code >> (64 - e * 6 % 64);
    }
    for (int k = 0; k < 3; ++k) w.row(r.operands[0].index + k)[l] = uint32_t(made[k / 2] >> (32 * (k % 2)));
  });
}
const Registration transposed({
    {"ds_read_b96_tr_b6", read_transposed_6, "*"},
    {"ds_read_b64_tr_b16", read_transposed<16>, "*"},
    {"ds_read_b64_tr_b8", read_transposed<8>, "*"},
    {"ds_read_b64_tr_b4", read_transposed<4>, "*"},
});

} // namespace
} // namespace flysim
