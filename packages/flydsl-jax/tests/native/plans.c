/* Plans with random changes: each is read or refused, and a call with one that was read packs within its bounds. */
#include "sample.h"

enum { TRIES = 50000 };

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t draw(uint32_t below) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(state >> 32) % below;
}

static void change(unsigned char *bytes, size_t size) {
  static const uint32_t numbers[] = {0, 1, 2, 4, 8, 64, 65, 0x4000, 0x4001, 0x7fffffff, 0x80000000, 0xffffffff};
  if (draw(2)) {
    memcpy(bytes + draw((uint32_t)size / 4) * 4, &numbers[draw(sizeof numbers / sizeof *numbers)], 4);
    return;
  }
  bytes[draw((uint32_t)size)] = (unsigned char)draw(256);
}

/* A plan that was read is run with buffers that are as often right as not. */
static void run(Sample *sample) {
  int64_t dims[8];
  for (int i = 0; i < 8; ++i) dims[i] = draw(8) ? draw(9) : (int64_t)state;
  for (int i = 0; i < 2; ++i) {
    XLA_FFI_Buffer *buffer = &sample->call.buffers[i][0];
    buffer->rank = draw(4) ? 2 : draw(8);
    buffer->dims = dims;
    buffer->dtype = draw(4) ? XLA_FFI_DataType_F32 : (XLA_FFI_DataType)draw(40);
  }
  free(call_run(&sample->call, flydsl_jax_cpu, EXECUTE));
}

void plans(void) {
  use_fake_runtime();
  int accepted = 0;
  for (int i = 0; i < TRIES; ++i) {
    Sample sample;
    char text[256];
    sample_init(&sample, 3);
    const size_t size = draw(8) ? sample.plan_size : draw((uint32_t)sample.plan_size);
    unsigned char *plan = malloc(size ? size : 1); /* of its exact size, for the address sanitizer */
    CHECK(plan);
    memcpy(plan, sample.plan, size);
    if (size >= 12 && draw(2)) memcpy(plan + 8, &(uint32_t){(uint32_t)size}, 4);
    for (uint32_t changes = draw(5); size >= 4 && changes; --changes) change(plan, size);
    sample.call.strings[2] = (XLA_FFI_ByteSpan){(const char *)plan, size};
    XLA_FFI_Error *error = call_run(&sample.call, flydsl_jax_cpu, INSTANTIATE);
    CHECK(!error == !flydsl_jax_check_plan(plan, size, text, sizeof text));
    CHECK(!error || error->code == XLA_FFI_Error_Code_INVALID_ARGUMENT);
    free(error);
    free(plan);
    if (!sample.call.context.state) continue;
    ++accepted;
    for (int times = 0; times < 4; ++times) run(&sample);
    call_destroy(&sample.call, flydsl_jax_state_info());
  }
  CHECK(accepted > TRIES / 20 && accepted < TRIES * 19 / 20);
}
