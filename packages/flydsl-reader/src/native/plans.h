/* Plans by the words that were read of a call: only ever added, so that readers need no lock and no plan ends early. */
#ifndef FLY_READER_PLANS_H
#define FLY_READER_PLANS_H

#include "arguments.h"

#include <stdatomic.h>

#define MOST_PLANS 4096
#define MOST_BYTES 4096
#define BUCKETS 256

/* `fly_launch_packed` of a launcher, as fly_abi.h has it. */
typedef int32_t (*LaunchPacked)(const void *table, void *module, int32_t ordinal, void *stream, const void *packed);

/* What launches calls of which the same words were read. The words and the packed arguments, with zeros where values
 * of a call go, follow in memory. */
typedef struct Plan {
  struct Plan *next;
  uint64_t hash;
  PyObject *kept; /* what the pointers belong to, and the objects whose addresses are among the words */
  LaunchPacked launch;
  void *table, *module;
  PyObject *device; /* what is asked for its current stream; null: none is */
  int32_t device_kind, device_ordinal; /* the same as numbers of DLPack, where an exchange API is asked */
  int32_t ordinal;
  uint32_t count, size;
  uint16_t offsets[MOST_ARGUMENTS]; /* of the 8 bytes of an argument in the packed ones */
  uint64_t masks[MOST_ARGUMENTS]; /* bits that are zero in a tensor's address */
  uint64_t words[];
} Plan;

typedef struct Plans {
  _Atomic(Plan *) buckets[BUCKETS];
  atomic_uint count;
} Plans;

static inline uint64_t reading_hash(const Reading *reading) {
  uint64_t hash = reading->count;
  for (uint32_t i = 0; i < reading->count; i++) {
    hash = (hash ^ reading->words[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return hash;
}

static inline const unsigned char *plan_template(const Plan *plan) {
  return (const unsigned char *)(plan->words + plan->count);
}

/* The plan for what was read, or null. */
const Plan *plans_find(const Plans *plans, const Reading *reading, uint64_t hash);

/* A plan for what was read, with room for `size` bytes of packed arguments; null without memory. */
Plan *plan_new(const Reading *reading, uint32_t size);

void plans_add(Plans *plans, Plan *plan);

int plans_traverse(const Plans *plans, visitproc visit, void *arg);

/* Forget all plans; no call may be running. */
void plans_free(Plans *plans);

#endif
