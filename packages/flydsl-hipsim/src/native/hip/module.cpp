// In: images and names; out: modules, functions, globals and what they need to run.
#include "module.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "host_memory.h"
#include "memory.h"
#include "misuse.h"

namespace hipsim {
namespace {

enum FunctionAttribute : int32_t {
  kMaxThreads = 0,
  kSharedBytes = 1,
  kConstBytes = 2,
  kLocalBytes = 3,
  kRegisters = 4,
  kPtx = 5,
  kBinary = 6,
  kCacheMode = 7,
  kMaxDynamicShared = 8,
  kCarveout = 9,
};

void load(Handle *result, const void *bytes) {
  require(result, "module"), require(bytes, "image");
  Device &device = working_device();
  const std::string target = std::string(device.chip.arch) + device.chip.features;
  char message[1536] = "";
  FlySimModule *engine = nullptr;
  const int code = flysim_module_load(bytes, readable_bytes(bytes), target.c_str(), &engine, message, sizeof message);
  if (code)
    fail(code == FLYSIM_NO_BINARY       ? kNoBinaryForGpu
             : code == FLYSIM_BAD_IMAGE ? kInvalidImage
                                        : kNotSupported,
         "%s", message);
  *result = modules().add(std::make_shared<Module>(device, engine));
}

void load_file(Handle *result, const char *path) {
  require(path, "path");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(kFileNotFound, "%s cannot be read", path);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.size() < 64) fail(kInvalidImage, "%s has %zu bytes", path, bytes.size());
  load(result, bytes.data());
}

void find_function(Handle *result, Handle handle, const char *name) {
  require(result, "function"), require(name, "name");
  auto module = modules().get(handle);
  auto function = std::make_shared<Function>();
  if (flysim_module_kernel(module->engine, name, &function->kernel))
    fail(kNotFound, "the module has no kernel %s", name);
  function->module = module;
  function->name = name;
  function->info.struct_size = sizeof function->info;
  if (flysim_kernel_info(function->kernel, &function->info)) fail(kUnknown, "kernel %s cannot be described", name);
  *result = functions().add(function);
  std::lock_guard lock(module->mutex);
  module->functions.push_back(*result);
}

// Does not wait: launches on their way keep the code. It may be called where a stream calls the host.
void unload(Handle handle) {
  auto module = modules().remove(handle);
  std::lock_guard lock(module->mutex);
  for (Handle function : module->functions) functions().remove(function);
  module->functions.clear();
}

int dynamic_limit(const Function &function) {
  const int limit = function.max_dynamic_shared;
  return limit >= 0 ? limit : function.module->device.chip.shared_bytes - static_cast<int>(function.info.static_lds);
}

int attribute(const Function &function, int32_t number) {
  switch (number) {
  case kMaxThreads: return static_cast<int>(function.info.max_workgroup);
  case kSharedBytes: return static_cast<int>(function.info.static_lds);
  case kLocalBytes: return static_cast<int>(function.info.private_bytes);
  case kRegisters: return static_cast<int>(function.info.vgprs);
  case kMaxDynamicShared: return dynamic_limit(function);
  case kConstBytes:
  case kPtx:
  case kBinary:
  case kCacheMode:
  case kCarveout: return 0;
  default: fail(kInvalidValue, "there is no function attribute %d", number);
  }
}

void set_attribute(Function &function, int32_t number, int value) {
  if (number != kMaxDynamicShared && number != kCarveout)
    fail(kInvalidValue, "function attribute %d cannot be set", number);
  if (number == kCarveout) return; // a hint
  const int most = function.module->device.chip.shared_bytes - static_cast<int>(function.info.static_lds);
  if (value < 0 || value > most)
    fail(kInvalidValue, "%d bytes of dynamic shared memory, the chip has %d left", value, most);
  function.max_dynamic_shared = value;
}

void best_block(int *grid, int *block, const Function &function, size_t dynamic_shared, int limit) {
  require(grid, "grid size"), require(block, "block size");
  const int wave = static_cast<int>(function.info.wave_size);
  int most = static_cast<int>(function.info.max_workgroup);
  if (limit > 0) most = std::min(most, limit);
  int best = 0, blocks = 0;
  for (int size = std::min(wave, most); size <= most; size += wave) {
    const int active = active_blocks(function, size, dynamic_shared);
    if (active * size < best * blocks) continue;
    best = size, blocks = active;
  }
  *block = best;
  *grid = blocks * function.module->device.chip.units;
}

} // namespace

int active_blocks(const Function &function, int block, size_t dynamic_shared) {
  const Chip &chip = function.module->device.chip;
  if (block < 1 || block > static_cast<int>(function.info.max_workgroup))
    fail(kInvalidValue, "blocks of %d threads, the kernel takes 1 to %u", block, function.info.max_workgroup);
  const int wave = static_cast<int>(function.info.wave_size), waves = (block + wave - 1) / wave;
  const int registers = std::max(1, static_cast<int>(function.info.vgprs)) * wave;
  const int by_registers = chip.registers / registers / waves;
  const size_t shared = function.info.static_lds + dynamic_shared;
  const int by_shared = shared ? static_cast<int>(static_cast<size_t>(chip.shared_bytes) / shared) : chip.max_waves;
  return std::min({chip.max_waves / waves, by_registers, by_shared});
}

Module::~Module() { flysim_module_unload(engine); }

Registry<Module> &modules() {
  static auto *instance = new Registry<Module>("module");
  return *instance;
}

Registry<Function> &functions() {
  static auto *instance = new Registry<Function>("function, or its module is unloaded");
  return *instance;
}

std::string module_leaks() {
  const size_t count = modules().all().size();
  return count ? "leaked: " + std::to_string(count) + " modules\n" : "";
}

} // namespace hipsim

using namespace hipsim;

HIPSIM_EXPORT Error hipModuleLoadData(Handle *result, const void *image) {
  return entry("hipModuleLoadData", [&] { load(result, image); });
}

HIPSIM_EXPORT Error hipModuleLoadDataEx(Handle *result, const void *image, uint32_t, int *, void **) {
  return entry("hipModuleLoadDataEx", [&] { load(result, image); });
}

HIPSIM_EXPORT Error hipModuleLoad(Handle *result, const char *path) {
  return entry("hipModuleLoad", [&] { load_file(result, path); });
}

HIPSIM_EXPORT Error hipModuleUnload(Handle handle) {
  return entry("hipModuleUnload", [&] { unload(handle); });
}

HIPSIM_EXPORT Error hipModuleGetFunction(Handle *result, Handle module, const char *name) {
  return entry("hipModuleGetFunction", [&] { find_function(result, module, name); });
}

HIPSIM_EXPORT Error hipModuleGetGlobal(void **address, size_t *size, Handle handle, const char *name) {
  return entry("hipModuleGetGlobal", [&] {
    require(name, "name");
    void *found = nullptr;
    uint64_t bytes = 0;
    if (flysim_module_global(modules().get(handle)->engine, name, &found, &bytes))
      fail(kNotFound, "the module has no global %s", name);
    if (address) *address = found;
    if (size) *size = bytes;
  });
}

HIPSIM_EXPORT Error hipFuncGetAttribute(int *value, int32_t number, Handle handle) {
  return entry("hipFuncGetAttribute",
               [&] { require(value, "value"), *value = attribute(*functions().get(handle), number); });
}

HIPSIM_EXPORT Error hipFuncGetAttributes(FunctionAttributes *result, Handle handle) {
  return entry("hipFuncGetAttributes", [&] {
    require(result, "attributes");
    auto function = functions().get(handle);
    *result = {};
    result->local_bytes = function->info.private_bytes;
    result->shared_bytes = function->info.static_lds;
    result->max_dynamic_shared_bytes = dynamic_limit(*function);
    result->max_threads_per_block = static_cast<int>(function->info.max_workgroup);
    result->registers = static_cast<int>(function->info.vgprs);
  });
}

HIPSIM_EXPORT Error hipFuncSetAttribute(Handle handle, int32_t number, int value) {
  return entry("hipFuncSetAttribute", [&] { set_attribute(*functions().get(handle), number, value); });
}

HIPSIM_EXPORT Error hipFuncSetCacheConfig(Handle handle, int32_t) {
  return entry("hipFuncSetCacheConfig", [&] { functions().get(handle); });
}

HIPSIM_EXPORT Error hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *count, Handle handle, int block,
                                                                       size_t shared) {
  return entry("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
               [&] { require(count, "count"), *count = active_blocks(*functions().get(handle), block, shared); });
}

HIPSIM_EXPORT Error hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, Handle handle, int block,
                                                                                size_t shared, uint32_t) {
  return entry("hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
               [&] { require(count, "count"), *count = active_blocks(*functions().get(handle), block, shared); });
}

HIPSIM_EXPORT Error hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, Handle handle, size_t shared,
                                                            int limit) {
  return entry("hipModuleOccupancyMaxPotentialBlockSize",
               [&] { best_block(grid, block, *functions().get(handle), shared, limit); });
}
