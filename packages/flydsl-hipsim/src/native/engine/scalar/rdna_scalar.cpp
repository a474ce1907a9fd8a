// What RDNA adds to scalar instructions: floats, names of gfx12, relative moves, waits, split barriers, messages.
#include "engine/vector/float_lanes.h"
#include "scalar.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;

template <class To> To to_int(float x) {
  constexpr double low = double(std::numeric_limits<To>::min()), high = double(std::numeric_limits<To>::max());
  const double value = x;
  return is_nan(value) ? To(0)
      : value <= low   ? std::numeric_limits<To>::min()
      : value >= high  ? std::numeric_limits<To>::max()
                       : To(value);
}

const Registration integers({
    sop("s_add_co_u32",
        [](Wave &w, u32 a, u32 b) {
          const u32 r = a + b;
          w.scc = r < a;
          return r;
        }),
    sop("s_sub_co_u32",
        [](Wave &w, u32 a, u32 b) {
          w.scc = b > a;
          return a - b;
        }),
    sop("s_add_co_i32",
        [](Wave &w, u32 a, u32 b) {
          const u32 r = a + b;
          w.scc = (~(a ^ b) & (a ^ r)) >> 31;
          return r;
        }),
    sop("s_sub_co_i32",
        [](Wave &w, u32 a, u32 b) {
          const u32 r = a - b;
          w.scc = ((a ^ b) & (a ^ r)) >> 31;
          return r;
        }),
    sop("s_add_co_ci_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 r = u64(a) + b + w.scc;
          w.scc = r >> 32 != 0;
          return u32(r);
        }),
    sop("s_sub_co_ci_u32",
        [](Wave &w, u32 a, u32 b) {
          const u64 c = u64(b) + w.scc;
          w.scc = c > a;
          return u32(a - c);
        }),
    sop("s_add_nc_u64", [](Wave &, u64 a, u64 b) { return a + b; }),
    sop("s_sub_nc_u64", [](Wave &, u64 a, u64 b) { return a - b; }),
});

template <class T> T quads(T a) {
  T r = 0;
  for (unsigned k = 0; k < sizeof(T) * 2; ++k) r |= T((a >> 4 * k & 15) != 0) << k;
  return r;
}
template <class T> void or_not0_saveexec(Wave &w, const Inst &i) {
  T old;
  std::memcpy(&old, w.s + kExec, sizeof old);
  const T made = ~scalar_source<T>(w, i.src[0]) | old;
  scalar_result<T>(w, i, old);
  std::memcpy(w.s + kExec, &made, sizeof made);
  w.scc = made != 0;
}
const Registration masks({
    sop("s_quadmask_b32",
        [](Wave &w, u32 a) {
          const u32 r = quads(a);
          w.scc = r != 0;
          return r;
        }),
    sop("s_quadmask_b64",
        [](Wave &w, u64 a) {
          const u64 r = quads(a);
          w.scc = r != 0;
          return r;
        }),
    {"s_or_not0_saveexec_b32", or_not0_saveexec<u32>, "s=s"},
    {"s_or_not0_saveexec_b64", or_not0_saveexec<u64>, "S=S"},
});

// ---- registers chosen by M0 ----
unsigned moved(const Wave &w, unsigned index, u32 by) {
  const u64 at = u64(index) + by;
  if (at >= kVcc) throw Fault("a relative move of SGPR " + std::to_string(at));
  (void)w;
  return unsigned(at);
}
template <class T> T scalar_at(const Wave &w, unsigned index) {
  T value;
  std::memcpy(&value, w.s + index, sizeof value);
  return value;
}
template <class T> void move_from(Wave &w, const Inst &i) {
  scalar_result<T>(w, i, scalar_at<T>(w, moved(w, i.src[0].index, w.s[kM0])));
}
template <class T> void move_to(Wave &w, const Inst &i) {
  const T value = scalar_source<T>(w, i.src[0]);
  std::memcpy(w.s + moved(w, i.dst, w.s[kM0]), &value, sizeof value);
}
void move_both(Wave &w, const Inst &i) {
  const u32 value = w.s[moved(w, i.src[0].index, w.s[kM0] & 0x3ff)];
  w.s[moved(w, i.dst, w.s[kM0] >> 16 & 0x3ff)] = value;
}
const Registration relative({
    {"s_movrels_b32", move_from<u32>, "s=s"},
    {"s_movrels_b64", move_from<u64>, "S=S"},
    {"s_movreld_b32", move_to<u32>, "s=s"},
    {"s_movreld_b64", move_to<u64>, "S=S"},
    {"s_movrelsd_2_b32", move_both, "s=s"},
});

// ---- floats: 16-bit results have a zero upper half ----
const Registration single({
    sop("s_add_f32", [](Wave &, float a, float b) { return a + b; }),
    sop("s_sub_f32", [](Wave &, float a, float b) { return a - b; }),
    sop("s_mul_f32", [](Wave &, float a, float b) { return a * b; }),
    sop("s_fmaak_f32", [](Wave &, float a, float b, float k) { return __builtin_fmaf(a, b, k); }),
    sop("s_fmamk_f32", [](Wave &, float a, float k, float b) { return __builtin_fmaf(a, k, b); }),
    sop("s_ceil_f32", [](Wave &, float a) { return std::ceil(a); }),
    sop("s_floor_f32", [](Wave &, float a) { return std::floor(a); }),
    sop("s_trunc_f32", [](Wave &, float a) { return std::trunc(a); }),
    sop("s_rndne_f32", [](Wave &, float a) { return __builtin_roundevenf(a); }),
    sop("s_cvt_f32_i32", [](Wave &, i32 a) { return float(a); }),
    sop("s_cvt_f32_u32", [](Wave &, u32 a) { return float(a); }),
    sop("s_cvt_i32_f32", [](Wave &, float a) { return to_int<i32>(a); }),
    sop("s_cvt_u32_f32", [](Wave &, float a) { return to_int<u32>(a); }),
    sop("s_cvt_pk_rtz_f16_f32",
        [](Wave &, float a, float b) { return float_to_half_rtz(a) | float_to_half_rtz(b) << 16; }),
});
void fmac_f32(Wave &w, const Inst &i) {
  scalar_result(
      w, i, __builtin_fmaf(scalar_source<float>(w, i.src[0]), scalar_source<float>(w, i.src[1]), as_float(w.s[i.dst])));
}

// Halves are computed in f32, in the mode of halves.
float half_in(const Wave &w, u32 bits) {
  lane_mode = w.mode;
  return ModeLane<f16>::get(&bits, 0).v;
}
float half_source(const Wave &w, const Source &s) { return half_in(w, scalar_source<u32>(w, s) & 0xffff); }
u32 half_out(const Wave &w, float value) {
  lane_mode = w.mode;
  u32 bits;
  ModeLane<f16>::put(&bits, 0, {value});
  return bits;
}
template <class F> void half_unary(Wave &w, const Inst &i) {
  const LaneMode mode(w.mode, (w.mode & 0xff) != kUsualMode);
  w.s[i.dst] = half_out(w, F{}(half_source(w, i.src[0])));
}
template <class F> void half_binary(Wave &w, const Inst &i) {
  const LaneMode mode(w.mode, (w.mode & 0xff) != kUsualMode);
  w.s[i.dst] = half_out(w, F{}(half_source(w, i.src[0]), half_source(w, i.src[1])));
}
template <class F> Opcode half1(const char *name, F) { return {name, half_unary<F>, "s=h"}; }
template <class F> Opcode half2(const char *name, F) { return {name, half_binary<F>, "s=hh"}; }
void fmac_f16(Wave &w, const Inst &i) {
  const LaneMode mode(w.mode, (w.mode & 0xff) != kUsualMode);
  const double product = double(half_source(w, i.src[0])) * half_source(w, i.src[1]);
  w.s[i.dst] = half_out(w, double_to_odd(product + half_in(w, w.s[i.dst] & 0xffff)));
}
void widen_half(Wave &w, const Inst &i) { scalar_result(w, i, with_quiet_nan(half_source(w, i.src[0]))); }
void widen_upper_half(Wave &w, const Inst &i) {
  scalar_result(w, i, with_quiet_nan(half_in(w, scalar_source<u32>(w, i.src[0]) >> 16)));
}
void narrow(Wave &w, const Inst &i) { scalar_result(w, i, half_out(w, scalar_source<float>(w, i.src[0]))); }

const Registration half({
    half2("s_add_f16", [](float a, float b) { return a + b; }),
    half2("s_sub_f16", [](float a, float b) { return a - b; }),
    half2("s_mul_f16", [](float a, float b) { return a * b; }),
    half1("s_ceil_f16", [](float a) { return std::ceil(a); }),
    half1("s_floor_f16", [](float a) { return std::floor(a); }),
    half1("s_trunc_f16", [](float a) { return std::trunc(a); }),
    half1("s_rndne_f16", [](float a) { return __builtin_roundevenf(a); }),
    {"s_cvt_f32_f16", widen_half, "s=h"},
    {"s_cvt_hi_f32_f16", widen_upper_half, "s=s"},
    {"s_cvt_f16_f32", narrow, "s=s"},
    {"s_fmac_f32", fmac_f32, "s=ss"},
    {"s_fmac_f16", fmac_f16, "s=hh"},
});

// Denormals that are let in come out.
template <class F> void select_f32(Wave &w, const Inst &i) {
  lane_mode = w.mode;
  scalar_result(
      w, i,
      F{}(kept_float(scalar_source<float>(w, i.src[0]), 0x10), kept_float(scalar_source<float>(w, i.src[1]), 0x10)));
}
template <class F> void select_f16(Wave &w, const Inst &i) {
  w.s[i.dst] = float_to_half(F{}(half_source(w, i.src[0]), half_source(w, i.src[1])));
}
template <class F> std::vector<Opcode> selection(const char *name32, const char *name16, F) {
  return {{name32, select_f32<F>, "s=ss"}, {name16, select_f16<F>, "s=hh"}};
}
const Registration least(selection("s_min_num_f32", "s_min_num_f16", [](float a, float b) {
  return is_nan(a) && is_nan(b) ? quiet(a) : minimum_number(a, b);
}));
const Registration most(selection("s_max_num_f32", "s_max_num_f16", [](float a, float b) {
  return is_nan(a) && is_nan(b) ? quiet(a) : maximum_number(a, b);
}));
const Registration lower(selection("s_minimum_f32", "s_minimum_f16", [](float a, float b) { return minimum(a, b); }));
const Registration higher(selection("s_maximum_f32", "s_maximum_f16", [](float a, float b) { return maximum(a, b); }));
// Of RDNA 3.5, in IEEE mode.
const Registration least_35(selection("s_min_f32", "s_min_f16", [](float a, float b) { return smaller<true>(a, b); }));
const Registration most_35(selection("s_max_f32", "s_max_f16", [](float a, float b) { return larger<true>(a, b); }));

template <class F> void compare_f32(Wave &w, const Inst &i) {
  w.scc = F{}(scalar_source<float>(w, i.src[0]), scalar_source<float>(w, i.src[1]));
}
template <class F> void compare_f16(Wave &w, const Inst &i) {
  w.scc = F{}(half_source(w, i.src[0]), half_source(w, i.src[1]));
}
template <class F> std::vector<Opcode> both(const char *name32, const char *name16, F) {
  return {{name32, compare_f32<F>, "=ss"}, {name16, compare_f16<F>, "=hh"}};
}
#define FLYSIM_COMPARE(NAME, CONDITION) \
  const Registration compare_##NAME( \
      both("s_cmp_" #NAME "_f32", "s_cmp_" #NAME "_f16", [](float a, float b) { return CONDITION; }))
FLYSIM_COMPARE(lt, a < b);
FLYSIM_COMPARE(eq, a == b);
FLYSIM_COMPARE(le, a <= b);
FLYSIM_COMPARE(gt, a > b);
FLYSIM_COMPARE(lg, a<b || a> b);
FLYSIM_COMPARE(ge, a >= b);
FLYSIM_COMPARE(o, !std::isunordered(a, b));
FLYSIM_COMPARE(u, std::isunordered(a, b));
FLYSIM_COMPARE(nge, !(a >= b));
FLYSIM_COMPARE(nlg, !(a < b || a > b));
FLYSIM_COMPARE(ngt, !(a > b));
FLYSIM_COMPARE(nle, !(a <= b));
FLYSIM_COMPARE(neq, !(a == b));
FLYSIM_COMPARE(nlt, !(a < b));
#undef FLYSIM_COMPARE

// ---- waits, messages ----
void nothing(Wave &, const Inst &) {}
void yield(Wave &w, const Inst &) { w.status = Status::yielded; }
constexpr u32 kRealtime = 131;
template <class T> void message(Wave &w, const Inst &i) {
  scalar_result<T>(w, i, i.record->operands[1].value == kRealtime ? T(w.count) : T(0));
}

const Registration waits({
    {"s_sleep_var", yield, "*"},
    {"s_sendmsg_rtn_b32", message<u32>, "s=-"},
    {"s_sendmsg_rtn_b64", message<u64>, "S=-"},
    {"s_wait_alu", nothing, "*"},
    {"s_wait_bvhcnt", nothing, "*"},
    {"s_wait_dscnt", nothing, "*"},
    {"s_wait_event", nothing, "*"},
    {"s_wait_expcnt", nothing, "*"},
    {"s_wait_idle", nothing, "*"},
    {"s_wait_kmcnt", nothing, "*"},
    {"s_wait_loadcnt", nothing, "*"},
    {"s_wait_loadcnt_dscnt", nothing, "*"},
    {"s_wait_samplecnt", nothing, "*"},
    {"s_wait_storecnt", nothing, "*"},
    {"s_wait_storecnt_dscnt", nothing, "*"},
    {"s_waitcnt_expcnt", nothing, "*"},
    {"s_waitcnt_lgkmcnt", nothing, "*"},
    {"s_waitcnt_vmcnt", nothing, "*"},
    {"s_gl1_inv", nothing, "*"},
    {"s_ttracedata_imm", nothing, "*"},
    {"s_version", nothing, "*"},
    {"s_prefetch_data", nothing, "*"},
    {"s_prefetch_data_pc_rel", nothing, "*"},
    {"s_prefetch_inst", nothing, "*"},
    {"s_prefetch_inst_pc_rel", nothing, "*"},
    {"s_buffer_prefetch_data", nothing, "*"},
    {"global_inv", nothing, "*"},
    {"global_wb", nothing, "*"},
    {"global_wbinv", nothing, "*"},
});

} // namespace
} // namespace flysim
