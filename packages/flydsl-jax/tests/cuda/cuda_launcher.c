/* The launcher of `scale`, whose packed arguments are: address, extent of 32 bits, address. */
#include <fly_abi.h>
#include <string.h>

#include "scale_ptx.h"

int32_t fly_load(const FlyRuntimeApi *rt, int32_t ordinal, void **module);
int32_t fly_launch_packed(const FlyRuntimeApi *rt, void *module, int32_t ordinal, void *stream, const void *packed);

int32_t fly_load(const FlyRuntimeApi *rt, int32_t ordinal, void **module) {
  static const char *const names[] = {"scale"};
  return rt->module_load(rt->self, ordinal, scale_ptx, sizeof scale_ptx, names, 1, module);
}

int32_t fly_launch_packed(const FlyRuntimeApi *rt, void *module, int32_t ordinal, void *stream, const void *packed) {
  (void)ordinal;
  char *arguments = (char *)packed;
  int32_t count;
  memcpy(&count, arguments + 8, sizeof count);
  void *params[] = {arguments, arguments + 8, arguments + 16};
  const uint32_t blocks = ((uint32_t)count + 127) / 128;
  const FlyLaunchConfig config = {.struct_size = sizeof config, .grid = {blocks, 1, 1}, .block = {128, 1, 1}};
  return blocks ? rt->launch(rt->self, ((void **)module)[0], &config, stream, params) : 0;
}
