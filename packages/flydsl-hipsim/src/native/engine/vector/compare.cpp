// Vector comparisons of every type: v_cmp and v_cmpx.
#include "lanes.h"

#include <cmath>

namespace flysim {
namespace {

template <class T> auto number(T x) { return x; }
float number(f16 x) { return x.v; }

template <class T> bool is_unordered(T a, T b) { return std::isunordered(a, b); }

#define FLYSIM_COMPARE(TEXT, TYPE, CONDITION) \
  vop("v_cmp_" TEXT, \
      [](TYPE x, TYPE y) -> bool { \
        const auto a = number(x), b = number(y); \
        (void)a; \
        (void)b; \
        return CONDITION; \
      }), \
      cmpx("v_cmpx_" TEXT, [](TYPE x, TYPE y) -> bool { \
        const auto a = number(x), b = number(y); \
        (void)a; \
        (void)b; \
        return CONDITION; \
      })

#define FLYSIM_INTEGERS(SUFFIX, TYPE) \
  FLYSIM_COMPARE("f_" SUFFIX, TYPE, false), FLYSIM_COMPARE("lt_" SUFFIX, TYPE, a < b), \
      FLYSIM_COMPARE("eq_" SUFFIX, TYPE, a == b), FLYSIM_COMPARE("le_" SUFFIX, TYPE, a <= b), \
      FLYSIM_COMPARE("gt_" SUFFIX, TYPE, a > b), FLYSIM_COMPARE("ne_" SUFFIX, TYPE, a != b), \
      FLYSIM_COMPARE("ge_" SUFFIX, TYPE, a >= b), FLYSIM_COMPARE("t_" SUFFIX, TYPE, true)

#define FLYSIM_FLOATS(SUFFIX, TYPE) \
  FLYSIM_COMPARE("f_" SUFFIX, TYPE, false), FLYSIM_COMPARE("lt_" SUFFIX, TYPE, a < b), \
      FLYSIM_COMPARE("eq_" SUFFIX, TYPE, a == b), FLYSIM_COMPARE("le_" SUFFIX, TYPE, a <= b), \
      FLYSIM_COMPARE("gt_" SUFFIX, TYPE, a > b), FLYSIM_COMPARE("lg_" SUFFIX, TYPE, a<b || a> b), \
      FLYSIM_COMPARE("ge_" SUFFIX, TYPE, a >= b), FLYSIM_COMPARE("o_" SUFFIX, TYPE, !is_unordered(a, b)), \
      FLYSIM_COMPARE("u_" SUFFIX, TYPE, is_unordered(a, b)), FLYSIM_COMPARE("nge_" SUFFIX, TYPE, !(a >= b)), \
      FLYSIM_COMPARE("nlg_" SUFFIX, TYPE, !(a < b || a > b)), FLYSIM_COMPARE("ngt_" SUFFIX, TYPE, !(a > b)), \
      FLYSIM_COMPARE("nle_" SUFFIX, TYPE, !(a <= b)), FLYSIM_COMPARE("neq_" SUFFIX, TYPE, !(a == b)), \
      FLYSIM_COMPARE("nlt_" SUFFIX, TYPE, !(a < b)), FLYSIM_COMPARE("tru_" SUFFIX, TYPE, true), \
      FLYSIM_COMPARE("t_" SUFFIX, TYPE, true)

const Registration integers({FLYSIM_INTEGERS("i16", int16_t), FLYSIM_INTEGERS("u16", uint16_t),
                             FLYSIM_INTEGERS("i32", int32_t), FLYSIM_INTEGERS("u32", uint32_t),
                             FLYSIM_INTEGERS("i64", int64_t), FLYSIM_INTEGERS("u64", uint64_t)});
const Registration floats({FLYSIM_FLOATS("f16", f16), FLYSIM_FLOATS("f32", float), FLYSIM_FLOATS("f64", double)});

} // namespace
} // namespace flysim
