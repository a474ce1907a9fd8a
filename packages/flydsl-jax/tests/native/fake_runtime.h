/* A device runtime that keeps what it was asked for. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include <fly_abi.h>
#include <stdatomic.h>

enum { FAKE_PACKED = 64, FAKE_DEVICES = 8 };

typedef struct FakeRuntime {
  atomic_int loads[FAKE_DEVICES], launches[FAKE_DEVICES];
  atomic_int failing_load, failing_launch; /* codes */
  atomic_int load_milliseconds;            /* so long that other threads ask for the same */
} FakeRuntime;

/* The last launch of this thread. */
typedef struct FakeLaunch {
  int32_t ordinal;
  void *stream;
  unsigned char packed[FAKE_PACKED];
} FakeLaunch;

extern FakeRuntime fake_runtime;
extern const FlyRuntimeApi fake_table;
const FakeLaunch *fake_last(void);
int32_t fake_describe(int32_t code, char *text, uint64_t size);

#endif
