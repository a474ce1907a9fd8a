// One matrix instruction of RDNA a kernel: registers in, registers out.
#include "kernel.h"
#define VECTOR(NAME, TYPE, N) typedef TYPE NAME __attribute__((ext_vector_type(N)))
VECTOR(f4, f32, 4);
VECTOR(f8, f32, 8);
VECTOR(h8, f16, 8);
VECTOR(h16, f16, 16);
VECTOR(s4, i16, 4);
VECTOR(s8, i16, 8);
VECTOR(s16, i16, 16);
VECTOR(i2, i32, 2);
VECTOR(i4, i32, 4);
VECTOR(i8v, i32, 8);
#define FLOATS(NAME, IN, OUT, BUILTIN) \
  KERNEL NAME(IN *a, IN *b, OUT *c) { c[THREAD] = BUILTIN(a[THREAD], b[THREAD], c[THREAD]); }
#define HALVES(NAME, IN, OUT, BUILTIN, HIGH) \
  KERNEL NAME(IN *a, IN *b, OUT *c) { c[THREAD] = BUILTIN(a[THREAD], b[THREAD], c[THREAD], HIGH); }
#define INTS(NAME, IN, OUT, BUILTIN, A, B, CLAMP) \
  KERNEL NAME(IN *a, IN *b, OUT *c) { c[THREAD] = BUILTIN(A, a[THREAD], B, b[THREAD], c[THREAD], CLAMP); }
#define SPARSE(NAME, IN, INB, OUT, BUILTIN) \
  KERNEL NAME(IN *a, INB *b, OUT *c, i16 *index) { c[THREAD] = BUILTIN(a[THREAD], b[THREAD], c[THREAD], index[THREAD]); }

#ifdef __GFX11__
#ifdef WAVE_64
FLOATS(f32_f16, h16, f4, __builtin_amdgcn_wmma_f32_16x16x16_f16_w64)
INTS(i32_i8, i4, i4, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w64, 1, 1, 0)
#else
FLOATS(f32_f16, h16, f8, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32)
FLOATS(f32_bf16, s16, f8, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32)
HALVES(f16_f16, h16, h16, __builtin_amdgcn_wmma_f16_16x16x16_f16_tied_w32, 0)
HALVES(f16_f16_high, h16, h16, __builtin_amdgcn_wmma_f16_16x16x16_f16_tied_w32, 1)
HALVES(bf16_bf16, s16, s16, __builtin_amdgcn_wmma_bf16_16x16x16_bf16_tied_w32, 0)
INTS(i32_i8, i4, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32, 1, 1, 0)
INTS(i32_u8, i4, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32, 0, 0, 0)
INTS(i32_i8_clamp, i4, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32, 1, 1, 1)
INTS(i32_i4, i2, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32, 1, 1, 0)
INTS(i32_u4, i2, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32, 0, 0, 0)
#endif
#elif defined(__gfx1250__)
VECTOR(f2, f32, 2);
VECTOR(b8, bf16, 8);
VECTOR(b16, bf16, 16);
VECTOR(i16v, i32, 16);
#define SIGNED(NAME, IN, OUT, BUILTIN) \
  KERNEL NAME(IN *a, IN *b, OUT *c) { c[THREAD] = BUILTIN(0, a[THREAD], 0, b[THREAD], 0, c[THREAD], 0, 0); }
#define EIGHT(NAME, IN, OUT, BUILTIN) \
  KERNEL NAME(IN *a, IN *b, OUT *c) { c[THREAD] = BUILTIN(a[THREAD], b[THREAD], 0, c[THREAD], 0, 0); }
SIGNED(f32_f32, f2, f8, __builtin_amdgcn_wmma_f32_16x16x4_f32)
SIGNED(f32_f16, h16, f8, __builtin_amdgcn_wmma_f32_16x16x32_f16)
SIGNED(f32_bf16, b16, f8, __builtin_amdgcn_wmma_f32_16x16x32_bf16)
SIGNED(f16_f16, h16, h8, __builtin_amdgcn_wmma_f16_16x16x32_f16)
SIGNED(bf16_bf16, b16, b8, __builtin_amdgcn_wmma_bf16_16x16x32_bf16)
EIGHT(f32_fp8_bf8, i8v, f8, __builtin_amdgcn_wmma_f32_16x16x64_fp8_bf8)
EIGHT(f16_bf8_fp8, i8v, h8, __builtin_amdgcn_wmma_f16_16x16x64_bf8_fp8)
EIGHT(f32_fp8_fp8_deep, i16v, f8, __builtin_amdgcn_wmma_f32_16x16x128_fp8_fp8)
KERNEL i32_i8(i8v *a, i8v *b, i8v *c) { c[THREAD] = __builtin_amdgcn_wmma_i32_16x16x64_iu8(1, a[THREAD], 1, b[THREAD], c[THREAD], 0, 0); }
#else
FLOATS(f32_f16, h8, f8, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12)
FLOATS(f32_bf16, s8, f8, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12)
FLOATS(f16_f16, h8, h8, __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12)
FLOATS(bf16_bf16, s8, s8, __builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32_gfx12)
FLOATS(f32_fp8_fp8, i2, f8, __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12)
FLOATS(f32_fp8_bf8, i2, f8, __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12)
FLOATS(f32_bf8_fp8, i2, f8, __builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12)
FLOATS(f32_bf8_bf8, i2, f8, __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12)
INTS(i32_i8, i2, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12, 1, 1, 0)
INTS(i32_u8, i2, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12, 0, 0, 0)
INTS(i32_i8_clamp, i2, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12, 1, 1, 1)
INTS(i32_i4, i32, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32_gfx12, 1, 1, 0)
INTS(i32_u4, i32, i8v, __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32_gfx12, 0, 0, 0)
INTS(i32_i4_deep, i2, i8v, __builtin_amdgcn_wmma_i32_16x16x32_iu4_w32_gfx12, 1, 1, 0)
SPARSE(sparse_f32_f16, h8, h16, f8, __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32)
SPARSE(sparse_f16_f16, h8, h16, h8, __builtin_amdgcn_swmmac_f16_16x16x32_f16_w32)
SPARSE(sparse_f32_fp8_bf8, i2, i4, f8, __builtin_amdgcn_swmmac_f32_16x16x32_fp8_bf8_w32)
#endif
