// Programs that other people wrote down first: hashes, random numbers, sorting, searching, small matrices.
#include "portable.h"
static u32 turned(u32 x, u32 n) { return x >> n | x << (32 - n); }
const u32 sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
EACH(sha256) { // of the thread's words, one block
  u32 w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, s[8];
  for (u32 k = 0; k < 16; ++k) w[k] = k < 13 ? __builtin_bswap32(a[k]) : k == 13 ? 0x80000000 : k == 15 ? 13 * 32 : 0;
  for (u32 k = 16; k < 64; ++k) {
    u32 x = w[k - 15], y = w[k - 2];
    w[k] = w[k - 16] + (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + w[k - 7] + (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
  }
  for (u32 k = 0; k < 8; ++k) s[k] = h[k];
  for (u32 k = 0; k < 64; ++k) {
    u32 e = s[4], x = s[0];
    u32 one = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + sha_k[k] + w[k];
    u32 two = (turned(x, 2) ^ turned(x, 13) ^ turned(x, 22)) + ((x & s[1]) ^ (x & s[2]) ^ (s[1] & s[2]));
    for (u32 j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += one;
    s[0] = one + two;
  }
  for (u32 k = 0; k < 8; ++k) GIVE(u32, __builtin_bswap32(h[k] + s[k]));
}
EACH(philox) {
  u32 x[4] = {a[0], a[1], a[2], a[3]}, key[2] = {a[4], a[5]};
  for (u32 k = 0; k < 10; ++k) {
    u64 p = (u64)x[0] * 0xd2511f53, q = (u64)x[2] * 0xcd9e8d57;
    u32 y[4] = {(u32)(q >> 32) ^ x[1] ^ key[0], (u32)q, (u32)(p >> 32) ^ x[3] ^ key[1], (u32)p};
    __builtin_memcpy(x, y, sizeof x);
    key[0] += 0x9e3779b9, key[1] += 0xbb67ae85;
  }
  for (u32 k = 0; k < 4; ++k) GIVE(u32, x[k]);
}
EACH(crc32) {
  u32 crc = ~0u;
  const u8 *bytes = (const u8 *)a;
  for (u32 k = 0; k < 50 + a[0] % 14; ++k) {
    crc ^= bytes[k];
    for (u32 bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  GIVE(u32, ~crc);
}
EACH(mandelbrot) {
  for (u32 k = 0; k < 4; ++k) {
    f32 x0 = (f32)(a[k] & 0x3ff) / 384 - 2, y0 = (f32)(a[k] >> 10 & 0x3ff) / 512 - 1, x = 0, y = 0;
    u32 n = 0;
    for (; n < 60 && x * x + y * y < 4; ++n) {
      f32 next = x * x - y * y + x0;
      y = 2 * x * y + y0, x = next;
    }
    GIVE(u32, n);
    GIVE_FLOAT(f32, x);
  }
}
#define DECOMPOSED(T) \
  EACH(lu_##T) { \
    T m[5][5]; \
    u32 order[5]; \
    for (u32 y = 0; y < 5; ++y) \
      for (u32 x = 0; x < 5; ++x) m[y][x] = (T)(i32)(a[y * 5 + x] % 2001) / 64 - 15; \
    for (u32 k = 0; k < 5; ++k) { \
      u32 best = k; \
      for (u32 y = k + 1; y < 5; ++y) \
        if ((m[y][k] < 0 ? -m[y][k] : m[y][k]) > (m[best][k] < 0 ? -m[best][k] : m[best][k])) best = y; \
      order[k] = best; \
      for (u32 x = 0; x < 5; ++x) { \
        T t = m[k][x]; \
        m[k][x] = m[best][x], m[best][x] = t; \
      } \
      for (u32 y = k + 1; y < 5; ++y) { \
        m[y][k] /= m[k][k]; \
        for (u32 x = k + 1; x < 5; ++x) m[y][x] -= m[y][k] * m[k][x]; \
      } \
    } \
    for (u32 y = 0; y < 5; ++y) \
      for (u32 x = 0; x < 5; ++x) GIVE_FLOAT(T, m[y][x]); \
    GIVE(u32, order[0] | order[1] << 4 | order[2] << 8 | order[3] << 12); \
  }
DECOMPOSED(f32)
DECOMPOSED(f64)
NOINLINE void quicksort(i32 *v, i32 low, i32 high) {
  if (low >= high) return;
  i32 pivot = v[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (v[i] < pivot) ++i;
    while (v[j] > pivot) --j;
    if (i <= j) {
      i32 t = v[i];
      v[i++] = v[j], v[j--] = t;
    }
  }
  quicksort(v, low, j);
  quicksort(v, i, high);
}
EACH(sorted) {
  i32 v[16];
  for (u32 k = 0; k < 16; ++k) v[k] = (i32)a[k] >> (a[0] & 7);
  quicksort(v, 0, 15);
  for (u32 k = 0; k < 16; ++k) GIVE(i32, v[k]);
}
EACH(search) { // of a pattern of three letters in a text of few
  const u8 *text = (const u8 *)a;
  u32 found = 0, first = 999;
  for (u32 k = 0; k + 3 <= 100; ++k) {
    u32 n = 0;
    while (n < 3 && (text[k + n] & 3) == (text[100 + n] & 3)) ++n;
    if (n == 3) {
      ++found;
      if (first == 999) first = k;
    }
  }
  GIVE(u32, found);
  GIVE(u32, first);
}
EACH(distance) { // of Levenshtein
  u8 row[17];
  const u8 *x = (const u8 *)a, *y = (const u8 *)(a + 8);
  for (u32 k = 0; k < 17; ++k) row[k] = (u8)k;
  for (u32 i = 1; i < 17; ++i) {
    u8 corner = row[0];
    row[0] = (u8)i;
    for (u32 j = 1; j < 17; ++j) {
      u8 above = row[j], cost = corner + ((x[i] & 3) != (y[j] & 3));
      u8 least = above < row[j - 1] ? above : row[j - 1];
      row[j] = cost < least + 1 ? cost : (u8)(least + 1);
      corner = above;
    }
  }
  GIVE(u32, row[16]);
}
EACH(powers) { // x^e mod m with 64-bit products in 128 bits
  u64 m = TAKE(u64, 0) | 1, x = TAKE(u64, 2) % m, e = a[4] & 0xffff, r = 1;
  for (; e; e >>= 1, x = (u64)((u128)x * x % m))
    if (e & 1) r = (u64)((u128)r * x % m);
  GIVE(u64, r);
}
EACH(greatest) {
  u64 x = TAKE(u64, 0) | 1, y = TAKE(u64, 2) | 1;
  while (y) {
    u64 t = x % y;
    x = y, y = t;
  }
  GIVE(u64, x);
}
EACH(big) { // eight words times eight
  u32 r[16];
  __builtin_memset(r, 0, sizeof r);
  for (u32 i = 0; i < 8; ++i) {
    u64 carry = 0;
    for (u32 j = 0; j < 8; ++j) {
      carry += (u64)a[i] * a[8 + j] + r[i + j];
      r[i + j] = (u32)carry;
      carry >>= 32;
    }
    r[i + 8] = (u32)carry;
  }
  for (u32 k = 0; k < 16; ++k) GIVE(u32, r[k]);
}
EACH(fourier) { // eight points, f64, by the sum
  static const f64 cosine[8] = {1, 0.7071067811865476, 0, -0.7071067811865476, -1, -0.7071067811865476, 0, 0.7071067811865476};
  for (u32 k = 0; k < 8; ++k) {
    f64 re = 0, im = 0;
    for (u32 n = 0; n < 8; ++n) {
      f64 x = (f64)(i32)a[n] / 65536;
      re += x * cosine[k * n & 7];
      im -= x * cosine[(k * n + 6) & 7];
    }
    GIVE(f64, re);
    GIVE(f64, im);
  }
}
EACH(utf8) {
  const u8 *p = (const u8 *)a, *end = p + 90;
  u32 hash = 0, count = 0;
  while (p < end) {
    u32 c0 = *p++, more = c0 < 0x80 ? 0 : c0 < 0xe0 ? 1 : c0 < 0xf0 ? 2 : 3, code = more ? c0 & (0x3f >> more) : c0;
    while (more-- && (*p & 0xc0) == 0x80) code = code << 6 | (*p++ & 0x3f);
    hash = hash * 65599 + code;
    ++count;
  }
  GIVE(u32, hash);
  GIVE(u32, count);
}
EACH(dates) { // days since 1970 to year, month and day, and back
  i64 days = (i32)a[0] >> 8;
  i64 z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
  u32 doe = (u32)(z - era * 146097), yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  u32 doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  GIVE(i32, (i32)(yoe + era * 400) + (mp >= 10));
  GIVE(u32, (mp < 10 ? mp + 3 : mp - 9) * 100 + doy - (153 * mp + 2) / 5 + 1);
}
