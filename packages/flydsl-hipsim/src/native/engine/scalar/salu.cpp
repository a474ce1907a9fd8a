// Scalar arithmetic: SOP1, SOP2, SOPC, SOPK.
#include "scalar.h"

#include <bit>
#include <cmath>

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

u32 sign16(u32 value) { return u32(i32(int16_t(value))); }

template <class T> T with_scc(Wave &w, T value) {
  w.scc = value != 0;
  return value;
}

template <class T> T field(T value, u32 offset, u32 width) {
  constexpr u32 bits = sizeof(T) * 8;
  if (width == 0) return 0;
  const T shifted = value >> offset;
  return width + offset >= bits ? shifted : T(shifted << (bits - width)) >> (bits - width);
}

const Registration arithmetic({
    sop("s_add_u32",
        [](Wave &w, u32 a, u32 b) {
          const u32 r = a + b;
          w.scc = r < a;
          return r;
        }),
    sop("s_sub_u32",
        [](Wave &w, u32 a, u32 b) {
          w.scc = b > a;
          return a - b;
        }),
    sop("s_add_i32",
        [](Wave &w, u32 a, u32 b) {
          const u32 r = a + b;
          w.scc = (~(a ^ b) & (a ^ r)) >> 31;
          return r;
        }),
    sop("s_sub_i32",
        [](Wave &w, u32 a, u32 b) {
          const u32 r = a - b;
          w.scc = ((a ^ b) & (a ^ r)) >> 31;
          return r;
        }),
    sop("s_addc_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 r = u64(a) + b + w.scc;
          w.scc = r >> 32 != 0;
          return u32(r);
        }),
    sop("s_subb_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 c = u64(b) + w.scc;
          w.scc = c > a;
          return u32(a - c);
        }),
    sop("s_add_u64", [](Wave &, u64 a, u64 b) { return a + b; }),
    sop("s_sub_u64", [](Wave &, u64 a, u64 b) { return a - b; }),
    sop("s_mul_u64", [](Wave &, u64 a, u64 b) { return a * b; }),
    sop("s_mul_i32", [](Wave &, u32 a, u32 b) { return a * b; }),
    sop("s_mul_hi_u32", [](Wave &, u32 a, u32 b) { return u32(u64(a) * b >> 32); }),
    sop("s_mul_hi_i32", [](Wave &, i32 a, i32 b) { return u32(i64(a) * b >> 32); }),
    sop("s_min_i32",
        [](Wave &w, i32 a, i32 b) {
          w.scc = a < b;
          return a < b ? a : b;
        }),
    sop("s_min_u32",
        [](Wave &w, u32 a, u32 b) {
          w.scc = a < b;
          return a < b ? a : b;
        }),
    sop("s_max_i32",
        [](Wave &w, i32 a, i32 b) {
          w.scc = a > b;
          return a > b ? a : b;
        }),
    sop("s_max_u32",
        [](Wave &w, u32 a, u32 b) {
          w.scc = a > b;
          return a > b ? a : b;
        }),
    sop("s_cselect_b32", [](Wave &w, u32 a, u32 b) { return w.scc ? a : b; }),
    sop("s_cselect_b64", [](Wave &w, u64 a, u64 b) { return w.scc ? a : b; }),
    sop("s_abs_i32", [](Wave &w, i32 a) { return with_scc(w, a < 0 ? 0u - u32(a) : u32(a)); }),
    sop("s_absdiff_i32",
        [](Wave &w, i32 a, i32 b) {
          const u32 d = u32(a) - u32(b);
          return with_scc(w, i32(d) < 0 ? 0u - d : d);
        }),
    sop("s_lshl1_add_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 r = (u64(a) << 1) + b;
          w.scc = r >> 32 != 0;
          return u32(r);
        }),
    sop("s_lshl2_add_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 r = (u64(a) << 2) + b;
          w.scc = r >> 32 != 0;
          return u32(r);
        }),
    sop("s_lshl3_add_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 r = (u64(a) << 3) + b;
          w.scc = r >> 32 != 0;
          return u32(r);
        }),
    sop("s_lshl4_add_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 r = (u64(a) << 4) + b;
          w.scc = r >> 32 != 0;
          return u32(r);
        }),
    sop("s_pack_ll_b32_b16", [](Wave &, u32 a, u32 b) { return (a & 0xffff) | b << 16; }),
    sop("s_pack_lh_b32_b16", [](Wave &, u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000u); }),
    sop("s_pack_hh_b32_b16", [](Wave &, u32 a, u32 b) { return a >> 16 | (b & 0xffff0000u); }),
    sop("s_pack_hl_b32_b16", [](Wave &, u32 a, u32 b) { return a >> 16 | b << 16; }),
});

const Registration logic({
    sop("s_and_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a & b); }),
    sop("s_and_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, a & b); }),
    sop("s_or_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a | b); }),
    sop("s_or_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, a | b); }),
    sop("s_xor_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a ^ b); }),
    sop("s_xor_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, a ^ b); }),
    sop("s_andn2_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a & ~b); }),
    sop("s_andn2_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, a & ~b); }),
    sop("s_orn2_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a | ~b); }),
    sop("s_orn2_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, a | ~b); }),
    sop("s_and_not1_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a & ~b); }),
    sop("s_and_not1_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, a & ~b); }),
    sop("s_or_not1_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a | ~b); }),
    sop("s_or_not1_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, a | ~b); }),
    sop("s_nand_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, ~(a & b)); }),
    sop("s_nand_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, ~(a & b)); }),
    sop("s_nor_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, ~(a | b)); }),
    sop("s_nor_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, ~(a | b)); }),
    sop("s_xnor_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, ~(a ^ b)); }),
    sop("s_xnor_b64", [](Wave &w, u64 a, u64 b) { return with_scc(w, ~(a ^ b)); }),
    sop("s_not_b32", [](Wave &w, u32 a) { return with_scc(w, ~a); }),
    sop("s_not_b64", [](Wave &w, u64 a) { return with_scc(w, ~a); }),
    sop("s_lshl_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a << (b & 31)); }),
    sop("s_lshl_b64", [](Wave &w, u64 a, u32 b) { return with_scc(w, a << (b & 63)); }),
    sop("s_lshr_b32", [](Wave &w, u32 a, u32 b) { return with_scc(w, a >> (b & 31)); }),
    sop("s_lshr_b64", [](Wave &w, u64 a, u32 b) { return with_scc(w, a >> (b & 63)); }),
    sop("s_ashr_i32", [](Wave &w, i32 a, u32 b) { return with_scc(w, a >> (b & 31)); }),
    sop("s_ashr_i64", [](Wave &w, i64 a, u32 b) { return with_scc(w, a >> (b & 63)); }),
    sop("s_bfm_b32", [](Wave &, u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }),
    sop("s_bfm_b64", [](Wave &, u32 a, u32 b) { return ((u64(1) << (a & 63)) - 1) << (b & 63); }),
    sop("s_bfe_u32", [](Wave &w, u32 a, u32 b) { return with_scc(w, field<u32>(a, b & 31, b >> 16 & 127)); }),
    sop("s_bfe_i32", [](Wave &w, i32 a, u32 b) { return with_scc(w, field<i32>(a, b & 31, b >> 16 & 127)); }),
    sop("s_bfe_u64", [](Wave &w, u64 a, u32 b) { return with_scc(w, field<u64>(a, b & 63, b >> 16 & 127)); }),
    sop("s_bfe_i64", [](Wave &w, i64 a, u32 b) { return with_scc(w, field<i64>(a, b & 63, b >> 16 & 127)); }),
});

const Registration moves({
    sop("s_mov_b32", [](Wave &, u32 a) { return a; }),
    sop("s_mov_b64", [](Wave &, u64 a) { return a; }),
    sop("s_brev_b32",
        [](Wave &, u32 a) {
          u32 r = 0;
          for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
          return r;
        }),
    sop("s_brev_b64",
        [](Wave &, u64 a) {
          u64 r = 0;
          for (int k = 0; k < 64; ++k) r |= (a >> k & 1) << (63 - k);
          return r;
        }),
    sop("s_bcnt0_i32_b32", [](Wave &w, u32 a) { return with_scc(w, u32(std::popcount(~a))); }),
    sop("s_bcnt0_i32_b64", [](Wave &w, u64 a) { return with_scc(w, u32(std::popcount(~a))); }),
    sop("s_bcnt1_i32_b32", [](Wave &w, u32 a) { return with_scc(w, u32(std::popcount(a))); }),
    sop("s_bcnt1_i32_b64", [](Wave &w, u64 a) { return with_scc(w, u32(std::popcount(a))); }),
    sop("s_ff0_i32_b32", [](Wave &, u32 a) { return ~a ? u32(std::countr_one(a)) : ~0u; }),
    sop("s_ff0_i32_b64", [](Wave &, u64 a) { return ~a ? u32(std::countr_one(a)) : ~0u; }),
    sop("s_ff1_i32_b32", [](Wave &, u32 a) { return a ? u32(std::countr_zero(a)) : ~0u; }),
    sop("s_ff1_i32_b64", [](Wave &, u64 a) { return a ? u32(std::countr_zero(a)) : ~0u; }),
    sop("s_ctz_i32_b32", [](Wave &, u32 a) { return a ? u32(std::countr_zero(a)) : ~0u; }),
    sop("s_ctz_i32_b64", [](Wave &, u64 a) { return a ? u32(std::countr_zero(a)) : ~0u; }),
    sop("s_flbit_i32_b32", [](Wave &, u32 a) { return a ? u32(std::countl_zero(a)) : ~0u; }),
    sop("s_flbit_i32_b64", [](Wave &, u64 a) { return a ? u32(std::countl_zero(a)) : ~0u; }),
    sop("s_clz_i32_u32", [](Wave &, u32 a) { return a ? u32(std::countl_zero(a)) : ~0u; }),
    sop("s_clz_i32_u64", [](Wave &, u64 a) { return a ? u32(std::countl_zero(a)) : ~0u; }),
    sop("s_flbit_i32",
        [](Wave &, u32 a) {
          const u32 x = i32(a) < 0 ? ~a : a;
          return x ? u32(std::countl_zero(x)) : ~0u;
        }),
    sop("s_flbit_i32_i64",
        [](Wave &, u64 a) {
          const u64 x = i64(a) < 0 ? ~a : a;
          return x ? u32(std::countl_zero(x)) : ~0u;
        }),
    sop("s_cls_i32",
        [](Wave &, u32 a) {
          const u32 x = i32(a) < 0 ? ~a : a;
          return x ? u32(std::countl_zero(x)) : ~0u;
        }),
    sop("s_cls_i32_i64",
        [](Wave &, u64 a) {
          const u64 x = i64(a) < 0 ? ~a : a;
          return x ? u32(std::countl_zero(x)) : ~0u;
        }),
    sop("s_sext_i32_i8", [](Wave &, u32 a) { return i32(int8_t(a)); }),
    sop("s_sext_i32_i16", [](Wave &, u32 a) { return i32(int16_t(a)); }),
    sop("s_bitreplicate_b64_b32",
        [](Wave &, u32 a) {
          u64 r = 0;
          for (int k = 0; k < 32; ++k) r |= u64(a >> k & 1) * 3 << (2 * k);
          return r;
        }),
});

// Those that read their old destination.
template <class T, class F> void update(Wave &w, const Inst &i, F f) {
  T old;
  std::memcpy(&old, w.s + i.dst, sizeof old);
  scalar_result<T>(w, i, f(old));
}
void cmov_b32(Wave &w, const Inst &i) {
  if (w.scc) scalar_result<u32>(w, i, scalar_source<u32>(w, i.src[0]));
}
void cmov_b64(Wave &w, const Inst &i) {
  if (w.scc) scalar_result<u64>(w, i, scalar_source<u64>(w, i.src[0]));
}
void cmovk(Wave &w, const Inst &i) {
  if (w.scc) scalar_result<u32>(w, i, sign16(scalar_source<u32>(w, i.src[0])));
}
void addk(Wave &w, const Inst &i) {
  const u32 b = sign16(scalar_source<u32>(w, i.src[0]));
  update<u32>(w, i, [&](u32 a) {
    const u32 r = a + b;
    w.scc = (~(a ^ b) & (a ^ r)) >> 31;
    return r;
  });
}
void mulk(Wave &w, const Inst &i) {
  const u32 b = sign16(scalar_source<u32>(w, i.src[0]));
  update<u32>(w, i, [&](u32 a) { return a * b; });
}
template <class T, bool Set> void bitset(Wave &w, const Inst &i) {
  const u32 b = scalar_source<u32>(w, i.src[0]) & (sizeof(T) * 8 - 1);
  update<T>(w, i, [&](T a) { return Set ? a | T(1) << b : a & ~(T(1) << b); });
}

const Registration updates({
    {"s_cmov_b32", cmov_b32, "s=s"},
    {"s_cmov_b64", cmov_b64, "S=S"},
    {"s_cmovk_i32", cmovk, "s=s"},
    {"s_addk_i32", addk, "s=s"},
    {"s_addk_co_i32", addk, "s=s"},
    {"s_mulk_i32", mulk, "s=s"},
    {"s_bitset0_b32", bitset<u32, false>, "s=s"},
    {"s_bitset1_b32", bitset<u32, true>, "s=s"},
    {"s_bitset0_b64", bitset<u64, false>, "S=s"},
    {"s_bitset1_b64", bitset<u64, true>, "S=s"},
    sop("s_movk_i32", [](Wave &, u32 a) { return sign16(a); }),
});

// op(saveexec): exec = f(source, exec), the old exec to the destination.
template <class T, class F> void save_exec(Wave &w, const Inst &i) {
  T old;
  std::memcpy(&old, w.s + kExec, sizeof old);
  const T made = F{}(scalar_source<T>(w, i.src[0]), old);
  scalar_result<T>(w, i, old);
  std::memcpy(w.s + kExec, &made, sizeof made);
  w.scc = made != 0;
}
template <class T, class F> void write_exec(Wave &w, const Inst &i) {
  save_exec<T, F>(w, i);
  std::memcpy(w.s + i.dst, w.s + kExec, sizeof(T));
}
template <class F> std::vector<Opcode> save_both(const char *name32, const char *name64, F) {
  return {{name32, save_exec<u32, F>, "s=s"}, {name64, save_exec<u64, F>, "S=S"}};
}
const Registration save_and(save_both("s_and_saveexec_b32", "s_and_saveexec_b64",
                                      [](auto a, auto e) { return a & e; }));
const Registration save_or(save_both("s_or_saveexec_b32", "s_or_saveexec_b64", [](auto a, auto e) { return a | e; }));
const Registration save_xor(save_both("s_xor_saveexec_b32", "s_xor_saveexec_b64",
                                      [](auto a, auto e) { return a ^ e; }));
const Registration save_andn2(save_both("s_andn2_saveexec_b32", "s_andn2_saveexec_b64",
                                        [](auto a, auto e) { return a & ~e; }));
const Registration save_and_not1(save_both("s_and_not1_saveexec_b32", "s_and_not1_saveexec_b64",
                                           [](auto a, auto e) { return a & ~e; }));
const Registration save_orn2(save_both("s_orn2_saveexec_b32", "s_orn2_saveexec_b64",
                                       [](auto a, auto e) { return a | ~e; }));
const Registration save_or_not1(save_both("s_or_not1_saveexec_b32", "s_or_not1_saveexec_b64",
                                          [](auto a, auto e) { return a | ~e; }));
const Registration save_nand(save_both("s_nand_saveexec_b32", "s_nand_saveexec_b64",
                                       [](auto a, auto e) { return ~(a & e); }));
const Registration save_nor(save_both("s_nor_saveexec_b32", "s_nor_saveexec_b64",
                                      [](auto a, auto e) { return ~(a | e); }));
const Registration save_xnor(save_both("s_xnor_saveexec_b32", "s_xnor_saveexec_b64",
                                       [](auto a, auto e) { return ~(a ^ e); }));
const Registration save_andn1(save_both("s_andn1_saveexec_b32", "s_andn1_saveexec_b64",
                                        [](auto a, auto e) { return ~a & e; }));
const Registration save_and_not0(save_both("s_and_not0_saveexec_b32", "s_and_not0_saveexec_b64",
                                           [](auto a, auto e) { return ~a & e; }));
const Registration save_orn1(save_both("s_orn1_saveexec_b32", "s_orn1_saveexec_b64",
                                       [](auto a, auto e) { return ~a | e; }));

struct AndNotExec {
  template <class T> T operator()(T a, T e) const { return a & ~e; }
};
struct NotAndExec {
  template <class T> T operator()(T a, T e) const { return ~a & e; }
};
const Registration write_execs({
    {"s_andn2_wrexec_b64", write_exec<u64, AndNotExec>, "S=S"},
    {"s_andn1_wrexec_b64", write_exec<u64, NotAndExec>, "S=S"},
    {"s_and_not1_wrexec_b32", write_exec<u32, AndNotExec>, "s=s"},
    {"s_and_not1_wrexec_b64", write_exec<u64, AndNotExec>, "S=S"},
    {"s_and_not0_wrexec_b32", write_exec<u32, NotAndExec>, "s=s"},
    {"s_and_not0_wrexec_b64", write_exec<u64, NotAndExec>, "S=S"},
});

// Whole-quad mode: a quad with any bit has all.
template <class T> T whole_quads(T a) {
  T r = 0;
  for (unsigned k = 0; k < sizeof(T) * 8; k += 4)
    if (a >> k & 15) r |= T(15) << k;
  return r;
}

// One bit for each quad with any bit.
u64 quads_with_any(u64 a) {
  u64 r = 0;
  for (unsigned k = 0; k < 16; ++k) r |= u64((a >> 4 * k & 15) != 0) << k;
  return r;
}
// Registers chosen by M0 as well.
template <class T> void move_from(Wave &w, const Inst &i) {
  Source source = i.src[0];
  source.index = uint16_t(source.index + w.s[kM0]);
  if (source.index + sizeof(T) / 4 > 128) throw Fault("an SGPR index beyond the registers");
  scalar_result<T>(w, i, scalar_source<T>(w, source));
}
template <class T> void move_to(Wave &w, const Inst &i) {
  const unsigned index = i.dst + w.s[kM0];
  if (index + sizeof(T) / 4 > 128) throw Fault("an SGPR index beyond the registers");
  const T value = scalar_source<T>(w, i.src[0]);
  std::memcpy(w.s + index, &value, sizeof value);
}
const Registration indexed({
    {"s_movrels_b32", move_from<u32>, "s=s"},
    {"s_movrels_b64", move_from<u64>, "S=S"},
    {"s_movreld_b32", move_to<u32>, "s=s"},
    {"s_movreld_b64", move_to<u64>, "S=S"},
});

const Registration compares({
    sop("s_quadmask_b32", [](Wave &w, u32 a) { return with_scc(w, u32(quads_with_any(a))); }),
    sop("s_quadmask_b64", [](Wave &w, u64 a) { return with_scc(w, u64(quads_with_any(a))); }),
    sop("s_wqm_b32", [](Wave &w, u32 a) { return with_scc(w, whole_quads(a)); }),
    sop("s_wqm_b64", [](Wave &w, u64 a) { return with_scc(w, whole_quads(a)); }),
    sop("s_cmp_eq_i32", [](Wave &w, i32 a, i32 b) { w.scc = a == b; }),
    sop("s_cmp_lg_i32", [](Wave &w, i32 a, i32 b) { w.scc = a != b; }),
    sop("s_cmp_gt_i32", [](Wave &w, i32 a, i32 b) { w.scc = a > b; }),
    sop("s_cmp_ge_i32", [](Wave &w, i32 a, i32 b) { w.scc = a >= b; }),
    sop("s_cmp_lt_i32", [](Wave &w, i32 a, i32 b) { w.scc = a < b; }),
    sop("s_cmp_le_i32", [](Wave &w, i32 a, i32 b) { w.scc = a <= b; }),
    sop("s_cmp_eq_u32", [](Wave &w, u32 a, u32 b) { w.scc = a == b; }),
    sop("s_cmp_lg_u32", [](Wave &w, u32 a, u32 b) { w.scc = a != b; }),
    sop("s_cmp_gt_u32", [](Wave &w, u32 a, u32 b) { w.scc = a > b; }),
    sop("s_cmp_ge_u32", [](Wave &w, u32 a, u32 b) { w.scc = a >= b; }),
    sop("s_cmp_lt_u32", [](Wave &w, u32 a, u32 b) { w.scc = a < b; }),
    sop("s_cmp_le_u32", [](Wave &w, u32 a, u32 b) { w.scc = a <= b; }),
    sop("s_cmp_eq_u64", [](Wave &w, u64 a, u64 b) { w.scc = a == b; }),
    sop("s_cmp_lg_u64", [](Wave &w, u64 a, u64 b) { w.scc = a != b; }),
    sop("s_bitcmp0_b32", [](Wave &w, u32 a, u32 b) { w.scc = !(a >> (b & 31) & 1); }),
    sop("s_bitcmp1_b32", [](Wave &w, u32 a, u32 b) { w.scc = a >> (b & 31) & 1; }),
    sop("s_bitcmp0_b64", [](Wave &w, u64 a, u32 b) { w.scc = !(a >> (b & 63) & 1); }),
    sop("s_bitcmp1_b64", [](Wave &w, u64 a, u32 b) { w.scc = a >> (b & 63) & 1; }),
    sop("s_cmpk_eq_i32", [](Wave &w, i32 a, u32 b) { w.scc = a == i32(sign16(b)); }),
    sop("s_cmpk_lg_i32", [](Wave &w, i32 a, u32 b) { w.scc = a != i32(sign16(b)); }),
    sop("s_cmpk_gt_i32", [](Wave &w, i32 a, u32 b) { w.scc = a > i32(sign16(b)); }),
    sop("s_cmpk_ge_i32", [](Wave &w, i32 a, u32 b) { w.scc = a >= i32(sign16(b)); }),
    sop("s_cmpk_lt_i32", [](Wave &w, i32 a, u32 b) { w.scc = a < i32(sign16(b)); }),
    sop("s_cmpk_le_i32", [](Wave &w, i32 a, u32 b) { w.scc = a <= i32(sign16(b)); }),
    sop("s_cmpk_eq_u32", [](Wave &w, u32 a, u32 b) { w.scc = a == (b & 0xffff); }),
    sop("s_cmpk_lg_u32", [](Wave &w, u32 a, u32 b) { w.scc = a != (b & 0xffff); }),
    sop("s_cmpk_gt_u32", [](Wave &w, u32 a, u32 b) { w.scc = a > (b & 0xffff); }),
    sop("s_cmpk_ge_u32", [](Wave &w, u32 a, u32 b) { w.scc = a >= (b & 0xffff); }),
    sop("s_cmpk_lt_u32", [](Wave &w, u32 a, u32 b) { w.scc = a < (b & 0xffff); }),
    sop("s_cmpk_le_u32", [](Wave &w, u32 a, u32 b) { w.scc = a <= (b & 0xffff); }),
});

} // namespace
} // namespace flysim
