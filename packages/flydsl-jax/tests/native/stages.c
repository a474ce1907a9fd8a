/* Each stage of a call, with frameworks of every version and with errors injected. */
#include "sample.h"

static const struct {
  XLA_FFI_Handler *handler;
  Platform platform;
  bool is_recordable;
} handlers[] = {
    {flydsl_jax_cpu, PLATFORM_CPU, false},           {flydsl_jax_rocm, PLATFORM_ROCM, true},
    {flydsl_jax_cuda, PLATFORM_CUDA, true},          {flydsl_jax_rocm_nograph, PLATFORM_ROCM, false},
    {flydsl_jax_cuda_nograph, PLATFORM_CUDA, false},
};
enum { HANDLERS = sizeof handlers / sizeof *handlers };

void metadata(void) {
  use_fake_runtime();
  for (int i = 0; i < HANDLERS; ++i)
    for (int minor = 1; minor <= 5; ++minor) {
      const XLA_FFI_Metadata found = call_metadata(handlers[i].handler, minor);
      CHECK(found.api_version.major_version == 0 && found.api_version.minor_version == (minor < 3 ? minor : 3));
      CHECK(found.traits == (handlers[i].is_recordable ? XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE : 0u));
      CHECK(found.state_type_id.type_id == (minor < 2 ? -7 : 10 + (int)handlers[i].platform));
    }
}

/* Every handler with frameworks of both known versions, and of one to come. */
void stages(void) {
  static char streams[4];
  use_fake_runtime();
  const FlydslJaxCounts before = counts();
  for (int i = 0; i < HANDLERS; ++i)
    for (int minor = 2; minor <= 4; ++minor) {
      Sample sample;
      sample_init(&sample, minor);
      Call *call = &sample.call;
      const bool is_gpu = handlers[i].platform != PLATFORM_CPU;
      call_succeed(call, handlers[i].handler, INSTANTIATE);
      for (int ordinal = 0; ordinal < 4; ++ordinal) {
        const int device = is_gpu ? ordinal : 0;
        call->context.ordinal = ordinal;
        call->context.stream = &streams[ordinal];
        const int loads = fake_runtime.loads[device], launches = fake_runtime.launches[device];
        if (is_gpu)
          for (int times = 0; times < 2; ++times) call_succeed(call, handlers[i].handler, PREPARE);
        call_succeed(call, handlers[i].handler, INITIALIZE);
        CHECK(fake_runtime.loads[device] - loads == (is_gpu && minor == 2 && handlers[i].is_recordable));
        CHECK(fake_runtime.launches[device] == launches);
        sample.dims[0] = 3 + ordinal;
        call_succeed(call, handlers[i].handler, EXECUTE);
        CHECK(fake_runtime.launches[device] == launches + 1 && fake_last()->ordinal == device);
        CHECK(fake_last()->stream == (is_gpu ? &streams[ordinal] : NULL));
        sample_check_packed(&sample, 3 + ordinal, 5);
      }
      call_destroy(call, flydsl_jax_state_info());
    }
  const FlydslJaxCounts after = counts();
  CHECK(after.instantiated - before.instantiated == HANDLERS * 3 && after.destroyed - before.destroyed == HANDLERS * 3);
  CHECK(after.opened - before.opened == PLATFORMS && after.loaded - before.loaded == 1 + 2 * 4);
}

static void expect_state_error(Sample *sample, const char *failing, XLA_FFI_ExecutionStage stage) {
  sample->call.context.failing = failing;
  call_fail(&sample->call, flydsl_jax_rocm, stage, XLA_FFI_Error_Code_ABORTED, failing);
  sample->call.context.failing = NULL;
}

/* Errors of XLA and of the runtime, in each stage; each time the call succeeds afterwards. */
void errors(void) {
  use_fake_runtime();
  Sample sample;
  sample_init(&sample, 3);
  Call *call = &sample.call;
  call->context.ordinal = 2;
  call_fail(call, flydsl_jax_rocm, EXECUTE, XLA_FFI_Error_Code_NOT_FOUND, "the state is not set");
  expect_state_error(&sample, "State_Set", INSTANTIATE);
  call_succeed(call, flydsl_jax_rocm, INSTANTIATE);
  for (XLA_FFI_ExecutionStage stage = PREPARE; stage <= EXECUTE; ++stage) {
    expect_state_error(&sample, "State_Get", stage);
    expect_state_error(&sample, "DeviceOrdinal_Get", stage);
  }
  expect_state_error(&sample, "Stream_Get", EXECUTE);
  fake_runtime.failing_load = 41;
  for (XLA_FFI_ExecutionStage stage = PREPARE; stage <= EXECUTE; ++stage)
    call_fail(call, flydsl_jax_rocm, stage, XLA_FFI_Error_Code_INTERNAL,
              "sample: loading the code failed with code 41: kernel 'fake_kernel': reason 41");
  fake_runtime.failing_load = 0;
  call_succeed(call, flydsl_jax_rocm, PREPARE);
  fake_runtime.failing_launch = 7;
  call_fail(call, flydsl_jax_rocm, EXECUTE, XLA_FFI_Error_Code_INTERNAL,
            "sample: the launch failed with code 7: kernel 'fake_kernel': reason 7");
  flydsl_jax_forget_python();
  call_fail(call, flydsl_jax_rocm, EXECUTE, XLA_FFI_Error_Code_INTERNAL, "sample: the launch failed with code 7");
  fake_runtime.failing_launch = 0;
  call_succeed(call, flydsl_jax_rocm, EXECUTE);
  for (int bad = 0; bad < 2; ++bad) {
    call->context.ordinal = bad ? 128 : -1;
    call_fail(call, flydsl_jax_rocm, PREPARE, XLA_FFI_Error_Code_OUT_OF_RANGE, "is not one of the first 128");
  }
  call_fail(call, flydsl_jax_rocm, (XLA_FFI_ExecutionStage)9, XLA_FFI_Error_Code_UNIMPLEMENTED, "stage 9");
  call_destroy(call, flydsl_jax_state_info());
  CHECK(counts().instantiated == 1 && counts().destroyed == 1);
}
