/* Buffers that are not what the plan says, and the values of those that are. */
#include "sample.h"

static Sample sample;

static void expect(XLA_FFI_Error_Code code, const char *text) {
  call_fail(&sample.call, flydsl_jax_cpu, EXECUTE, code, text);
}

static void succeed(void) {
  call_succeed(&sample.call, flydsl_jax_cpu, EXECUTE);
  sample_check_packed(&sample, sample.dims[0], sample.dims[1]);
}

static void instantiate(void) {
  if (sample.call.context.state) call_destroy(&sample.call, flydsl_jax_state_info());
  call_succeed(&sample.call, flydsl_jax_cpu, INSTANTIATE);
}

/* Write a number of the plan, and begin anew with it. */
static void set_plan(size_t offset, const void *value, size_t size) {
  memcpy(sample.plan + offset, value, size);
  instantiate();
}

static void set_number(size_t offset, uint32_t value) { set_plan(offset, &value, sizeof value); }

enum { TENSORS = 40, BITS = 12, ALIGN = 16, IS_NARROW = 20, EXTENTS = TENSORS + 2 * 24 };

static void shapes(void) {
  XLA_FFI_Buffer *input = &sample.call.buffers[0][0], *output = &sample.call.buffers[1][0];
  input->rank = 1;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "sample: input 0 has rank 1, and the code is for rank 2");
  input->rank = 2;
  output->dtype = XLA_FFI_DataType_F64;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "sample: output 0 has elements of 64 bits");
  output->dtype = XLA_FFI_DataType_TOKEN;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "sample: output 0 has elements of 0 bits (type 17 of XLA)");
  output->dtype = XLA_FFI_DataType_F32;
  sample.dims[0] = -2;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "has extent -2 of mode 0");
  sample.dims[0] = 3;
  const int64_t extent = 5;
  set_plan(EXTENTS + 3 * 8, &extent, sizeof extent);
  succeed();
  sample.dims[1] = 6;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "sample: output 0 has extent 6 of mode 1, and the code is for 5");
  sample.dims[1] = 5;
  sample.call.item_types[1][0] = 77;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "sample: output 0 is no buffer");
  sample.call.item_types[1][0] = XLA_FFI_RetType_BUFFER;
  sample.call.frame.rets.size = 2;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "the call has 1 inputs and 2 outputs, and its plan 1 and 1");
  sample.call.frame.rets.size = 1;
  const int64_t open = -1;
  set_plan(EXTENTS + 3 * 8, &open, sizeof open);
  succeed();
}

static void addresses(void) {
  XLA_FFI_Buffer *input = &sample.call.buffers[0][0];
  char *address = input->data;
  input->data = address + 2;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "which is not a multiple of the 4 bytes that the code assumes");
  input->data = NULL;
  expect(XLA_FFI_Error_Code_INTERNAL, "sample: input 0 is at a null address");
  sample.dims[1] = 0; /* no elements, so no address, and strides as if there were one */
  call_succeed(&sample.call, flydsl_jax_cpu, EXECUTE);
  int64_t stride;
  memcpy(&stride, fake_last()->packed + 16, 8);
  CHECK(stride == 1);
  sample.dims[1] = 5;
  input->data = address;
  set_number(TENSORS + ALIGN, 1 << 20);
  input->data = (void *)(UINT64_C(7) << 20);
  call_succeed(&sample.call, flydsl_jax_cpu, EXECUTE);
  input->data = (char *)input->data + 64;
  expect(XLA_FFI_Error_Code_INVALID_ARGUMENT, "not a multiple of the 1048576 bytes");
  input->data = address;
  set_number(TENSORS + ALIGN, 4);
}

static void sizes(void) {
  sample.dims[0] = (1 << 30) - 1, sample.dims[1] = 1;
  succeed();
  sample.dims[0] = 1 << 30;
  expect(XLA_FFI_Error_Code_OUT_OF_RANGE, "sample: input 0 has 1073741824 elements of 32 bits");
  sample.dims[0] = 1 << 15, sample.dims[1] = 1 << 15;
  expect(XLA_FFI_Error_Code_OUT_OF_RANGE, "32-bit indices");
  sample.dims[0] = 0, sample.dims[1] = 1 << 30; /* an empty mode does not make the others small */
  expect(XLA_FFI_Error_Code_OUT_OF_RANGE, "32-bit indices");
  sample.dims[0] = INT64_C(1) << 40, sample.dims[1] = INT64_C(1) << 40;
  expect(XLA_FFI_Error_Code_OUT_OF_RANGE, "more than 9223372036854775807 elements");
  sample.dims[0] = INT64_C(1) << 31, sample.dims[1] = INT64_C(1) << 31;
  expect(XLA_FFI_Error_Code_OUT_OF_RANGE, "more than 9223372036854775807 bits");
  set_number(TENSORS + IS_NARROW, 0);
  set_number(TENSORS + 24 + IS_NARROW, 0);
  sample.dims[0] = INT64_C(1) << 31, sample.dims[1] = 2;
  expect(XLA_FFI_Error_Code_OUT_OF_RANGE, "sample: input 0 has extent 2147483648 of mode 0, which does not fit");
  sample.dims[0] = INT32_MAX;
  succeed();
  set_number(TENSORS + IS_NARROW, 1);
  set_number(TENSORS + BITS, 64);
  sample.call.buffers[0][0].dtype = XLA_FFI_DataType_F64;
  sample.dims[0] = (1 << 29) - 1, sample.dims[1] = 1;
  succeed();
  sample.dims[0] = 1 << 29;
  expect(XLA_FFI_Error_Code_OUT_OF_RANGE, "sample: input 0 has 536870912 elements of 64 bits");
}

void buffers(void) {
  use_fake_runtime();
  sample_init(&sample, 3);
  instantiate();
  succeed();
  shapes();
  addresses();
  sizes();
  call_destroy(&sample.call, flydsl_jax_state_info());
}
