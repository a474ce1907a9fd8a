// Floats of 16, 32 and 64 bits: arithmetic, rounding, comparisons, classes, and conversions from and to everything.
#include "portable.h"
#define QUIET(T, WORD) (TAKE(T, WORD) != TAKE(T, WORD) ? (T)__builtin_nanf("") : TAKE(T, WORD))
#define FLOATS(T) \
  EACH(arithmetic_##T) { \
    T x = QUIET(T, 0), y = QUIET(T, 4), z = QUIET(T, 8); \
    GIVE_FLOAT(T, x + y); \
    GIVE_FLOAT(T, x - y); \
    GIVE_FLOAT(T, x * y); \
    GIVE_FLOAT(T, x / y); \
    GIVE_FLOAT(T, 1 / x); \
    GIVE_FLOAT(T, x * y + z); \
    GIVE_FLOAT(T, -x - y * (T)0.5); \
    GIVE_FLOAT(T, (x + x) * (T)-4); \
    GIVE_FLOAT(T, __builtin_elementwise_sqrt(x)); \
    GIVE_FLOAT(T, __builtin_elementwise_abs(x) - __builtin_elementwise_abs(y)); \
    GIVE_FLOAT(T, __builtin_elementwise_floor(x)); \
    GIVE_FLOAT(T, __builtin_elementwise_ceil(x)); \
    GIVE_FLOAT(T, __builtin_elementwise_trunc(x)); \
    GIVE_FLOAT(T, __builtin_elementwise_rint(x)); \
    GIVE_FLOAT(T, __builtin_elementwise_roundeven(y)); \
    GIVE_FLOAT(T, __builtin_elementwise_nearbyint(z)); \
    GIVE_FLOAT(T, __builtin_elementwise_round(x)); \
    GIVE_FLOAT(T, x - __builtin_elementwise_floor(x)); \
    GIVE_FLOAT(T, __builtin_elementwise_copysign(x, y)); \
    GIVE_FLOAT(T, __builtin_elementwise_minimum(x, y)); \
    GIVE_FLOAT(T, __builtin_elementwise_maximum(x, y)); \
    GIVE_FLOAT(T, x < y ? x : y); \
    GIVE_FLOAT(T, x > y ? (x > z ? x : z) : (y > z ? y : z)); \
    GIVE(u32, (x < y) | (x <= y) << 1 | (x == y) << 2 | (x > y) << 3 | (x >= y) << 4 | (x != y) << 5); \
    GIVE(u32, !(x < z) | !(x <= z) << 1 | !(x > z) << 2 | !(x >= z) << 3 | !!__builtin_isunordered(x, y) << 4 | !!__builtin_islessgreater(y, z) << 5); \
    GIVE(u32, !!__builtin_isnan(x) | !!__builtin_isinf(x) << 1 | !!__builtin_isnormal(x) << 2 | !!__builtin_issubnormal(x) << 3 | \
                  !!__builtin_iszero(x) << 4 | !!__builtin_signbit(x) << 5 | !!__builtin_isfinite(x) << 6 | \
                  __builtin_fpclassify(1, 2, 3, 4, 5, x) << 7); \
  }
FLOATS(f16)
FLOATS(f32)
FLOATS(f64)
#define WIDE(T, S) \
  EACH(builtins_##T) { \
    T x = QUIET(T, 0), y = QUIET(T, 4), z = QUIET(T, 8); \
    i32 exponent = 0; \
    GIVE_FLOAT(T, __builtin_fma##S(x, y, z)); \
    GIVE_FLOAT(T, __builtin_fma##S(-x, y, __builtin_fabs##S(z))); \
    GIVE_FLOAT(T, __builtin_fmin##S(x, y)); \
    GIVE_FLOAT(T, __builtin_fmax##S(x, y)); \
    GIVE_FLOAT(T, __builtin_fmax##S(__builtin_fmin##S(x, (T)1), (T)0)); \
    GIVE_FLOAT(T, __builtin_fmax##S(__builtin_fmin##S(__builtin_fmax##S(x, y), z), __builtin_fmin##S(x, y))); \
    GIVE_FLOAT(T, __builtin_ldexp##S(x, (i32)(TAKE(u32, 12) % 400) - 200)); \
    T mantissa = __builtin_frexp##S(x, &exponent); \
    GIVE_FLOAT(T, mantissa); \
    GIVE(i32, x - x == 0 ? exponent : 0); \
    T fits = x > -1e9 && x < 1e9 ? x : 0; \
    GIVE(i64, __builtin_lrint##S(fits)); \
    GIVE_FLOAT(T, __builtin_sqrt##S(__builtin_fabs##S(y))); \
    GIVE_FLOAT(T, x / __builtin_sqrt##S(__builtin_fabs##S(y))); \
  }
WIDE(f32, f)
WIDE(f64, )
#define FITTING(T, LIMIT) (x > (T)-(LIMIT) && x < (T)(LIMIT) ? x : 0)
#define FROM(T, WORD, WHOLE) \
  EACH(from_##T) { \
    T x = QUIET(T, 0), narrow = FITTING(T, 127), half = FITTING(T, 32000), word = FITTING(T, WORD), whole = FITTING(T, WHOLE); \
    GIVE(i8, (i8)narrow); \
    GIVE(u8, (u8)(narrow < 0 ? -narrow : narrow)); \
    GIVE(i16, (i16)half); \
    GIVE(u16, (u16)(half < 0 ? -half : half)); \
    GIVE(i32, (i32)word); \
    GIVE(u32, (u32)(word < 0 ? -word : word)); \
    GIVE(i64, (i64)whole); \
    GIVE(u64, (u64)(whole < 0 ? -whole : whole)); \
    GIVE_FLOAT(f16, (f16)x); \
    GIVE_FLOAT(f32, (f32)x); \
    GIVE_FLOAT(f64, (f64)x); \
    GIVE_FLOAT(f32, (f32)(bf16)(f32)x); \
    GIVE(u32, (x != 0) | (x == (T)(i32)word) << 1); \
  }
FROM(f16, 65000.0f, 65000.0f)
FROM(f32, 2e9f, 9e18f)
FROM(f64, 2e9, 9e18)
#define TO(T) \
  EACH(to_##T) { \
    GIVE_FLOAT(T, TAKE(i8, 0)); \
    GIVE_FLOAT(T, TAKE(u8, 0)); \
    GIVE_FLOAT(T, TAKE(u8, 0) * 3 + (TAKE(u32, 1) >> 24)); \
    GIVE_FLOAT(T, (T)(TAKE(u32, 2) >> 16 & 255) + (T)(TAKE(u32, 2) >> 8 & 255)); \
    GIVE_FLOAT(T, TAKE(i16, 1)); \
    GIVE_FLOAT(T, TAKE(u16, 1)); \
    GIVE_FLOAT(T, TAKE(i32, 2)); \
    GIVE_FLOAT(T, TAKE(u32, 2)); \
    GIVE_FLOAT(T, TAKE(i64, 4)); \
    GIVE_FLOAT(T, TAKE(u64, 4)); \
    GIVE_FLOAT(T, TAKE(u32, 3) & 1 ? (T)TAKE(i64, 6) : (T)TAKE(i32, 6)); \
    GIVE_FLOAT(T, (T)!!(TAKE(u32, 3) & 2)); \
  }
TO(f32)
TO(f64)
EACH(to_f16) { // what is larger than a half can be is infinite on both sides
  GIVE_FLOAT(f16, TAKE(i8, 0));
  GIVE_FLOAT(f16, TAKE(u8, 0));
  GIVE_FLOAT(f16, TAKE(i16, 1));
  GIVE_FLOAT(f16, TAKE(u16, 1));
  GIVE_FLOAT(f16, TAKE(i32, 2) >> 12);
  GIVE_FLOAT(f16, TAKE(i64, 4) >> 40);
}
#ifndef __AMDGCN__ // the host's library has none; the result's bits are the lower half of a register of floats
f32 __truncsfbf2(f32 x) {
  u32 bits = __builtin_bit_cast(u32, x), made = x != x ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return __builtin_bit_cast(f32, made);
}
#endif
EACH(brain) {
  bf16 x = (bf16)QUIET(f32, 0), y = (bf16)QUIET(f32, 4);
  GIVE_FLOAT(f32, (f32)(bf16)((f32)x + (f32)y));
  GIVE_FLOAT(f32, (f32)(bf16)((f32)x * (f32)y) + 0.0f); // LLVM 22 adds 0 to products on gfx1250: -0 is 0
  GIVE_FLOAT(f32, (f32)(bf16)((f32)x / (f32)y));
  GIVE_FLOAT(f32, (f32)x < (f32)y ? (f32)x : (f32)y);
  GIVE_FLOAT(f32, (f32)(bf16)-(f32)x);
  GIVE_FLOAT(f32, (f32)(bf16)TAKE(i32, 2));
  GIVE(u32, x < y | (x == y) << 1);
}
typedef f16 h4 __attribute__((ext_vector_type(4)));
typedef f32 f2 __attribute__((ext_vector_type(2)));
typedef f64 d2 __attribute__((ext_vector_type(2)));
#define PACKED(T, SCALAR, N) \
  EACH(packed_##T) { \
    T x, y, r; \
    for (int k = 0; k < N; ++k) x[k] = QUIET(SCALAR, 2 * k), y[k] = QUIET(SCALAR, 2 * k + 8); \
    r = x + y; \
    for (int k = 0; k < N; ++k) GIVE_FLOAT(SCALAR, r[k]); \
    r = x * y; \
    for (int k = 0; k < N; ++k) GIVE_FLOAT(SCALAR, r[k]); \
    r = x.yx##T - y * x; \
    for (int k = 0; k < N; ++k) GIVE_FLOAT(SCALAR, r[k]); \
    r = -x + __builtin_elementwise_abs(y); \
    for (int k = 0; k < N; ++k) GIVE_FLOAT(SCALAR, r[k]); \
    r = (x < y) ? x : y; \
    for (int k = 0; k < N; ++k) GIVE_FLOAT(SCALAR, r[k]); \
  }
#define yxh4 wzyx
#define yxf2 yx
#define yxd2 yx
PACKED(h4, f16, 4)
PACKED(f2, f32, 2)
PACKED(d2, f64, 2)
