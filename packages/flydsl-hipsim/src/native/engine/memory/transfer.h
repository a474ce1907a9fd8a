// One lane's bytes between memory and registers, in each of the forms that loads and stores have.
#pragma once
#include "engine/core/access.h"

namespace flysim {

// Bytes in memory; whether the upper half of the register is the one that is written or read (d16_hi).
template <int Bytes, bool Sign = false, bool D16 = false, bool High = false> struct Form {
  static constexpr int bytes = Bytes, words = (Bytes + 3) / 4;

  static void load(const uint8_t *from, uint32_t *to) { // `to` is the lane's word of the first row
    if constexpr (Bytes >= 4) {
      uint32_t values[words];
      std::memcpy(values, from, Bytes);
      for (int k = 0; k < words; ++k) to[k * kLanes] = values[k];
    } else {
      uint32_t value = 0;
      std::memcpy(&value, from, Bytes);
      if constexpr (Sign) value = uint32_t(int32_t(value << (32 - 8 * Bytes)) >> (32 - 8 * Bytes));
      if constexpr (D16) value = High ? (*to & 0xffff) | value << 16 : (*to & 0xffff0000u) | (value & 0xffff);
      *to = value;
    }
  }
  static void store(uint8_t *to, const uint32_t *from) {
    if constexpr (Bytes >= 4) {
      uint32_t values[words];
      for (int k = 0; k < words; ++k) values[k] = from[k * kLanes];
      std::memcpy(to, values, Bytes);
    } else {
      const uint32_t value = High ? *from >> 16 : *from;
      std::memcpy(to, &value, Bytes);
    }
  }
};

using Byte = Form<1>;
using SignedByte = Form<1, true>;
using Short = Form<2>;
using SignedShort = Form<2, true>;
using ByteD16 = Form<1, false, true>;
using ByteD16High = Form<1, false, true, true>;
using SignedByteD16 = Form<1, true, true>;
using SignedByteD16High = Form<1, true, true, true>;
using ShortD16 = Form<2, false, true>;
using ShortD16High = Form<2, false, true, true>;

// ---- all lanes of a wave whose places have been checked: `place(l)` is lane l's; stores are in order of lanes ----
using Quad [[gnu::vector_size(16)]] = uint32_t;

template <int Bytes> inline Quad
read_quad(const uint8_t *from) { // in registers: a part of a word in memory would have to wait
  using Halves [[gnu::vector_size(16)]] = uint64_t;
  Halves halves{};
  if constexpr (Bytes == 16) std::memcpy(&halves, from, 16);
  else {
    uint64_t low, high = 0;
    std::memcpy(&low, from, 8);
    if constexpr (Bytes == 12) std::memcpy(&high, from + 8, 4);
    halves = Halves{low, high};
  }
  return Quad(halves);
}
// `Words` of them from `First` on.
template <int Words, int First> inline void write_words(uint8_t *to, Quad quad) {
  using Halves [[gnu::vector_size(16)]] = uint64_t;
  if constexpr (Words == 1) {
    const uint32_t word = quad[First];
    std::memcpy(to, &word, 4);
  } else {
    const uint64_t half = Halves(quad)[First / 2];
    std::memcpy(to, &half, 8);
  }
}
inline void transpose(Quad *q) {
  const Quad a = __builtin_shufflevector(q[0], q[1], 0, 4, 1, 5), b = __builtin_shufflevector(q[2], q[3], 0, 4, 1, 5);
  const Quad c = __builtin_shufflevector(q[0], q[1], 2, 6, 3, 7), d = __builtin_shufflevector(q[2], q[3], 2, 6, 3, 7);
  q[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5), q[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  q[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5), q[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

template <class F, class Place> inline void load_all(Place place, uint32_t *to, int lanes) {
  if constexpr (F::bytes <= 4) {
    for (int l = 0; l < lanes; ++l) F::load(place(l), to + l);
    return;
  }
  for (int l = 0; l < lanes; l += 4) {
    Quad q[4];
    for (int k = 0; k < 4; ++k) q[k] = read_quad<F::bytes>(place(l + k));
    transpose(q);
    for (int k = 0; k < F::words; ++k) std::memcpy(to + l + k * kLanes, q + k, sizeof(Quad));
  }
}
template <class F, class Place> inline void store_all(Place place, const uint32_t *from, int lanes) {
  if constexpr (F::bytes <= 4) {
    for (int l = 0; l < lanes; ++l) F::store(place(l), from + l);
    return;
  }
  for (int l = 0; l < lanes; l += 4) {
    Quad q[4] = {};
    for (int k = 0; k < F::words; ++k) std::memcpy(q + k, from + l + k * kLanes, sizeof(Quad));
    transpose(q);
    for (int k = 0; k < 4; ++k) std::memcpy(place(l + k), q + k, F::bytes);
  }
}
// Two values of four or eight bytes, lane by lane: the places of two lanes may be the same.
template <class F, class First, class Second>
inline void store_both(First first, Second second, const uint32_t *a, const uint32_t *b, int lanes) {
  for (int l = 0; l < lanes; l += 4) {
    Quad q[4] = {};
    for (int k = 0; k < F::words; ++k) {
      std::memcpy(q + k, a + l + k * kLanes, sizeof(Quad));
      std::memcpy(q + F::words + k, b + l + k * kLanes, sizeof(Quad));
    }
    transpose(q);
    for (int k = 0; k < 4; ++k) {
      write_words<F::words, 0>(first(l + k), q[k]);
      write_words<F::words, F::words>(second(l + k), q[k]);
    }
  }
}
// The same for lanes one after the other in memory.
template <class F> inline void load_run(const uint8_t *from, uint32_t *to, int lanes) {
  if constexpr (F::bytes == 4)
    by_width(lanes, [=](auto count) { copy_words<count>(to, reinterpret_cast<const uint32_t *>(from)); });
  else load_all<F>([=](int l) { return from + l * F::bytes; }, to, lanes);
}
template <class F> inline void store_run(uint8_t *to, const uint32_t *from, int lanes) {
  if constexpr (F::bytes == 4)
    by_width(lanes, [=](auto count) { copy_words<count>(reinterpret_cast<uint32_t *>(to), from); });
  else store_all<F>([=](int l) { return to + l * F::bytes; }, from, lanes);
}
// Whether lane l has `row[0] + l * bytes`, modulo 2^32.
inline bool is_run(const uint32_t *row, uint32_t bytes, int lanes) {
  return by_width(lanes, [=](auto count) {
    uint32_t differences = 0;
    for (int l = 0; l < count; ++l) differences |= row[l] - row[0] - uint32_t(l) * bytes;
    return !differences;
  });
}
// The largest of the lanes' `row[l] + offset`, modulo 2^32.
inline uint32_t largest_sum(const uint32_t *row, uint32_t offset, int lanes) {
  return by_width(lanes, [=](auto count) {
    uint32_t top = 0;
    for (int l = 0; l < count; ++l) top = row[l] + offset > top ? row[l] + offset : top;
    return top;
  });
}

} // namespace flysim
