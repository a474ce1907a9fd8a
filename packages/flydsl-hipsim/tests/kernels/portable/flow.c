// Branches, loops, calls: nested, divergent, recursive, indirect, variadic, through structures.
#include "portable.h"
EACH(loops) { // breaks and continues of two loops at once, exits in the middle
  u32 x = a[0], sum = 0, n = a[1] % 23;
  for (u32 i = 0; i < n; ++i) {
    if ((x >> (i & 31) & 3) == 3) continue;
    for (u32 j = i; j < 19; ++j) {
      if (((x ^ j * 7) & 15) == 5) break;
      if ((j + x) % 5 == 2) continue;
      sum = sum * 31 + j * i;
      if (sum % 97 == 13) goto out;
    }
    u32 k = x & 7;
    do {
      sum ^= k << i % 13;
      if (sum & 1 && k > 4) goto next;
    } while (k-- > 1);
    sum += 3;
  next:;
  }
out:
  GIVE(u32, sum);
  GIVE(u32, x);
}
EACH(collatz) {
  u64 x = a[0] % 100000 + 1;
  u32 steps = 0;
  for (; x != 1 && steps < 400; ++steps) x = x & 1 ? 3 * x + 1 : x / 2;
  GIVE(u32, steps);
  GIVE(u64, x);
}
EACH(cases) { // dense, sparse and falling through
  u32 r = 1;
  for (u32 k = 0; k < 12; ++k) {
    switch (a[k] % 11) {
    case 0: r += k; break;
    case 1: r *= 3;
    case 2: r ^= 0x55; break;
    case 3: r = r << 1 | r >> 31; break;
    case 4: if (r & 4) continue; r -= 9; break;
    case 5: r = ~r;
    case 6:
    case 7: r += 1000; break;
    case 9: r *= r; break;
    default: r -= a[k] >> 7;
    }
    switch (a[k]) {
    case 0: r += 17; break;
    case 1: r += 29; break;
    case 0x80000000: r ^= 5; break;
    case 0xffffffff: r ^= 7; break;
    case 0x3f800000: r *= 11; break;
    }
  }
  GIVE(u32, r);
}
static u32 early(u32 x, u32 y) {
  if (x == 0) return y;
  if (x > 100) {
    if (y & 1) return x - y;
    x /= 3;
  }
  for (u32 k = 0; k < 8; ++k)
    if ((x >> k & 1) && k > 2) return k * y;
  return x + y;
}
EACH(returns) {
  for (u32 k = 0; k < 8; ++k) GIVE(u32, early(a[k] % 300, a[k + 8]));
}
EACH(irreducible) {
  u32 x = a[0], y = a[1], turns = 0;
  if (x & 1) goto second;
first:
  y = y * 5 + 1;
  if (++turns > 20 || (y & 12) == 4) goto end;
second:
  x = x * 3 + y;
  if (++turns > 20 || (x & 24) == 8) goto end;
  if (x & 2) goto first;
  y ^= x >> 3;
  goto second;
end:
  GIVE(u32, x);
  GIVE(u32, y);
  GIVE(u32, turns);
}
NOINLINE u32 ackermann(u32 m, u32 n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
NOINLINE u32 is_odd(u32 n);
NOINLINE u32 is_even(u32 n) { return n == 0 ? 1 : is_odd(n - 1); }
NOINLINE u32 is_odd(u32 n) { return n == 0 ? 0 : is_even(n - 1); }
NOINLINE u32 queens(u32 n, u32 columns, u32 left, u32 right) {
  u32 all = (1u << n) - 1, count = 0;
  if (columns == all) return 1;
  for (u32 free = all & ~(columns | left | right); free; free &= free - 1) {
    u32 bit = free & -free;
    count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}
EACH(recursion) {
  GIVE(u32, ackermann(a[0] % 3, a[1] % 4));
  GIVE(u32, is_even(a[2] % 9));
  GIVE(u32, queens(a[3] % 6, 0, 0, 0));
}
NOINLINE u32 add(u32 x, u32 y) { return x + y; }
NOINLINE u32 mul(u32 x, u32 y) { return x * y; }
NOINLINE u32 sub(u32 x, u32 y) { return x - y; }
NOINLINE u32 mix(u32 x, u32 y) { return (x ^ y) * 0x9e3779b1u; }
u32 (*const table[4])(u32, u32) = {add, mul, sub, mix};
EACH(tables) {
  u32 r = a[0];
  for (u32 k = 0; k < 6; ++k) r = table[a[k] >> 3 & 3](r, a[k + 1]);
  GIVE(u32, r);
  u32 (*f)(u32, u32) = a[1] & 1 ? mix : a[2] & 1 ? mul : sub;
  for (u32 k = 0; k < (a[3] & 3); ++k) r = f(r, k);
  GIVE(u32, r);
}
NOINLINE u64 total(u32 n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  u64 sum = 0;
  for (u32 k = 0; k < n; ++k) sum = k % 3 == 0 ? sum + __builtin_va_arg(list, u32) : k % 3 == 1 ? sum ^ __builtin_va_arg(list, u64) : sum + (u64)(i64)(__builtin_va_arg(list, f64) * 4);
  __builtin_va_end(list);
  return sum;
}
EACH(variadic) {
  GIVE(u64, total(0));
  GIVE(u64, total(1, a[0]));
  GIVE(u64, total(5, a[0], TAKE(u64, 2), (f64)(i32)a[1], a[4], TAKE(u64, 6)));
}
struct small { u8 tag; u16 value; };
struct large { u64 words[5]; f32 scale; struct small inside[3]; };
NOINLINE struct large changed(struct large by_value, u32 which, struct small s) {
  by_value.words[which % 5] += s.value;
  by_value.inside[which % 3] = s;
  by_value.scale *= 2;
  return by_value;
}
NOINLINE struct small swapped(struct small s) {
  struct small r = {(u8)s.value, (u16)(s.tag * 3)};
  return r;
}
EACH(structures) {
  struct large made;
  __builtin_memset(&made, 0, sizeof made);
  for (u32 k = 0; k < 5; ++k) made.words[k] = TAKE(u64, 2 * k);
  made.scale = (f32)(a[12] & 0xffff);
  struct small s = {(u8)a[13], (u16)a[14]};
  struct large other = changed(made, a[15], swapped(s));
  other = changed(other, a[16], s);
  for (u32 k = 0; k < 5; ++k) GIVE(u64, other.words[k] ^ made.words[k]);
  GIVE_FLOAT(f32, other.scale);
  for (u32 k = 0; k < 3; ++k) GIVE(u32, other.inside[k].tag | (u32)other.inside[k].value << 8);
}
EACH(conditions) {
  u32 x = a[0], y = a[1], z = a[2];
  GIVE(u32, (x & 1 && (y & 2 || z & 4)) ? x : (y & 8 ? (z & 16 ? 1 : 2) : (x & 32 ? 3 : 4)));
  GIVE(u32, x < y ? y < z ? x : z : x < z ? y : x);
  u32 flags = 0;
  if (x > y) flags |= 1;
  if (x > y && y > z) flags |= 2;
  if (!(x & y) || (y ^ z) == 0) flags |= 4;
  if ((i32)x < 0 && (i32)y < (i32)z) flags |= 8;
  GIVE(u32, flags);
}
EACH(interpreter) { // one small machine a thread, each with a program of its own
  u32 stack[16], top = 0, pc = 0, acc = a[0];
  for (u32 k = 0; k < 16; ++k) stack[k] = k;
  const u8 *code = (const u8 *)(a + 1);
  for (u32 steps = 0; steps < 120 && pc < 100; ++steps) {
    u8 op = code[pc++];
    switch (op & 15) {
    case 0: acc += op; break;
    case 1: stack[top++ & 15] = acc; break;
    case 2: acc ^= stack[--top & 15]; break;
    case 3: if (acc & 1) pc += op >> 6; break;
    case 4: acc = acc * 1664525 + 1013904223; break;
    case 5: if (acc % 7 == 3 && pc > 9) pc -= 9; break;
    case 6: acc = acc >> (op >> 4) | acc << 3; break;
    case 7: acc -= steps; break;
    case 8: if (acc > 0xf0000000) goto stop; break;
    default: acc += op * pc; break;
    }
    if (top > 15) top = 0;
  }
stop:
  GIVE(u32, acc);
  GIVE(u32, pc);
}
