/* Sixteen threads make, prepare, run and end call sites of the same launchers on the same devices. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "sample.h"

enum { THREADS = 16, ROUNDS = 50, KEYS = 8 };

static pthread_barrier_t start;

static int32_t provide_runtime(int32_t platform, char *text, uint64_t size) {
  return flydsl_jax_set_runtime(platform, &fake_table, fake_describe, text, size);
}

static void *run(void *argument) {
  const int number = *(const int *)argument;
  static XLA_FFI_Handler *const handlers[] = {flydsl_jax_cpu, flydsl_jax_rocm, flydsl_jax_cuda};
  pthread_barrier_wait(&start);
  for (int round = 0; round < ROUNDS; ++round) {
    XLA_FFI_Handler *handler = handlers[(number + round) % 3];
    Sample sample;
    char key[sizeof KEY];
    sample_init(&sample, 2 + round % 2);
    memcpy(key, KEY, sizeof key);
    key[63] = (char)('0' + (number + round) % KEYS); /* all in one bucket */
    sample.call.strings[0].ptr = key;
    call_succeed(&sample.call, handler, INSTANTIATE);
    for (int times = 0; times < 4; ++times) {
      sample.call.context.ordinal = (number + times) % FAKE_DEVICES;
      sample.dims[0] = 1 + number, sample.dims[1] = 1 + round;
      if (times % 2) call_succeed(&sample.call, handler, PREPARE); /* a graph may have been recorded without */
      call_succeed(&sample.call, handler, EXECUTE);
      sample_check_packed(&sample, 1 + number, 1 + round);
    }
    call_destroy(&sample.call, flydsl_jax_state_info());
  }
  return NULL;
}

void threads(void) {
  pthread_t running[THREADS];
  int numbers[THREADS];
  flydsl_jax_set_providers(provide_runtime, NULL);
  fake_runtime.load_milliseconds = 2;
  CHECK(!pthread_barrier_init(&start, NULL, THREADS));
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    CHECK(!pthread_create(&running[i], NULL, run, &numbers[i]));
  }
  for (int i = 0; i < THREADS; ++i) CHECK(!pthread_join(running[i], NULL));
  const FlydslJaxCounts found = counts();
  CHECK(found.instantiated == THREADS * ROUNDS && found.destroyed == THREADS * ROUNDS);
  CHECK(found.opened == 3 * KEYS && found.loaded == KEYS * (1 + 2 * FAKE_DEVICES));
}
