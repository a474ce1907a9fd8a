// Memory of a thread: arrays with any index, bytes at any place, bit fields, copies of any size, tables of constants.
#include "portable.h"
typedef struct __attribute__((packed)) { u8 first; u32 word; u16 half; u64 wide; f32 real; i8 last; } Packed;
EACH(packed) {
  Packed all[6];
  const u8 *bytes = (const u8 *)a;
  for (u32 k = 0; k < 6; ++k) __builtin_memcpy(all + k, bytes + 3 * k + (a[k] & 3), sizeof(Packed));
  for (u32 k = 0; k < 6; ++k) {
    Packed *p = all + (a[k + 6] % 6);
    p->word += p->half;
    p->wide ^= (u64)p->word << 21;
    p->last += p->first;
    GIVE(u64, p->wide);
    GIVE(u32, p->word + p->half + p->first + p->last);
  }
}
EACH(unaligned) {
  const u8 *bytes = (const u8 *)a;
  typedef u64 __attribute__((aligned(1))) loose64;
  typedef u32 __attribute__((aligned(2))) loose32;
  typedef u16 __attribute__((aligned(1))) loose16;
  u8 mine[64];
  __builtin_memcpy(mine, a, 64);
  for (u32 k = 0; k < 4; ++k) {
    u32 at = a[k] % 50;
    GIVE(u64, *(const loose64 *)(bytes + at));
    GIVE(u32, *(const loose32 *)(bytes + (at & ~1)));
    *(loose64 *)(mine + at) += 0x0123456789abcdef;
    *(loose16 *)(mine + (at ^ 7)) ^= 0x55aa;
  }
  for (u32 k = 0; k < 16; ++k) GIVE(u32, ((u32 *)mine)[k]);
}
typedef struct { u32 a : 3, b : 11; i32 c : 7; u32 d : 1; u64 e : 40; i64 f : 19; } Fields;
EACH(fields) {
  Fields s;
  __builtin_memset(&s, 0, sizeof s);
  s.a = a[0], s.b = a[1], s.c = (i32)a[2], s.d = a[3], s.e = TAKE(u64, 4), s.f = (i64)TAKE(u64, 6);
  s.b += s.a;
  s.c -= 3;
  s.f ^= s.e;
  GIVE(u32, s.a | s.b << 3 | s.d << 20);
  GIVE(i32, s.c);
  GIVE(u64, s.e);
  GIVE(i64, s.f);
}
EACH(copies) { // sizes that are known and that are not, overlapping and not
  u8 from[96], to[96];
  const u8 *bytes = (const u8 *)a;
  for (u32 k = 0; k < 96; ++k) from[k] = bytes[k], to[k] = (u8)k;
  u32 n = a[0] % 60, at = a[1] % 30, other = a[2] % 30;
  __builtin_memcpy(to + other, from + at, n);
  __builtin_memmove(to + 5, to + at, 40);
  __builtin_memmove(to + at + 3, to + at, n);
  __builtin_memset(to + (n & 31), (int)a[3], a[4] % 50);
  __builtin_memcpy(from + 1, to + 16, 33);
  __builtin_memset(from + 60, 0x5a, 17);
  for (u32 k = 0; k < 24; ++k) GIVE(u32, ((u32 *)to)[k] ^ ((u32 *)from)[k] * 3);
}
EACH(arrays) {
  u32 grid[6][7];
  u16 counts[32];
  f64 reals[9];
  for (u32 y = 0; y < 6; ++y)
    for (u32 x = 0; x < 7; ++x) grid[y][x] = a[(y * 7 + x) & 31] + x * y;
  __builtin_memset(counts, 0, sizeof counts);
  for (u32 k = 0; k < 32; ++k) ++counts[a[k] % 32];
  for (u32 k = 0; k < 9; ++k) reals[k] = (f64)(a[k] & 0xfff) / 8;
  u32 y = a[0] % 6, x = a[1] % 7, sum = 0;
  for (u32 k = 0; k < 20; ++k) {
    sum = sum * 5 + grid[y][x];
    grid[(y + 1) % 6][x] ^= sum;
    x = (x + counts[k] + 1) % 7, y = (y + grid[y][x]) % 6;
    reals[k % 9] += reals[(k * 5 + x) % 9];
  }
  GIVE(u32, sum);
  for (u32 k = 0; k < 9; ++k) GIVE(f64, reals[k]);
  for (u32 k = 0; k < 32; k += 2) GIVE(u32, counts[k] | (u32)counts[k + 1] << 16);
}
const u8 bytes_table[17] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2};
const i16 shorts_table[9] = {-300, 200, -100, 0, 100, -200, 300, 32767, -32768};
const f64 reals_table[5] = {0.5, -1.25, 3e10, 1e-3, -0.0};
const struct { u8 kind; u32 weight; const char *name; } records[3] = {{1, 100, "one"}, {2, 200, "second"}, {3, 300, "the third"}};
static const u64 *const pointers[2] = {(const u64 *)reals_table, (const u64 *)reals_table + 2};
EACH(tables) {
  GIVE(u32, bytes_table[a[0] % 17] + bytes_table[a[1] % 17]);
  GIVE(i32, shorts_table[a[2] % 9]);
  GIVE(f64, reals_table[a[3] % 5] * 2);
  u32 which = a[4] % 3, sum = 0;
  for (const char *p = records[which].name; *p; ++p) sum = sum * 131 + *p;
  GIVE(u32, sum + records[which].weight + records[which].kind);
  GIVE(u64, pointers[a[5] & 1][a[6] % 3]);
}
EACH(volatiles) {
  volatile u32 x = a[0];
  volatile u8 bytes[8];
  volatile u64 wide = TAKE(u64, 2);
  for (u32 k = 0; k < 8; ++k) bytes[k] = (u8)(a[k] + k);
  x = x + bytes[a[1] & 7];
  x = x * 3;
  wide = wide ^ x;
  GIVE(u32, x);
  GIVE(u64, wide);
}
typedef union { f32 real; u32 word; u8 bytes[4]; u16 halves[2]; } Any;
EACH(unions) {
  Any u;
  u.word = a[0];
  u.bytes[a[1] & 3] ^= 0x80;
  u.halves[a[2] & 1] += 7;
  GIVE(u32, u.word);
  u.real = (f32)(i32)a[3];
  GIVE(u32, u.bytes[0] + u.bytes[3] * 256 + u.halves[1]);
}
typedef struct Node { struct Node *next; u32 value; } Node;
EACH(lists) { // sorted by insertion, then reversed
  Node nodes[12], *head = 0;
  for (u32 k = 0; k < 12; ++k) {
    nodes[k].value = a[k];
    Node **at = &head;
    while (*at && (*at)->value < a[k]) at = &(*at)->next;
    nodes[k].next = *at;
    *at = nodes + k;
  }
  for (Node *p = head; p; p = p->next) GIVE(u32, p->value);
  Node *back = 0;
  while (head) {
    Node *next = head->next;
    head->next = back, back = head, head = next;
  }
  u32 hash = 0;
  for (Node *p = back; p; p = p->next) hash = hash * 33 ^ p->value;
  GIVE(u32, hash);
}
EACH(dynamic) { // as much of the stack as the thread's words say
  u32 n = a[0] % 20 + 1;
  u32 *some = __builtin_alloca(n * sizeof(u32));
  for (u32 k = 0; k < n; ++k) some[k] = a[k] * (k + 1);
  u32 sum = 0;
  for (u32 k = 0; k < 10; ++k) sum = sum * 7 + some[(a[k] + sum) % n];
  GIVE(u32, sum);
}
