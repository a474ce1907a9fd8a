// Kernels that are also functions of the host: one thread's words in, its words out, no thread looks at another's.
#include "../kernel.h"
typedef __int128 i128;
typedef unsigned __int128 u128;
#define IN_WORDS 32
#define OUT_WORDS 128
#ifdef __AMDGCN__
#define EACH(NAME) \
  static void NAME##_of(const u32 *a, u32 *c); \
  KERNEL NAME(const u32 *a, u32 *c) { \
    u32 i = THREAD + __builtin_amdgcn_workgroup_size_x() * __builtin_amdgcn_workgroup_id_x(); \
    NAME##_of(a + i * IN_WORDS, c + i * OUT_WORDS); \
  } \
  static void NAME##_of(const u32 *a, u32 *c)
#else
#define EACH(NAME) \
  static void NAME##_of(const u32 *a, u32 *c); \
  void NAME(const u32 *a, u32 *c, u32 n) { \
    for (u32 i = 0; i < n; ++i) NAME##_of(a + i * IN_WORDS, c + i * OUT_WORDS); \
  } \
  static void NAME##_of(const u32 *a, u32 *c)
#endif
#define NOINLINE __attribute__((noinline))
// The value of a type at a word of the input.
#define TAKE(T, WORD) (*(const T *)(a + (WORD)))
// The next result, in as many words as it needs.
#define GIVE(T, VALUE) \
  do { \
    T given = (VALUE); \
    __builtin_memcpy(c, &given, sizeof given); \
    c += (sizeof given + 3) / 4; \
  } while (0)
// All NaNs are one, told by their bits: a compiler may choose any where a NaN is computed.
static inline u64 one_nan(u64 bits, u32 size) {
  u64 infinite = size == 2 ? 0x7c00 : size == 4 ? 0x7f800000 : 0x7ff0000000000000, sign = 1ul << (8 * size - 1);
  return (bits & ~sign) > infinite ? infinite | infinite >> 1 : bits;
}
#define GIVE_FLOAT(T, VALUE) \
  do { \
    T number = (VALUE); \
    u64 number_bits = 0; \
    __builtin_memcpy(&number_bits, &number, sizeof number); \
    number_bits = one_nan(number_bits, sizeof number); \
    __builtin_memcpy(c, &number_bits, sizeof number); \
    c += (sizeof number + 3) / 4; \
  } while (0)
