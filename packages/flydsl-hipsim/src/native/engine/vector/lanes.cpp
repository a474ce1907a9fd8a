// Sources with modifiers and results that are not simple: rows in, rows out.
#include "lanes.h"

#include <algorithm>
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace flysim {
namespace {

bool is_half(uint8_t type) { return type == 'h' || type == 'w' || type == 'b'; }

void select_sdwa(uint32_t *row, unsigned selector, bool sign, int lanes) {
  if (selector >= 6) return;
  const int width = selector < 4 ? 8 : 16;
  const int shift = selector < 4 ? int(selector) * 8 : int(selector - 4) * 16;
  for (int l = 0; l < lanes; ++l) {
    const uint32_t part = row[l] >> shift << (32 - width);
    row[l] = sign ? uint32_t(int32_t(part) >> (32 - width)) : part >> (32 - width);
  }
}

// Two halves in canonical order and sign: what op_sel, op_sel_hi, neg_lo and neg_hi ask for.
void select_halves(uint32_t *row, const FlySimRecord &r, int slot, int lanes) {
  const int low = (r.op_sel >> slot & 1) * 16, high = (r.op_sel_hi >> slot & 1) * 16;
  const uint32_t flip = (r.neg_lo >> slot & 1) << 15 | uint32_t(r.neg_hi >> slot & 1) << 31;
  for (int l = 0; l < lanes; ++l) row[l] = ((row[l] >> low & 0xffff) | (row[l] >> high) << 16) ^ flip;
}

void select_words(uint32_t *row, const FlySimRecord &r, int slot, int lanes) {
  const bool low = r.op_sel >> slot & 1, high = r.op_sel_hi >> slot & 1;
  const uint32_t flip_low = uint32_t(r.neg_lo >> slot & 1) << 31, flip_high = uint32_t(r.neg_hi >> slot & 1) << 31;
  for (int l = 0; l < lanes; ++l) {
    const uint32_t x = row[l], y = row[l + kLanes];
    row[l] = (low ? y : x) ^ flip_low;
    row[l + kLanes] = (high ? y : x) ^ flip_high;
  }
}

void set_signs(uint32_t *row, uint8_t type, uint8_t mods, int lanes) {
  const uint32_t sign = is_half(type) ? 0x8000u : 0x80000000u;
  const uint32_t clear = mods & FLYSIM_ABS ? ~sign : ~0u, flip = mods & FLYSIM_NEG ? sign : 0;
  uint32_t *words = type == 'd' ? row + kLanes : row;
  for (int l = 0; l < lanes; ++l) words[l] = (words[l] & clear) ^ flip;
}

void widen_mixed(uint32_t *row, const FlySimRecord &r, int slot, int lanes) {
  if (!(r.op_sel_hi >> slot & 1)) return;
  const int shift = (r.op_sel >> slot & 1) * 16;
  const bool is_bf16 = r.reserved[0];
  for (int l = 0; l < lanes; ++l) {
    const uint32_t half = row[l] >> shift & 0xffff;
    row[l] = is_bf16 ? half << 16 : as_bits(half_to_float(half));
  }
}

// Where lane `l` reads from; -1 when there is no such lane.
int dpp_lane(uint32_t control, int l) {
  const int row = l & ~15, in = l & 15;
  if (control < 0x100) return (l & ~3) | int(control >> (2 * (l & 3)) & 3);
  const int n = int(control & 15);
  switch (control >> 4) {
  case 0x10: return in + n < 16 ? l + n : -1;           // row_shl
  case 0x11: return in >= n ? l - n : -1;               // row_shr
  case 0x12: return row | ((in - n) & 15);              // row_ror
  case 0x15: return row | n;                            // row_share, row_newbcast
  case 0x16: return row | (in ^ n);                     // row_xmask
  }
  switch (control) {
  case 0x130: return l + 1 < 64 ? l + 1 : -1; // wave_shl
  case 0x134: return (l + 1) & 63;            // wave_rol
  case 0x138: return l - 1;                   // wave_shr
  case 0x13c: return (l - 1) & 63;            // wave_ror
  case 0x140: return row | (15 - in);         // row_mirror
  case 0x141: return (l & ~7) | (7 - (l & 7)); // row_half_mirror
  case 0x142: return l >= 16 ? row - 1 : -2;  // row_bcast:15
  case 0x143: return l >= 32 ? 31 : -2;       // row_bcast:31
  }
  throw Fault("a DPP control that the engine does not have");
}

void move_lanes(Wave &w, const Inst &i, const uint32_t *in, uint32_t *out, int words) {
  const FlySimRecord &r = *i.record;
  const uint64_t exec = w.exec();
  const bool zero = r.flags & FLYSIM_BOUND_CTRL, inactive = r.flags & FLYSIM_FI;
  uint64_t writes = 0;
  for (int l = 0; l < w.lanes; ++l) {
    int from;
    bool enabled = true;
    if (r.form == FLYSIM_DPP8) from = (l & ~7) | int(r.dpp_control >> (3 * (l & 7)) & 7);
    else {
      from = dpp_lane(r.dpp_control, l);
      enabled = (r.row_mask >> (l >> 4) & 1) && (r.bank_mask >> ((l & 15) >> 2) & 1);
    }
    const bool valid = from >= 0 && from < w.lanes && (inactive || (exec >> from & 1));
    for (int k = 0; k < words; ++k) out[l + k * kLanes] = valid ? in[from + k * kLanes] : 0;
    if (enabled && from != -2 && (valid || zero || r.form == FLYSIM_DPP8)) writes |= 1ull << l;
  }
  w.dpp_mask = writes;
}

// A NaN becomes 0 when MODE has DX10_CLAMP, else it stays.
template <class T> T clamp_unit(T x, bool keeps_nan) {
  return x > 0 ? (x < 1 ? x : T(1)) : keeps_nan && x != x ? x : T(0);
}

// What becomes zero, or was, is +0.
template <class T> T scaled(T x, unsigned omod) {
  const T made = omod == 1 ? x * 2 : omod == 2 ? x * 4 : x * T(0.5);
  return made == 0 ? T(0) : made;
}

// Output modifiers work only without IEEE mode and without denormal results.
constexpr uint32_t kModeClampsNan = 0x100;
bool scales_results(const Wave &w, uint8_t letter) { return !(w.mode & (kModeIeee | (letter == 'f' ? 0x20u : 0x80u))); }

template <class T, class F> void each(uint32_t *out, int lanes, F f) {
  for (int l = 0; l < lanes; ++l) Lane<T>::put(out, l, f(Lane<T>::get(out, l)));
}

void scale_results(uint32_t *out, char letter, unsigned omod, uint32_t half_rounding, int lanes) {
  if (letter == 'f') each<float>(out, lanes, [=](float x) { return scaled(x, omod); });
  if (letter == 'h')
    for (int l = 0; l < lanes; ++l) {
      const float made = scaled(half_to_float(out[l] & 0xffff), omod);
      // f32's are flushed by the host; a product of more than an f16 can hold is rounded in the mode of f16
      out[l] = float_to_half_in(made < 0x1p-14f && made > -0x1p-14f ? 0 : made, half_rounding);
    }
  if (letter == 'd') each<double>(out, lanes, [=](double x) { return scaled(x, omod); });
}

void clamp_results(uint32_t *out, char letter, int lanes, bool nan) {
  if (letter == 'f') each<float>(out, lanes, [=](float x) { return clamp_unit(x, nan); });
  if (letter == 'h') each<f16>(out, lanes, [=](f16 x) { return f16{clamp_unit(x.v, nan)}; });
  if (letter == 'b') each<bf16>(out, lanes, [=](bf16 x) { return bf16{clamp_unit(x.v, nan)}; });
  if (letter == 'd') each<double>(out, lanes, [=](double x) { return clamp_unit(x, nan); });
  if (letter == 'P')
    each<Float2>(out, lanes, [=](Float2 x) { return Float2{clamp_unit(x.x, nan), clamp_unit(x.y, nan)}; });
  if (letter == 'p')
    each<Halves>(out, lanes, [=](Halves x) { return Halves{clamp_unit(x.x, nan), clamp_unit(x.y, nan)}; });
}

// Output modifiers in the mode of their width; a denormal that is clamped is a result and no input, so it stays.
void modify(const Wave &w, const Inst &i, uint32_t *out) {
  const FlySimRecord &r = *i.record;
  if (r.omod && scales_results(w, i.result)) {
    set_host_mode(i.result == 'd' ? host_mode_64(w.mode) : host_mode_32(w.mode));
    scale_results(out, char(i.result), r.omod, w.mode >> 2 & 3, w.lanes);
    set_host_mode(host_mode_32(w.mode));
  }
  if (!(r.flags & FLYSIM_CLAMP)) return;
  set_host_mode(host_mode(w.mode & 3, 3));
  clamp_results(out, char(i.result), w.lanes, !(w.mode & kModeClampsNan));
  set_host_mode(host_mode_32(w.mode));
}

void place_sdwa(uint32_t *out, const uint32_t *old, const FlySimRecord &r, int lanes) {
  if (r.dst_sel >= 6) return;
  const int width = r.dst_sel < 4 ? 8 : 16, shift = r.dst_sel < 4 ? r.dst_sel * 8 : (r.dst_sel - 4) * 16;
  const uint32_t field = (width == 8 ? 0xffu : 0xffffu) << shift;
  for (int l = 0; l < lanes; ++l) {
    const uint32_t part = out[l] << shift & field;
    const uint32_t sign =
        r.dst_unused == 1 && (part >> (shift + width - 1) & 1) ? ~((field >> shift << shift) | ((1u << shift) - 1)) : 0;
    out[l] = part | (r.dst_unused == 2 ? old[l] & ~field : sign);
  }
}

void place_half(uint32_t *out, const uint32_t *old, bool high, int lanes) {
  for (int l = 0; l < lanes; ++l)
    out[l] = high ? (old[l] & 0xffffu) | out[l] << 16 : (old[l] & 0xffff0000u) | (out[l] & 0xffffu);
}

void copy_rows(uint32_t *to, const uint32_t *from, int rows) {
  for (int k = 0; k < rows; ++k) copy_words<kLanes>(to + k * kLanes, from + k * kLanes);
}

void broadcast(uint32_t *out, const uint32_t *words, int count) {
  for (int k = 0; k < count; ++k) std::fill_n(out + k * kLanes, kLanes, words[k]);
}

} // namespace

void apply_modifiers(uint32_t *row, const Source &s, const FlySimRecord &r, int lanes) {
  if (r.form == FLYSIM_SDWA && s.slot < 2)
    select_sdwa(row, s.slot ? r.src1_sel : r.src0_sel, s.mods & FLYSIM_SEXT, lanes);
  if (s.type == 'p' || s.type == 'i' || s.type == 'B') return select_halves(row, r, s.slot, lanes);
  if (s.type == 'P') return select_words(row, r, s.slot, lanes);
  if (s.type == 'x') widen_mixed(row, r, s.slot, lanes);
  if ((is_half(s.type) && (r.op_sel >> s.slot & 1)) || (s.mods & FLYSIM_HIGH_HALF))
    for (int l = 0; l < lanes; ++l) row[l] >>= 16;
  if (s.mods & (FLYSIM_NEG | FLYSIM_ABS)) set_signs(row, s.type, s.mods, lanes);
}

const uint32_t *fetch_slow(Wave &w, const Inst &i, int k) {
  const Source &s = i.src[k];
  uint32_t *out = w.temp[k];
  const int words = s.type == 'd' || s.type == 'q' || s.type == 'P' ? 2 : 1;
  if (s.type == 'm') {
    spread_bits(out, w.lane_mask(s.index), 1);
    return out;
  }
  const bool moved =
      s.slot == 0 && s.kind == Source::vgpr && (i.record->form == FLYSIM_DPP || i.record->form == FLYSIM_DPP8);
  if (moved) move_lanes(w, i, w.row(s.index), out, words);
  else if (s.kind == Source::sgpr) broadcast(out, w.s + s.index, words);
  else if (s.kind == Source::vgpr) copy_rows(out, w.row(s.index), words);
  else throw Fault("an operand that the engine cannot read");
  if (!s.plain) apply_modifiers(out, s, *i.record, w.lanes);
  return out;
}

void finish(Wave &w, const Inst &i, int words) {
  const FlySimRecord &r = *i.record;
  uint32_t *out = w.out, *to = w.row(i.dst);
  const int lanes = w.lanes;
  if (!i.simple) {
    modify(w, i, out);
    if (r.form == FLYSIM_SDWA) place_sdwa(out, to, r, lanes);
  }
  if (is_half(i.result) && r.form != FLYSIM_SDWA) {
    const bool high = (r.op_sel & 8) || (i.flags & FLYSIM_HIGH);
    if (high || i.keep_high) place_half(out, to, high, lanes);
  }
  const uint64_t active = active_lanes(w, i);
  if (active == w.full()) {
    if (lanes == kLanes) return copy_rows(to, out, words);
    for (int k = 0; k < words; ++k) copy_words<kLanes / 2>(to + k * kLanes, out + k * kLanes);
    return;
  }
  alignas(64) uint32_t local[kLanes];
  const uint32_t *mask = local;
  if (active == w.exec()) mask = w.exec_words();
  else spread_bits(local, active, ~0u);
  for (int k = 0; k < words; ++k)
    for (int l = 0; l < lanes; ++l)
      to[l + k * kLanes] = (out[l + k * kLanes] & mask[l]) | (to[l + k * kLanes] & ~mask[l]);
}

uint64_t pack_bits(const uint32_t *words, int lanes) {
  uint64_t bits = 0;
#ifdef __AVX2__
  const __m256i zero = _mm256_setzero_si256();
  for (int l = 0; l < lanes; l += 8) {
    const __m256i value = _mm256_load_si256(reinterpret_cast<const __m256i *>(words + l));
    const unsigned clear = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(value, zero)));
    bits |= uint64_t(~clear & 0xff) << l;
  }
#else
  for (int l = 0; l < lanes; ++l) bits |= uint64_t(words[l] != 0) << l;
#endif
  return bits;
}

} // namespace flysim
