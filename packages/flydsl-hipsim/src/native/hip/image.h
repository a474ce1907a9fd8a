// Bytes of a module in, the code object for one chip among them out.
#pragma once
#include <cstdint>

namespace hipsim {

struct Chip;

struct Image {
  const char *bytes;
  uint64_t size;
};

// Fails when the bytes are neither an ELF code object nor a bundle, or hold none for the chip.
Image select_image(const void *bytes, const Chip &chip);

} // namespace hipsim
