// One lane's bytes between memory and registers, in each of the forms that loads and stores have.
#pragma once
#include "access.h"

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


} // namespace flysim
