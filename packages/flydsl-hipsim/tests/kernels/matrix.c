// One matrix instruction a kernel: registers in, registers out.
#include "kernel.h"
#define VECTOR(NAME, TYPE, N) typedef TYPE NAME __attribute__((ext_vector_type(N)))
VECTOR(h4, f16, 4);
VECTOR(b4, i16, 4);
VECTOR(f2, f32, 2);
VECTOR(f4, f32, 4);
VECTOR(f16s, f32, 16);
VECTOR(f32s, f32, 32);
VECTOR(i4, i32, 4);
VECTOR(i16s, i32, 16);
VECTOR(d4, f64, 4);
#define MATRIX(NAME, IN, OUT, BUILTIN) \
  KERNEL NAME(IN *a, IN *b, OUT *c) { c[THREAD] = BUILTIN(a[THREAD], b[THREAD], c[THREAD], 0, 0, 0); }
MATRIX(f32_32x32x8_f16, h4, f16s, __builtin_amdgcn_mfma_f32_32x32x8f16)
MATRIX(f32_16x16x16_f16, h4, f4, __builtin_amdgcn_mfma_f32_16x16x16f16)
MATRIX(f32_32x32x4_2b_f16, h4, f32s, __builtin_amdgcn_mfma_f32_32x32x4f16)
MATRIX(f32_16x16x4_4b_f16, h4, f16s, __builtin_amdgcn_mfma_f32_16x16x4f16)
MATRIX(f32_4x4x4_16b_f16, h4, f4, __builtin_amdgcn_mfma_f32_4x4x4f16)
MATRIX(f32_16x16x4_f32, f32, f4, __builtin_amdgcn_mfma_f32_16x16x4f32)
MATRIX(f32_32x32x2_f32, f32, f16s, __builtin_amdgcn_mfma_f32_32x32x2f32)
MATRIX(f32_32x32x8_bf16, b4, f16s, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
MATRIX(i32_16x16x32_i8, i64, i4, __builtin_amdgcn_mfma_i32_16x16x32_i8)
MATRIX(i32_32x32x16_i8, i64, i16s, __builtin_amdgcn_mfma_i32_32x32x16_i8)
MATRIX(f64_16x16x4_f64, f64, d4, __builtin_amdgcn_mfma_f64_16x16x4f64)
MATRIX(f64_4x4x4_4b_f64, f64, f64, __builtin_amdgcn_mfma_f64_4x4x4f64)
MATRIX(f32_16x16x32_fp8_fp8, i64, f4, __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8)
MATRIX(f32_32x32x16_bf8_fp8, i64, f16s, __builtin_amdgcn_mfma_f32_32x32x16_bf8_fp8)
