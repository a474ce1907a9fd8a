/* What the scenarios share: the launcher, a call to drive handlers with, and the scenarios themselves. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "api.h"
#include "fake_runtime.h"
#include "fake_xla.h"

#define INSTANTIATE XLA_FFI_ExecutionStage_INSTANTIATE
#define PREPARE XLA_FFI_ExecutionStage_PREPARE
#define INITIALIZE XLA_FFI_ExecutionStage_INITIALIZE
#define EXECUTE XLA_FFI_ExecutionStage_EXECUTE

extern const char KEY[65];
extern char *image; /* the launcher's shared object */
extern size_t image_size;

/* A call of a kernel that reads a 2-d input and writes a 2-d output, with open extents. */
typedef struct Sample {
  Call call;
  int64_t dims[2];
  float data[2][64];
  unsigned char plan[512];
  size_t plan_size;
} Sample;

void sample_init(Sample *sample, int minor);
/* The packed arguments of the last launch are those of a call with this shape. */
void sample_check_packed(const Sample *sample, int64_t rows, int64_t columns);

/* The plan of a sample, written by hand as flydsl/jax/plan.py writes one; its size. The packed arguments are: address,
 * two extents of 32 bits, a stride; address; eight bytes 0xab, and zeros up to 64. */
size_t plan_bytes(unsigned char *bytes);

void use_fake_runtime(void);
FlydslJaxCounts counts(void);

void metadata(void), stages(void), errors(void), lookup(void), no_runtime(void), buffers(void), threads(void),
    plans(void), recording(void), values(void);

#endif
