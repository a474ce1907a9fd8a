// Short words for kernels in C.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef __bf16 bf16;
#define KERNEL __attribute__((amdgpu_kernel)) void
#define THREAD __builtin_amdgcn_workitem_id_x()
#define LDS __attribute__((loader_uninitialized)) __attribute__((address_space(3))) static
#define BARRIER \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
  __builtin_amdgcn_s_barrier(); \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
#define AGENT 4
