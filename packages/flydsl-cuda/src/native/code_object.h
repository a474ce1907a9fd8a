/* The parts of a code object of flydsl_cuda.code_object: machine code, PTX, and what launches of its kernels need. */
#ifndef FLYCUDA_CODE_OBJECT_H
#define FLYCUDA_CODE_OBJECT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The parts of an image that are behind its machine code (flydsl_cuda.code_object); null where there are none. */
typedef struct Parts { const char *ptx, *needs, *facts; } Parts;

static Parts parts_of(const char *image, uint64_t size) {
  struct {
    uint64_t text, needs, facts;
    char magic[8];
  } footer;
  const Parts none = {NULL, NULL, NULL};
  if (size <= sizeof footer) return none;
  memcpy(&footer, image + size - sizeof footer, sizeof footer);
  const uint64_t left = size - sizeof footer;
  if (memcmp(footer.magic, "FLYPTX\0\2", 8) != 0 || footer.text > left || footer.needs > left - footer.text ||
      footer.facts > left - footer.text - footer.needs)
    return none;
  const char *facts = image + (left - footer.facts);
  const char *needs = facts - footer.needs;
  return (Parts){needs - footer.text, needs, facts};
}

/* The shared memory of its own that a kernel has in the dynamic block. */
static int64_t own_bytes(const char *name, Parts parts) {
  const char *at = parts.needs;
  while (at && at < parts.facts) {
    uint64_t bytes;
    if (parts.facts - at <= (ptrdiff_t)sizeof bytes) break;
    memcpy(&bytes, at, sizeof bytes);
    at += sizeof bytes;
    const size_t length = strnlen(at, (size_t)(parts.facts - at));
    if (length == strlen(name) && memcmp(at, name, length) == 0) return (int64_t)bytes;
    at += length + 1;
  }
  return 0;
}

#endif
