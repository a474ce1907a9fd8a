// What gfx1250 adds to RDNA4's instructions: 64-bit integers and packed bf16 in the vector unit, bf16 functions, pairs
// of bit functions.
#include "engine/scalar/scalar.h"
#include "float_lanes.h"
#include "float_mode.h"
#include "small_floats.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

template <class T> T least(T a, T b) { return a < b ? a : b; }
template <class T> T most(T a, T b) { return a > b ? a : b; }

const Registration integers({
    vop("v_mad_u32", [](u32 a, u32 b, u32 c) { return a * b + c; }),
    vop("v_mul_u64", [](u64 a, u64 b) { return a * b; }),
    vop("v_mad_nc_u64_u32", [](u32 a, u32 b, u64 c) { return u64(a) * b + c; }),
    vop("v_mad_nc_i64_i32", [](i32 a, i32 b, u64 c) { return u64(i64(a) * b) + c; }),
    vop("v_min_i64", [](i64 a, i64 b) { return least(a, b); }),
    vop("v_max_i64", [](i64 a, i64 b) { return most(a, b); }),
    vop("v_min_u64", [](u64 a, u64 b) { return least(a, b); }),
    vop("v_max_u64", [](u64 a, u64 b) { return most(a, b); }),
    vop("v_add_min_i32", [](u32 a, u32 b, i32 c) { return least(i32(a + b), c); }),
    vop("v_add_max_i32", [](u32 a, u32 b, i32 c) { return most(i32(a + b), c); }),
    vop("v_add_min_u32", [](u32 a, u32 b, u32 c) { return least(a + b, c); }),
    vop("v_add_max_u32", [](u32 a, u32 b, u32 c) { return most(a + b, c); }),
});

// Bits 0, 2, 4 and 6 of the table: those of v_bitop3 with a third input of 0.
void bitop2(Wave &w, const Inst &i) {
  const uint32_t *a = fetch(w, i, 0), *b = fetch(w, i, 1);
  const u32 table = i.record->dpp_control;
  for (int l = 0; l < w.lanes; ++l) {
    u32 r = 0;
    if (table & 1) r |= ~a[l] & ~b[l];
    if (table & 4) r |= ~a[l] & b[l];
    if (table & 16) r |= a[l] & ~b[l];
    if (table & 64) r |= a[l] & b[l];
    w.out[l] = r;
  }
  finish(w, i, 1);
}
const Registration pairs_of_bits({{"v_dual_bitop2_b32", bitop2, "u=uu"}});

template <Handler Run> void in_double_mode(Wave &w, const Inst &i) {
  const DoubleMode mode(w.mode);
  Run(w, i);
}
template <class F> Opcode dop(const char *name, F) {
  return {name, in_double_mode<VectorOp<F>::run>, VectorOp<F>::signature()};
}
const Registration doubles({
    dop("v_fmaak_f64", [](double a, double b, double k) { return __builtin_fma(a, b, k); }),
    dop("v_fmamk_f64", [](double a, double k, double b) { return __builtin_fma(a, k, b); }),
});

const Registration functions({
    vop("v_tanh_f32", [](float a) { return std::tanh(a); }),
    vop("v_tanh_f16", [](f16 a) { return f16{std::tanh(a.v)}; }),
    vop("v_tanh_bf16", [](bf16 a) { return bf16{std::tanh(a.v)}; }),
    vop("v_rcp_bf16", [](bf16 a) { return bf16{1.0f / a.v}; }),
    vop("v_sqrt_bf16", [](bf16 a) { return bf16{std::sqrt(a.v)}; }),
    vop("v_rsq_bf16", [](bf16 a) { return bf16{float(1.0 / std::sqrt(double(a.v)))}; }),
    vop("v_exp_bf16", [](bf16 a) { return bf16{std::exp2(a.v)}; }),
    vop("v_log_bf16", [](bf16 a) { return bf16{std::log2(a.v)}; }),
    vop("v_sin_bf16", [](bf16 a) { return bf16{sine_of_turns(a.v)}; }),
    vop("v_cos_bf16", [](bf16 a) { return bf16{cosine_of_turns(a.v)}; }),
});

// ---- two of 16 bits ----
float low(u32 pair) { return as_float(pair << 16); }
float high(u32 pair) { return as_float(pair & 0xffff0000u); }
u32 pack(float a, float b) { return float_to_bf16(a) | float_to_bf16(b) << 16; }
template <class F> Int2 words(Int2 a, Int2 b, Int2 c, F f) {
  return {(f(a.v & 0xffff, b.v & 0xffff, c.v & 0xffff) & 0xffff) | f(a.v >> 16, b.v >> 16, c.v >> 16) << 16};
}
i32 sign(u32 x) { return int16_t(x); }

const Registration packed({
    vop("v_pk_add_bf16", [](Brain2 a, Brain2 b) { return Brain2{pack(low(a.v) + low(b.v), high(a.v) + high(b.v))}; }),
    vop("v_pk_mul_bf16", [](Brain2 a, Brain2 b) { return Brain2{pack(low(a.v) * low(b.v), high(a.v) * high(b.v))}; }),
    vop("v_pk_fma_bf16",
        [](Brain2 a, Brain2 b, Brain2 c) {
          return Brain2{
              pack(__builtin_fmaf(low(a.v), low(b.v), low(c.v)), __builtin_fmaf(high(a.v), high(b.v), high(c.v)))};
        }),
    vop("v_pk_min_num_bf16",
        [](Brain2 a, Brain2 b) {
          return Brain2{pack(minimum_number(low(a.v), low(b.v)), minimum_number(high(a.v), high(b.v)))};
        }),
    vop("v_pk_max_num_bf16",
        [](Brain2 a, Brain2 b) {
          return Brain2{pack(maximum_number(low(a.v), low(b.v)), maximum_number(high(a.v), high(b.v)))};
        }),
    vop("v_pk_min3_u16",
        [](Int2 a, Int2 b, Int2 c) {
          return words(a, b, c, [](u32 x, u32 y, u32 z) { return least(least(x, y), z); });
        }),
    vop("v_pk_max3_u16",
        [](Int2 a, Int2 b, Int2 c) { return words(a, b, c, [](u32 x, u32 y, u32 z) { return most(most(x, y), z); }); }),
    vop("v_pk_min3_i16",
        [](Int2 a, Int2 b, Int2 c) {
          return words(a, b, c, [](u32 x, u32 y, u32 z) { return u32(least(least(sign(x), sign(y)), sign(z))); });
        }),
    vop("v_pk_max3_i16",
        [](Int2 a, Int2 b, Int2 c) {
          return words(a, b, c, [](u32 x, u32 y, u32 z) { return u32(most(most(sign(x), sign(y)), sign(z))); });
        }),
    vop("v_pk_add_min_u16",
        [](Int2 a, Int2 b, Int2 c) {
          return words(a, b, c, [](u32 x, u32 y, u32 z) { return least((x + y) & 0xffff, z); });
        }),
    vop("v_pk_add_max_u16",
        [](Int2 a, Int2 b, Int2 c) {
          return words(a, b, c, [](u32 x, u32 y, u32 z) { return most((x + y) & 0xffff, z); });
        }),
    vop("v_pk_add_min_i16",
        [](Int2 a, Int2 b, Int2 c) {
          return words(a, b, c, [](u32 x, u32 y, u32 z) { return u32(least(sign(x + y), sign(z))); });
        }),
    vop("v_pk_add_max_i16",
        [](Int2 a, Int2 b, Int2 c) {
          return words(a, b, c, [](u32 x, u32 y, u32 z) { return u32(most(sign(x + y), sign(z))); });
        }),
});

Opcode marked(char mark, Opcode opcode) {
  opcode.signature.insert(0, 1, mark);
  return opcode;
}
const Registration mixed({
    marked('!', vop("v_fma_mixlo_bf16", [](Mixed a, Mixed b, Mixed c) { return bf16{__builtin_fmaf(a.v, b.v, c.v)}; })),
    marked('^', vop("v_fma_mixhi_bf16", [](Mixed a, Mixed b, Mixed c) { return bf16{__builtin_fmaf(a.v, b.v, c.v)}; })),
});

// ---- waits and clocks ----
void nothing(Wave &, const Inst &) {}
void yield(Wave &w, const Inst &) { w.status = Status::yielded; }
void clock64(Wave &w, const Inst &i) { scalar_result<u64>(w, i, w.count); }
void allocate(Wave &w, const Inst &) { w.scc = 1; } // every wave has all registers
const Registration waits({
    {"s_wait_xcnt", nothing, "*"},
    {"s_wait_asynccnt", nothing, "*"},
    {"s_wait_tensorcnt", nothing, "*"},
    {"s_setprio_inc_wg", nothing, "*"},
    {"s_monitor_sleep", yield, "*"},
    {"v_pipeflush", nothing, "*"},
    {"s_alloc_vgpr", allocate, "*"},
    {"s_get_shader_cycles_u64", clock64, "S="},
    {"global_prefetch_b8", nothing, "*"},
    {"flat_prefetch_b8", nothing, "*"},
});

} // namespace
} // namespace flysim
