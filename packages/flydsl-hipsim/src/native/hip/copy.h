// Copies and fills: checked at the call, done by an operation of a stream.
#pragma once
#include <cstddef>
#include <cstdint>

#include "stream.h"

namespace hipsim {

// `height` rows of `width` bytes; the pitches are the distances of rows.
struct CopyShape {
  void *to;
  const void *from;
  size_t width, height, to_pitch, from_pitch;
};

struct SetShape {
  void *to;
  size_t pitch, width /* bytes */, height;
};

// What does it, after checks of both sides.
Run prepare_copy(const CopyShape &shape, CopyKind kind);
Run prepare_set(const SetShape &shape, uint32_t value, size_t element_size);

} // namespace hipsim
