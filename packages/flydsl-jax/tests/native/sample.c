/* The sample call. */
#include "sample.h"

const char KEY[65] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
char *image;
size_t image_size;

size_t plan_bytes(unsigned char *bytes) {
  static const uint32_t tensors[2][6] = {{0, 0, 2, 32, 4, 1}, {1, 0, 2, 32, 4, 1}};
  static const int64_t extents[4] = {-1, -1, -1, -1};
  static const uint32_t fields[5][5] = {
      {0, 8, 0, 0, 0}, {8, 4, 1, 0, 0}, {12, 4, 1, 0, 1}, {16, 8, 2, 0, 0}, {24, 8, 0, 1, 0}};
  static const char name[6] = {'s', 'a', 'm', 'p', 'l', 'e'};
  unsigned char packed[64] = {0};
  memset(packed, 0xff, 32);
  memset(packed + 32, 0xab, 8);
  uint32_t header[10] = {0, 1, 0, 1, 1, 2, 5, sizeof packed, sizeof name, 0};
  memcpy(header, "FLYP", 4);
  header[2] = sizeof header + sizeof tensors + sizeof extents + sizeof fields + sizeof packed + sizeof name;
  const struct {
    const void *bytes;
    size_t size;
  } parts[] = {{header, sizeof header}, {tensors, sizeof tensors}, {extents, sizeof extents},
               {fields, sizeof fields}, {packed, sizeof packed},   {name, sizeof name}};
  size_t size = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; size += parts[i++].size)
    memcpy(bytes + size, parts[i].bytes, parts[i].size);
  return size;
}

void sample_init(Sample *sample, int minor) {
  memset(sample, 0, sizeof *sample);
  sample->dims[0] = 3, sample->dims[1] = 5;
  sample->plan_size = plan_bytes(sample->plan);
  Call *call = &sample->call;
  call_init(call, minor);
  call_add_buffer(call, false, XLA_FFI_DataType_F32, sample->data[0], 2, sample->dims);
  call_add_buffer(call, true, XLA_FFI_DataType_F32, sample->data[1], 2, sample->dims);
  call_add_string(call, "key", KEY, sizeof KEY - 1);
  call_add_string(call, "module", image, image_size);
  call_add_string(call, "plan", sample->plan, sample->plan_size);
}

void sample_check_packed(const Sample *sample, int64_t rows, int64_t columns) {
  const unsigned char *packed = fake_last()->packed;
  uint64_t addresses[2];
  int32_t shape[2];
  int64_t stride;
  memcpy(&addresses[0], packed, 8);
  memcpy(shape, packed + 8, 8);
  memcpy(&stride, packed + 16, 8);
  memcpy(&addresses[1], packed + 24, 8);
  CHECK(addresses[0] == (uint64_t)sample->data[0] && addresses[1] == (uint64_t)sample->data[1]);
  CHECK(shape[0] == rows && shape[1] == columns && stride == columns);
  CHECK(packed[32] == 0xab && packed[39] == 0xab && packed[40] == 0); /* of the template */
}

void use_fake_runtime(void) {
  char text[256];
  for (int platform = 0; platform < PLATFORMS; ++platform) {
    *flydsl_jax_state_type(platform) = (XLA_FFI_TypeId){10 + platform}; /* as XLA does at registration */
    CHECK(!flydsl_jax_set_runtime(platform, &fake_table, fake_describe, text, sizeof text));
  }
}

FlydslJaxCounts counts(void) {
  FlydslJaxCounts found;
  flydsl_jax_counts(&found);
  return found;
}
