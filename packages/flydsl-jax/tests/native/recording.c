/* What a graph of the device may record: one launch for each call, on the stream that is given, and nothing else. */
#include "sample.h"

/* The functions of XLA that a call may use when it runs; all others, such as those that allocate, end the program. */
static void use_recording_api(XLA_FFI_Api *api) {
  const XLA_FFI_Api all = *api;
  memset(api, 0, sizeof *api);
  api->struct_size = all.struct_size;
  api->api_version = all.api_version;
  api->XLA_FFI_Error_Create = all.XLA_FFI_Error_Create;
  api->XLA_FFI_State_Get = all.XLA_FFI_State_Get;
  api->XLA_FFI_Stream_Get = all.XLA_FFI_Stream_Get;
  api->XLA_FFI_DeviceOrdinal_Get = all.XLA_FFI_DeviceOrdinal_Get;
}

static void record(XLA_FFI_Handler *handler, int minor) {
  static char streams[3];
  Sample sample;
  sample_init(&sample, minor);
  Call *call = &sample.call;
  call->context.ordinal = 1;
  call_succeed(call, handler, INSTANTIATE);
  call_succeed(call, handler, PREPARE);
  use_recording_api(&call->api);
  const int loads = fake_runtime.loads[1];
  for (int times = 0; times < 3; ++times) {
    const int launches = fake_runtime.launches[1];
    call->context.stream = &streams[times]; /* another than that of the stages before, as while recording */
    call_succeed(call, handler, EXECUTE);
    CHECK(fake_runtime.launches[1] == launches + 1 && fake_last()->stream == &streams[times]);
    sample_check_packed(&sample, 3, 5);
  }
  CHECK(fake_runtime.loads[1] == loads);
  call_destroy(call, flydsl_jax_state_info());
}

void recording(void) {
  use_fake_runtime();
  XLA_FFI_Handler *const handlers[] = {flydsl_jax_rocm, flydsl_jax_cuda};
  for (int i = 0; i < 2; ++i)
    for (int minor = 2; minor <= 4; ++minor) {
      CHECK(call_metadata(handlers[i], minor).traits == XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);
      record(handlers[i], minor);
    }
}

/* The sample with the value of a second input behind what it packs: 4 bytes, or the 8 bytes of two words. */
static void add_value(Sample *sample, uint32_t *words, uint32_t count) {
  static int64_t dims[1] = {2};
  unsigned char made[512];
  const uint32_t tensor[6] = {0, 1, count == 2, 32, 4, 0}, field[5] = {40, 4 * count, 3, 2, 0};
  const size_t tensors = 40, extents = tensors + 48, fields = extents + 32, rest = fields + 100;
  uint32_t header[10];
  size_t size = 0;
  const struct {
    const void *bytes;
    size_t size;
  } parts[] = {{sample->plan, extents},
               {tensor, sizeof tensor},
               {sample->plan + extents, 32},
               {&dims[0], count == 2 ? 8 : 0},
               {sample->plan + fields, 100},
               {field, sizeof field},
               {sample->plan + rest, sample->plan_size - rest}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; size += parts[i++].size)
    if (parts[i].size) memcpy(made + size, parts[i].bytes, parts[i].size);
  memcpy(header, made, sizeof header);
  header[2] = (uint32_t)size, header[3] = 2, header[5] = 3, header[6] = 6;
  memcpy(made, header, sizeof header);
  memcpy(sample->plan, made, size);
  sample->plan_size = size;
  sample->call.strings[2] = (XLA_FFI_ByteSpan){(const char *)sample->plan, size};
  call_add_buffer(&sample->call, false, XLA_FFI_DataType_U32, words, count == 2, dims);
}

void values(void) {
  use_fake_runtime();
  for (uint32_t count = 1; count <= 2; ++count) {
    Sample sample;
    uint32_t words[2] = {0x01020304, 0x05060708};
    sample_init(&sample, 3);
    add_value(&sample, words, count);
    call_fail(&sample.call, flydsl_jax_cuda, INSTANTIATE, XLA_FFI_Error_Code_INVALID_ARGUMENT,
              "numbers that a launch on platform cuda cannot read");
    call_succeed(&sample.call, flydsl_jax_cpu, INSTANTIATE);
    for (int times = 0; times < 2; ++times, ++words[0]) {
      call_succeed(&sample.call, flydsl_jax_cpu, EXECUTE);
      CHECK(!memcmp(fake_last()->packed + 40, words, 4 * count));
    }
    sample.call.buffers[0][1].dtype = XLA_FFI_DataType_F64;
    call_fail(&sample.call, flydsl_jax_cpu, EXECUTE, XLA_FFI_Error_Code_INVALID_ARGUMENT, "elements of 64 bits");
    call_destroy(&sample.call, flydsl_jax_state_info());
  }
}
