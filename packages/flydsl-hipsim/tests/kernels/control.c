// Branches, loops, switches, calls and recursion.
#include "kernel.h"
KERNEL switches(u32 *a, u32 *c) {
  u32 i = THREAD, x = a[i], r = 0;
  for (u32 k = 0; k < (x & 15); ++k) {
    switch ((x + k) % 7) {
    case 0: r += 3; break;
    case 1: r ^= x; break;
    case 2: r *= 5;
    case 3: r += k; break;
    case 4:
      if (r & 1) continue;
      r += 11;
      break;
    default: r -= x >> 3;
    }
  }
  c[i] = r;
}
__attribute__((noinline)) u32 product(u32 x, u32 y) { return x * y + 17; }
KERNEL calls(u32 *a, u32 *c) { c[THREAD] = product(a[THREAD], THREAD) + product(THREAD, 3); }
__attribute__((noinline)) u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL recursion(u32 *a, u32 *c) { c[THREAD] = fibonacci(a[THREAD] & 7); }
__attribute__((noinline)) u32 half(u32 x) { return x / 2; }
__attribute__((noinline)) u32 twice(u32 x) { return x * 2; }
KERNEL pointers(u32 *a, u32 *c) {
  u32 (*f)(u32) = a[THREAD] & 1 ? half : twice;
  c[THREAD] = f(a[THREAD]);
}
KERNEL trap(u32 *a) {
  if (a[THREAD] == 3) __builtin_trap();
}
