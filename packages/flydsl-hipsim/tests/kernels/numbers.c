// Arithmetic on every type: c = f(a, b).
#include "kernel.h"
#define BINARY(NAME, TYPE, VALUE) \
  KERNEL NAME##_##TYPE(TYPE *a, TYPE *b, TYPE *c) { \
    u32 i = THREAD; \
    TYPE x = a[i], y = b[i]; \
    c[i] = (TYPE)(VALUE); \
  }
#define INTS(NAME, VALUE) \
  BINARY(NAME, u8, VALUE) BINARY(NAME, i8, VALUE) BINARY(NAME, u16, VALUE) BINARY(NAME, i16, VALUE) \
  BINARY(NAME, u32, VALUE) BINARY(NAME, i32, VALUE) BINARY(NAME, u64, VALUE) BINARY(NAME, i64, VALUE)
#define FLOATS(NAME, VALUE) BINARY(NAME, f16, VALUE) BINARY(NAME, f32, VALUE) BINARY(NAME, f64, VALUE)
INTS(add, x + y)
INTS(sub, x - y)
INTS(mul, x * y)
INTS(div, x / y)
INTS(rem, x % y)
INTS(shl, x << (y & 7))
INTS(shr, x >> (y & 7))
INTS(mix, (x & y) ^ ~(x | 5))
INTS(less, x < y)
INTS(low, x < y ? x : y)
FLOATS(add, x + y)
FLOATS(sub, x - y)
FLOATS(mul, x *y)
FLOATS(div, x / y)
FLOATS(less, x < y)
FLOATS(low, x < y ? x : y)

KERNEL saturate(u32 *a, u32 *b, u32 *c) {
  u32 i = THREAD;
  c[i * 4] = __builtin_elementwise_add_sat(a[i], b[i]);
  c[i * 4 + 1] = __builtin_elementwise_sub_sat(a[i], b[i]);
  c[i * 4 + 2] = __builtin_elementwise_add_sat((i32)a[i], (i32)b[i]);
  c[i * 4 + 3] = __builtin_elementwise_sub_sat((i32)a[i], (i32)b[i]);
}
KERNEL bits(u32 *a, u64 *b, u32 *c) {
  u32 i = THREAD, x = a[i];
  u64 y = b[i];
  c += i * 9;
  c[0] = __builtin_popcount(x);
  c[1] = __builtin_popcountl(y);
  c[2] = __builtin_clz(x | 1);
  c[3] = __builtin_ctz(x | 0x80000000u);
  c[4] = __builtin_bitreverse32(x);
  c[5] = __builtin_bswap32(x);
  c[6] = __builtin_rotateleft32(x, (u32)y & 31);
  c[7] = __builtin_clzl(y | 1);
  c[8] = __builtin_ctzl(y | (1ul << 63));
}
#define ROUNDING(NAME, TYPE, SUFFIX) \
  KERNEL NAME(TYPE *a, TYPE *c) { \
    u32 i = THREAD; \
    TYPE x = a[i]; \
    c += i * 7; \
    c[0] = __builtin_sqrt##SUFFIX(x); \
    c[1] = __builtin_floor##SUFFIX(x); \
    c[2] = __builtin_ceil##SUFFIX(x); \
    c[3] = __builtin_trunc##SUFFIX(x); \
    c[4] = __builtin_roundeven##SUFFIX(x); \
    c[5] = __builtin_fma##SUFFIX(x, x, (TYPE)1.5); \
    c[6] = __builtin_fmin##SUFFIX(__builtin_fabs##SUFFIX(x), (TYPE)1); \
  }
ROUNDING(rounding_f32, f32, f)
ROUNDING(rounding_f64, f64, )
KERNEL transcendental(f32 *a, f32 *c) {
  u32 i = THREAD;
  c[i * 3] = __builtin_expf(a[i]);
  c[i * 3 + 1] = __builtin_logf(a[i]);
  c[i * 3 + 2] = __builtin_exp2f(a[i]);
}
KERNEL tiny(f32 *a, f32 *c) { c[THREAD] = a[THREAD] * 0.25f; }

typedef f16 h2 __attribute__((ext_vector_type(2)));
typedef i16 s2 __attribute__((ext_vector_type(2)));
#define PACKED(NAME, TYPE) \
  KERNEL NAME(TYPE *a, TYPE *b, TYPE *c) { \
    u32 i = THREAD; \
    c[i * 4] = a[i] + b[i]; \
    c[i * 4 + 1] = a[i] * b[i]; \
    c[i * 4 + 2] = -a[i].yx - b[i]; \
    c[i * 4 + 3] = __builtin_elementwise_max(a[i], b[i]); \
  }
PACKED(packed_f16, h2)
PACKED(packed_i16, s2)
