// Arithmetic, shifts, comparisons and bits of all widths from 8 to 128.
#include "portable.h"
#define ARITHMETIC(T, U, BITS) \
  EACH(arithmetic_##T) { \
    T x = TAKE(T, 0), y = TAKE(T, 4), z = TAKE(T, 8); \
    T divisor = (T)(y | 1) == (T)-1 ? 3 : (T)(y | 1); \
    u32 n = (u32)z & (BITS - 1); \
    GIVE(T, (T)((U)x + (U)y)); \
    GIVE(T, (T)((U)x - (U)y)); \
    GIVE(T, (T)((u128)(U)x * (U)y)); \
    GIVE(T, (T)((u128)(U)x * (U)y + (U)z)); \
    GIVE(T, x / divisor); \
    GIVE(T, x % divisor); \
    GIVE(T, x / 7); \
    GIVE(T, x % 10); \
    GIVE(T, (T)((U)x << n)); \
    GIVE(T, x >> n); \
    GIVE(T, (T)((U)x << n | (U)x >> (BITS - n & BITS - 1))); \
    GIVE(T, ((x & y) ^ ~z) | (x & ~y)); \
    GIVE(T, x < y ? z : x); \
    GIVE(T, x < y ? (x < z ? z : y) : x); \
    GIVE(u32, (x < y) | (x <= y) << 1 | (x == y) << 2 | (x > z) << 3 | (x >= z) << 4 | (y != z) << 5); \
    GIVE(u32, __builtin_popcountg((U)x) | __builtin_clzg((U)x, 999) << 8 | __builtin_ctzg((U)x, 999) << 20); \
    T sum, difference; \
    u32 carries = __builtin_add_overflow(x, y, &sum) | __builtin_sub_overflow(x, y, &difference) << 1; \
    GIVE(T, sum ^ difference); \
    GIVE(u32, carries); \
    GIVE(T, (T)-(U)x); \
    GIVE(u32, !x | !!y << 1 | (x && y) << 2); \
  }
ARITHMETIC(i8, u8, 8)
ARITHMETIC(u8, u8, 8)
ARITHMETIC(i16, u16, 16)
ARITHMETIC(u16, u16, 16)
ARITHMETIC(i32, u32, 32)
ARITHMETIC(u32, u32, 32)
ARITHMETIC(i64, u64, 64)
ARITHMETIC(u64, u64, 64)
ARITHMETIC(i128, u128, 128)
ARITHMETIC(u128, u128, 128)
#define NARROW(T, U, WIDE, BITS) \
  EACH(saturated_##T) { \
    T x = TAKE(T, 0), y = TAKE(T, 4), z = TAKE(T, 8), product; \
    GIVE(T, __builtin_elementwise_add_sat(x, y)); \
    GIVE(T, __builtin_elementwise_sub_sat(x, y)); \
    GIVE(u32, __builtin_mul_overflow(x, y, &product)); \
    GIVE(T, product); \
    GIVE(T, (T)((WIDE)x * y >> BITS)); \
    GIVE(T, __builtin_elementwise_min(x, y)); \
    GIVE(T, __builtin_elementwise_max(__builtin_elementwise_min(x, y), z)); \
    GIVE(T, __builtin_elementwise_max(__builtin_elementwise_min(__builtin_elementwise_max(x, y), z), __builtin_elementwise_min(x, y))); \
    GIVE(U, x > y ? (U)x - (U)y : (U)y - (U)x); \
    GIVE(T, (T)(((WIDE)x + y) >> 1)); \
    GIVE(T, (T)(((WIDE)x + y + 1) >> 1)); \
    GIVE(WIDE, (WIDE)x * y + z); \
    GIVE(WIDE, (WIDE)x - y * (WIDE)3); \
  }
NARROW(i8, u8, i32, 8)
NARROW(u8, u8, u32, 8)
NARROW(i16, u16, i32, 16)
NARROW(u16, u16, u32, 16)
NARROW(i32, u32, i64, 32)
NARROW(u32, u32, u64, 32)
NARROW(i64, u64, i128, 64)
NARROW(u64, u64, u128, 64)
EACH(bits) {
  u8 b = TAKE(u8, 0);
  u16 h = TAKE(u16, 0);
  u32 x = TAKE(u32, 0), y = TAKE(u32, 1), n = TAKE(u32, 2) & 31;
  u64 w = TAKE(u64, 0), m = TAKE(u64, 4) & 63;
  GIVE(u8, __builtin_bitreverse8(b));
  GIVE(u16, __builtin_bitreverse16(h));
  GIVE(u32, __builtin_bitreverse32(x));
  GIVE(u64, __builtin_bitreverse64(w));
  GIVE(u16, __builtin_bswap16(h));
  GIVE(u32, __builtin_bswap32(x));
#if defined(__OPTIMIZE__) || !defined(__AMDGCN__) || defined(__GFX9__) // LLVM 22 loses half of the result at -O0
  GIVE(u64, __builtin_bswap64(w));
#else
  GIVE(u64, (u64)__builtin_bswap32(w) << 32 | __builtin_bswap32(w >> 32));
#endif
  GIVE(u8, __builtin_rotateleft8(b, n));
  GIVE(u16, __builtin_rotateright16(h, n));
  GIVE(u32, __builtin_rotateleft32(x, n));
  GIVE(u64, __builtin_rotateright64(w, m));
  GIVE(u32, (u32)(((u64)x << 32 | y) >> n));                                    // alignbit
  GIVE(u32, (u32)(((u64)x << 32 | y) >> 8 * (n & 3)));                          // alignbyte
  GIVE(u32, (x & 0xff) << 24 | (x >> 8 & 0xff) << 8 | (y >> 16 & 0xff) << 16 | y >> 24); // a byte permutation
  GIVE(u32, x >> 5 & 0x3ff);
  GIVE(i32, (i32)(x << 9) >> 20);
  GIVE(u32, (x & ~(0xffu << 12)) | (y & 0xff) << 12);
  GIVE(u32, (x & y) | (~x & n));
  GIVE(u32, (x ^ y) & (n | 0x55));
  GIVE(u64, w >> 13 & 0xfffffffffful);
  GIVE(i64, (i64)(w << 7) >> 30);
  GIVE(u32, (1u << n) - 1);
  GIVE(u64, (1ul << m) - 1);
  GIVE(u32, x & -x);
  GIVE(u64, w & (w - 1));
  GIVE(u32, __builtin_parity(x) | __builtin_ffs(x) << 8 | __builtin_ffsl(w) << 16);
  GIVE(i32, __builtin_clrsb(x));
  GIVE(i32, __builtin_clrsbl(w));
  GIVE(u32, (x + y) * 8 + n);
  GIVE(u32, (x << 3) + y);
  GIVE(u32, (x + y) << 4);
  GIVE(u32, x + y + n);
  GIVE(u32, (x ^ y) + n);
  GIVE(u32, x | y | n);
  GIVE(u32, (x << 5) | y);
  GIVE(u32, (x & y) | n);
}
typedef u8 b4 __attribute__((ext_vector_type(4)));
typedef i8 c4 __attribute__((ext_vector_type(4)));
typedef u16 h2 __attribute__((ext_vector_type(2)));
typedef i16 s2 __attribute__((ext_vector_type(2)));
typedef u32 w4 __attribute__((ext_vector_type(4)));
#define LANES(T, SCALAR) \
  EACH(lanes_##T) { \
    T x = TAKE(T, 0), y = TAKE(T, 4), z = TAKE(T, 8), n = z & (SCALAR)(sizeof(SCALAR) * 8 - 1); \
    GIVE(T, x + y); \
    GIVE(T, x - y); \
    GIVE(T, x * y); \
    GIVE(T, x * y + z); \
    GIVE(T, x << n); \
    GIVE(T, x >> n); \
    GIVE(T, (T)__builtin_elementwise_min(x, y)); \
    GIVE(T, (T)__builtin_elementwise_max(x, y)); \
    GIVE(T, __builtin_elementwise_add_sat(x, y)); \
    GIVE(T, __builtin_elementwise_sub_sat(x, y)); \
    GIVE(T, (x & y) ^ ~z); \
    GIVE(T, x / (y | 1)); \
    GIVE(T, (T)(x < y)); \
    GIVE(SCALAR, __builtin_reduce_add(x)); \
    GIVE(SCALAR, __builtin_reduce_max(y)); \
    GIVE(SCALAR, __builtin_reduce_xor(z)); \
  }
LANES(b4, u8)
LANES(h2, u16)
LANES(s2, i16)
LANES(w4, u32)
EACH(widths) { // each to each
  i8 b = TAKE(i8, 0);
  i16 h = TAKE(i16, 1);
  i32 w = TAKE(i32, 2);
  i64 d = TAKE(i64, 4);
  i128 q = TAKE(i128, 8);
  GIVE(i64, b + (u8)b);
  GIVE(i64, h - (u16)h);
  GIVE(i64, (i64)w * (u32)w);
  GIVE(i128, (i128)d * b);
  GIVE(i64, (i64)(q >> 17) + (u16)d);
  GIVE(u8, d);
  GIVE(u16, q);
  GIVE(u64, (u64)b);
  GIVE(u64, (u64)(u32)h);
  GIVE(i128, w);
  GIVE(u128, (u128)(u64)w << 60);
  c4 bytes = TAKE(c4, 12), more = TAKE(c4, 13);
  i32 sum = 0;
  for (int k = 0; k < 4; ++k) sum += bytes[k] * more[k];
  GIVE(i32, sum);
  s2 x = TAKE(s2, 14), y = TAKE(s2, 15);
  GIVE(i32, x[0] * y[0] + x[1] * y[1] + w);
  u32 sad = 0;
  for (int k = 0; k < 4; ++k) sad += __builtin_abs(bytes[k] - more[k]);
  GIVE(u32, sad);
}
