/* Words of what is read of a call. */
#ifndef FLY_READER_READINGS_H
#define FLY_READER_READINGS_H

#include <string.h>

#include "arguments.h"

static inline Outcome add_word(Reading *reading, uint64_t word) {
  if (reading->count == MOST_WORDS) return DOUBT;
  reading->words[reading->count++] = word;
  return READ;
}

static inline Outcome add_words(Reading *reading, const void *from, uint32_t count) {
  if (count > MOST_WORDS - reading->count) return DOUBT;
  if (count) memcpy(reading->words + reading->count, from, count * sizeof(uint64_t));
  reading->count += count;
  return READ;
}

/* The address of an object among the words; whoever keeps the words keeps the object. */
static inline Outcome add_identity(Reading *reading, PyObject *object, PyObject *identities) {
  if (identities && PyList_Append(identities, object)) return FAILED;
  return add_word(reading, (uint64_t)(uintptr_t)object);
}

#endif
