/* A launcher without a compiler: it hands its packed arguments to the runtime's launch as the one parameter. */
#include <fly_abi.h>

int32_t fly_load(const FlyRuntimeApi *rt, int32_t ordinal, void **module);
int32_t fly_launch_packed(const FlyRuntimeApi *rt, void *module, int32_t ordinal, void *stream, const void *packed);

int32_t fly_load(const FlyRuntimeApi *rt, int32_t ordinal, void **module) {
  static const char *const names[] = {"fake_kernel"};
  return rt->module_load(rt->self, ordinal, "code", 4, names, 1, module);
}

int32_t fly_launch_packed(const FlyRuntimeApi *rt, void *module, int32_t ordinal, void *stream, const void *packed) {
  (void)ordinal;
  void *params[] = {(void *)packed};
  const FlyLaunchConfig config = {.struct_size = sizeof config, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  return rt->launch(rt->self, module, &config, stream, params);
}
