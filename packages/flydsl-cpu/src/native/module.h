// Code objects: a shared object in memory in, callable kernels out.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fly_abi.h"
#include "registry.h"

namespace flycpu {

class Library;

// A kernel keeps its library loaded: unloading a module waits for no one.
struct Kernel {
  std::string name;
  FlyCpuKernelFn function;
  FlyCpuKernelInfo info;
  std::shared_ptr<Library> library;
};

int32_t load_module(const void *image, uint64_t size, const char *const *names, uint32_t count, void **module);
int32_t unload_module(void *module);
Registry<Kernel> &kernels();

} // namespace flycpu
