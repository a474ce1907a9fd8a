// Buffer resources: where the four words have the base, the number of records and the stride.
#pragma once
#include "module.h"
#include "wave.h"

namespace flysim {

struct Resource {
  uint64_t base, records;
  uint32_t stride;
};

// gfx1250 has 57 bits of base, 45 of records, six of zeros and then the stride; the others 48, 32 and the stride behind
// the base.
inline Resource resource_of(const Wave &w, const uint32_t *word) {
  if (w.group->program->gfx1250)
    return {word[0] | uint64_t(word[1] & 0x1ffffff) << 32,
            word[1] >> 25 | uint64_t(word[2]) << 7 | uint64_t(word[3] & 63) << 39, word[3] >> 12 & 0x3fff};
  return {word[0] | uint64_t(word[1] & 0xffff) << 32, word[2], word[1] >> 16 & 0x3fff};
}

} // namespace flysim
