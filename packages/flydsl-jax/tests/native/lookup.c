/* Where launchers and runtimes come from: this process, the call, whom Python knows, and nowhere. */
#include "sample.h"

static int asked;

static int32_t add_launcher(int32_t platform, const char *key, char *text, uint64_t size) {
  ++asked;
  if (key[0] == 'a') return flydsl_jax_add_launcher(platform, key, image, image_size, text, size);
  snprintf(text, size, "%s", "the finder has none");
  return 1;
}

static void expect(Sample *sample, XLA_FFI_Error_Code code, const char *text) {
  call_fail(&sample->call, flydsl_jax_cuda, INSTANTIATE, code, text);
  CHECK(!sample->call.context.state);
}

static void bad_attributes(void) {
  const XLA_FFI_Error_Code code = XLA_FFI_Error_Code_INVALID_ARGUMENT;
  static const char *const missing[] = {"key", NULL, "plan"};
  Sample sample;
  for (int i = 0; i < 3; ++i) {
    char text[64];
    sample_init(&sample, 3);
    sample.call.attribute_types[i] = XLA_FFI_AttrType_SCALAR;
    snprintf(text, sizeof text, "attribute `%s` is no string (type 3)", missing[i] ? missing[i] : "module");
    if (i == 1) sample.call.strings[0].ptr = "f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0";
    expect(&sample, code, text);
    if (!missing[i]) continue;
    sample.call.names[i].len = 1;
    snprintf(text, sizeof text, "attribute `%s` is missing", missing[i]);
    expect(&sample, code, text);
  }
  sample_init(&sample, 3);
  sample.call.strings[0].len = 63;
  expect(&sample, code, "64 hexadecimal digits in lower case, found 63 bytes");
  sample.call.strings[0] = (XLA_FFI_ByteSpan){"0011223344556677889900112233445566778899001122334455667788990ABC", 64};
  expect(&sample, code, "64 hexadecimal digits");
  char zeros[64] = {0};
  sample.call.strings[0].ptr = zeros;
  expect(&sample, code, "64 hexadecimal digits");
}

/* Images that the loader must never see, and one that it refuses. */
static void bad_images(void) {
  const XLA_FFI_Error_Code code = XLA_FFI_Error_Code_INVALID_ARGUMENT;
  Sample sample;
  sample_init(&sample, 3);
  for (size_t size = 0; size < image_size; size += size < 4096 ? 61 : 997) {
    sample.call.strings[1].len = size;
    XLA_FFI_Error *error = call_run(&sample.call, flydsl_jax_cuda, INSTANTIATE);
    CHECK(!error || (error->code == code && strstr(error->message, "the launcher in `module`")));
    free(error);
    if (!sample.call.context.state) continue;
    CHECK(size > image_size / 2); /* what is after the last segment is not needed */
    call_destroy(&sample.call, flydsl_jax_state_info());
    break;
  }
  char *text = malloc(image_size);
  CHECK(text);
  memset(text, 'x', image_size);
  sample.call.strings[0].ptr = "dd112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  sample.call.strings[1] = (XLA_FFI_ByteSpan){text, image_size};
  expect(&sample, code, "is no shared object");
  memcpy(text, image, 64); /* an ELF header over nonsense */
  expect(&sample, code, "the launcher in `module`");
  free(text);
}

void lookup(void) {
  use_fake_runtime();
  bad_attributes();
  bad_images();
  Sample sample;
  sample_init(&sample, 3);
  sample.call.frame.attrs.size = 3;
  sample.call.names[1].len = 3; /* no `module` */
  sample.call.strings[0].ptr = "bb112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  expect(&sample, XLA_FFI_Error_Code_NOT_FOUND, "no code of key bb1122");
  flydsl_jax_set_providers(NULL, add_launcher);
  expect(&sample, XLA_FFI_Error_Code_NOT_FOUND,
         "for platform cuda, and the call does not hold it: the finder has none");
  CHECK(asked == 1);
  sample.call.strings[0].ptr = "aa112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  for (int i = 0; i < 2; ++i) {
    call_succeed(&sample.call, flydsl_jax_cuda, INSTANTIATE);
    CHECK(asked == 2);
    call_destroy(&sample.call, flydsl_jax_state_info());
  }
  call_succeed(&sample.call, flydsl_jax_rocm, INSTANTIATE); /* each platform has launchers of its own */
  CHECK(asked == 3);
  call_destroy(&sample.call, flydsl_jax_state_info());
  CHECK(counts().instantiated == counts().destroyed);
}

static int32_t explain_runtime(int32_t platform, char *text, uint64_t size) {
  snprintf(text, size, "NoDeviceError: none of %d", (int)platform);
  return 1;
}

static int32_t provide_runtime(int32_t platform, char *text, uint64_t size) {
  return flydsl_jax_set_runtime(platform, &fake_table, fake_describe, text, size);
}

void no_runtime(void) {
  const XLA_FFI_Error_Code code = XLA_FFI_Error_Code_FAILED_PRECONDITION;
  Sample sample;
  char text[256];
  sample_init(&sample, 3);
  expect(&sample, code, "platform cuda has no device runtime: none was set in this process");
  flydsl_jax_set_providers(explain_runtime, NULL);
  expect(&sample, code, "platform cuda has no device runtime: NoDeviceError: none of 2");
  flydsl_jax_set_providers(provide_runtime, NULL);
  call_succeed(&sample.call, flydsl_jax_cuda, INSTANTIATE);
  call_destroy(&sample.call, flydsl_jax_state_info());
  FlyRuntimeApi other = fake_table;
  CHECK(flydsl_jax_set_runtime(PLATFORM_CUDA, &other, fake_describe, text, sizeof text) == 1);
  CHECK(strstr(text, "platform cuda has a device runtime already"));
  CHECK(!flydsl_jax_set_runtime(PLATFORM_CUDA, &fake_table, NULL, text, sizeof text));
  CHECK(!flydsl_jax_set_runtime(PLATFORM_ROCM, &other, NULL, text, sizeof text));
  other.abi_version = 2;
  CHECK(flydsl_jax_set_runtime(PLATFORM_CPU, &other, NULL, text, sizeof text) == 1);
  CHECK(strstr(text, "of platform cpu has launcher ABI 2"));
  CHECK(flydsl_jax_set_runtime(PLATFORM_CPU, NULL, NULL, text, sizeof text) == 1);
  CHECK(flydsl_jax_set_runtime(3, &fake_table, NULL, text, sizeof text) == 1 && strstr(text, "no platform 3"));
}
