// What gfx1250 converts: 8-bit floats and halves, eight or sixteen values with a scale, with random bits, tables of
// packed codes.
#include "float_lanes.h"
#include "packed_codes.h"
#include "small_floats.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;

u32 next_noise(u32 noise) { return noise << 1 ^ (noise >> 31 ? 197u : 0u); } // as v_prng_b32

// ---- E5M3, which `clamp` chooses in place of E4M3: no sign; infinities and what is too large are its NaN ----
struct Unsigned8 {
  static constexpr float largest = 114688, step = 8192;
  static float widen(u32 code) { return e5m3_to_float(code); }
  static u32 narrow(float x) { return std::fabs(x) <= largest + step / 2 ? E5m3::narrow(std::fabs(x)) : 255; }
  static u32 narrow_randomly(float x, u32 noise) {
    const double above = (std::fabs(double(x)) - largest) / step;
    return above < 0 ? E5m3::narrow_randomly(std::fabs(x), noise) : above + noise * 0x1p-32 < 1 ? 254 : 255;
  }
};

int source_byte(const FlySimRecord &r) { return 8 * ((r.op_sel & 1) * 2 + (r.op_sel >> 1 & 1)); }
template <class Small> void byte_to_float(Wave &w, const Inst &i) {
  const u32 *from = fetch(w, i, 0);
  const int shift = source_byte(*i.record);
  for (int l = 0; l < w.lanes; ++l) w.out[l] = as_bits(Small::widen(from[l] >> shift & 255));
  finish(w, i, 1);
}
template <class Small> void byte_to_half(Wave &w, const Inst &i) {
  const u32 *from = fetch(w, i, 0);
  const int shift = source_byte(*i.record);
  for (int l = 0; l < w.lanes; ++l) w.out[l] = float_to_half(Small::widen(from[l] >> shift & 255));
  finish(w, i, 1);
}
template <class Small> void pair_to_halves(Wave &w, const Inst &i) {
  const u32 *from = fetch(w, i, 0);
  const int shift = (i.record->op_sel & 1) && !(i.src[0].mods & FLYSIM_HIGH_HALF) ? 16 : 0;
  for (int l = 0; l < w.lanes; ++l)
    w.out[l] = float_to_half(Small::widen(from[l] >> shift & 255)) |
        float_to_half(Small::widen(from[l] >> (shift + 8) & 255)) << 16;
  finish(w, i, 1);
}
// Two values, of f32 in two sources or of a pair of halves, to half a register.
template <class Small, bool Halves> void pair_to_bytes(Wave &w, const Inst &i) {
  const u32 *a = fetch(w, i, 0), *b = Halves ? a : fetch(w, i, 1), *old = w.row(i.dst);
  const bool high = (i.record->op_sel & (Halves ? 2 : 12)) || (i.flags & FLYSIM_HIGH);
  for (int l = 0; l < w.lanes; ++l) {
    const float x = Halves ? half_to_float(a[l] & 0xffff) : as_float(a[l]),
                y = Halves ? half_to_float(a[l] >> 16) : as_float(b[l]);
    const u32 pair = Small::narrow(x) | Small::narrow(y) << 8;
    w.out[l] = high ? (old[l] & 0xffff) | pair << 16 : (old[l] & 0xffff0000u) | pair;
  }
  finish(w, i, 1);
}
template <class Small, bool Half> void byte_randomly(Wave &w, const Inst &i) {
  const u32 *from = fetch(w, i, 0), *noise = fetch(w, i, 1), *old = w.row(i.dst);
  const int shift = 8 * (i.record->op_sel >> 2 & 3);
  for (int l = 0; l < w.lanes; ++l) {
    const u32 code = Small::narrow_randomly(Half ? half_to_float(from[l] & 0xffff) : as_float(from[l]), noise[l]);
    w.out[l] = (old[l] & ~(0xffu << shift)) | code << shift;
  }
  finish(w, i, 1);
}
const Registration eight_bits({
    {"v_cvt_f16_fp8", byte_to_half<Fp8>, "h=u"},
    {"v_cvt_f16_bf8", byte_to_half<Bf8>, "h=u"},
    {"v_cvt_pk_f16_fp8", pair_to_halves<Fp8>, "u=u"},
    {"v_cvt_pk_f16_bf8", pair_to_halves<Bf8>, "u=u"},
    {"v_cvt_pk_fp8_f16", pair_to_bytes<Fp8, true>, "u=u"},
    {"v_cvt_pk_bf8_f16", pair_to_bytes<Bf8, true>, "u=u"},
    {"v_cvt_sr_fp8_f16", byte_randomly<Fp8, true>, "u=hu"},
    {"v_cvt_sr_bf8_f16", byte_randomly<Bf8, true>, "u=hu"},
    {"v_cvt_f32_fp8 e5m3", byte_to_float<Unsigned8>, "u=u"},
    {"v_cvt_pk_fp8_f32 e5m3", pair_to_bytes<Unsigned8, false>, "u=ff"},
    {"v_cvt_sr_fp8_f32 e5m3", byte_randomly<Unsigned8, false>, "u=fu"},
});

const Registration pairs_randomly({
    vop("v_cvt_sr_pk_f16_f32",
        [](float a, float b, u32 noise) { return Halves{noisy<13>(a, noise), noisy<13>(b, next_noise(noise))}; }),
    vop("v_cvt_sr_pk_bf16_f32",
        [](float a, float b, u32 noise) {
          return u32(float_to_bf16(noisy<16>(a, noise)) | float_to_bf16(noisy<16>(b, next_noise(noise))) << 16);
        }),
});

// ---- eight or sixteen at once ----
// The scales of a row of lanes are bytes of lanes 0 to 15, or 16 to 31; scale_sel says which of a lane's four bytes
// they are.
struct ScaleChoice {
  ScaleChoice(unsigned selected, int bits) {
    const bool sixteen = selected & 1; // scales are for 16 k instead of 32
    if (bits == 8 && sixteen)
      throw Fault("scale_sel " + std::to_string(selected) + " of 8-bit floats: the simulator does not know its bytes");
    const int pair = int(selected >> 1 & 1), byte = int(selected >> 1 & 3);
    first = bits == 8 ? byte : sixteen ? pair : 2 * pair;
    second = bits == 8 ? byte : sixteen ? pair + 2 : 2 * pair + 1;
    lane = bits == 8 ? int(selected >> 3 & 1) * 16 : int(selected >> 2 & 1) * 16;
  }
  float of(const u32 *scales, int l) const {
    const u32 code = scales[lane + l % 16] >> 8 * (l / 16 % 2 ? second : first) & 255;
    return code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, int(code) - 127);
  }
  int first, second, lane;
};
template <class Small, int Bits, class Wide> void widen_many(Wave &w, const Inst &i) {
  constexpr int count = Bits == 6 ? 16 : 8;
  const ScaleChoice choice(i.record->abid, Bits);
  const u32 *codes = rows_of(w, i, 0), *scales = fetch(w, i, 1);
  u32 made[kLanes][16] = {};
  for (int l = 0; l < w.lanes; ++l)
    for (int e = 0; e < count; ++e)
      pack_code(made[l], Wide::bits, e,
                Wide::code(Small::widen(packed_code(codes, l, Bits, e)) * choice.of(scales, l)));
  for (int l = 0; l < w.lanes; ++l) write_lane(w, i, l, made[l], count * Wide::bits / 32);
}
template <class Small, int Bits, class Wide, bool Randomly> void narrow_many(Wave &w, const Inst &i) {
  constexpr int count = Bits == 6 ? 16 : 8;
  const u32 *values = rows_of(w, i, 0), *noises = Randomly ? fetch(w, i, 1) : nullptr,
            *scales = fetch(w, i, 1 + Randomly);
  for (int l = 0; l < w.lanes; ++l) {
    u32 made[4] = {}, noise = Randomly ? noises[l] : 0;
    for (int e = 0; e < count; ++e, noise = next_noise(noise)) {
      const float value = Wide::value(packed_code(values, l, Wide::bits, e)) / power_of_two(scales[l]);
      pack_code(made, Bits, e, Randomly ? Small::narrow_randomly(value, noise) : Small::narrow(value));
    }
    write_lane(w, i, l, made, count * Bits / 32);
  }
}
template <class Small, int Bits> std::vector<Opcode> conversions_of(const char *const (&names)[9]) {
  return {{names[0], widen_many<Small, Bits, WideFloat>, "r=ru"},
          {names[1], widen_many<Small, Bits, WideHalf>, "r=ru"},
          {names[2], widen_many<Small, Bits, WideBf16>, "r=ru"},
          {names[3], narrow_many<Small, Bits, WideFloat, false>, "r=ru"},
          {names[4], narrow_many<Small, Bits, WideHalf, false>, "r=ru"},
          {names[5], narrow_many<Small, Bits, WideBf16, false>, "r=ru"},
          {names[6], narrow_many<Small, Bits, WideFloat, true>, "r=ruu"},
          {names[7], narrow_many<Small, Bits, WideHalf, true>, "r=ruu"},
          {names[8], narrow_many<Small, Bits, WideBf16, true>, "r=ruu"}};
}
#define FLYSIM_MANY(COUNT, KIND) \
  {"v_cvt_scale_" COUNT "_f32_" KIND,          "v_cvt_scale_" COUNT "_f16_" KIND, \
   "v_cvt_scale_" COUNT "_bf16_" KIND,         "v_cvt_scalef32_" COUNT "_" KIND "_f32", \
   "v_cvt_scalef32_" COUNT "_" KIND "_f16",    "v_cvt_scalef32_" COUNT "_" KIND "_bf16", \
   "v_cvt_scalef32_sr_" COUNT "_" KIND "_f32", "v_cvt_scalef32_sr_" COUNT "_" KIND "_f16", \
   "v_cvt_scalef32_sr_" COUNT "_" KIND "_bf16"}
const Registration fp8(conversions_of<Fp8, 8>(FLYSIM_MANY("pk8", "fp8")));
const Registration bf8(conversions_of<Bf8, 8>(FLYSIM_MANY("pk8", "bf8")));
const Registration fp4(conversions_of<Fp4, 4>(FLYSIM_MANY("pk8", "fp4")));
const Registration fp6(conversions_of<Fp6, 6>(FLYSIM_MANY("pk16", "fp6")));
const Registration bf6(conversions_of<Bf6, 6>(FLYSIM_MANY("pk16", "bf6")));
#undef FLYSIM_MANY

// ---- a table of sixteen codes, the first source above the second, looked up by sixteen half bytes ----
template <int Bits> void look_up(Wave &w, const Inst &i) {
  constexpr int words = Bits / 2, low = Bits == 4 ? 1 : 2;
  const u32 *above = rows_of(w, i, 0), *below = rows_of(w, i, 1), *chosen = rows_of(w, i, 2);
  u32 made[kLanes][4] = {};
  for (int l = 0; l < w.lanes; ++l) {
    u32 table[kLanes * 4];
    for (int k = 0; k < words; ++k) table[k * kLanes] = k < low ? below[k * kLanes + l] : above[(k - low) * kLanes + l];
    for (int e = 0; e < 16; ++e)
      pack_code(made[l], Bits, e, packed_code(table, 0, Bits, int(packed_code(chosen, l, 4, e))));
  }
  for (int l = 0; l < w.lanes; ++l) write_lane(w, i, l, made[l], words);
}
template <class Saturate> u32 four(u32 x, Saturate saturate) {
  u32 r = 0;
  for (int k = 0; k < 4; ++k) r |= (saturate(x >> 8 * k & 255) & 15) << 4 * k;
  return r;
}
const Registration tables({
    {"v_perm_pk16_b4_u4", look_up<4>, "r=rrr"},
    {"v_perm_pk16_b6_u4", look_up<6>, "r=rrr"},
    {"v_perm_pk16_b8_u4", look_up<8>, "r=rrr"},
    vop("v_sat_pk4_i4_i8",
        [](u32 a) {
          return uint16_t(four(a, [](u32 b) {
            const i32 x = int8_t(b);
            return u32(x < -8 ? -8 : x > 7 ? 7 : x);
          }));
        }),
    vop("v_sat_pk4_u4_u8", [](u32 a) { return uint16_t(four(a, [](u32 b) { return b > 15 ? 15 : b; })); }),
});

// ---- lanes of groups whose size the second scalar gives ----
enum class Move { broadcast, down, up, exchange };
template <Move How> void move_in_groups(Wave &w, const Inst &i) {
  const u32 *from = fetch(w, i, 0);
  const u32 by = fetch(w, i, 1)[0], given = fetch(w, i, 2)[0];
  const u32 lanes = w.lanes, size = given && !(given & (given - 1)) && given < lanes ? given : lanes;
  for (u32 l = 0; l < lanes; ++l) {
    const u32 at = l % size;
    const u32 other = How == Move::broadcast ? by % size
        : How == Move::down                  ? at + by
        : How == Move::up                    ? at - by
                                             : at ^ by;
    w.out[l] = other < size ? from[l - at + other] : 0;
  }
  finish(w, i, 1);
}
const Registration groups({
    {"v_permlane_bcast_b32", move_in_groups<Move::broadcast>, "u=uuu"},
    {"v_permlane_down_b32", move_in_groups<Move::down>, "u=uuu"},
    {"v_permlane_up_b32", move_in_groups<Move::up>, "u=uuu"},
    {"v_permlane_xor_b32", move_in_groups<Move::exchange>, "u=uuu"},
    vop("v_permlane_idx_gen_b32", [](u32 a, u32 b) { return a ^ b; }),
});

} // namespace
} // namespace flysim
