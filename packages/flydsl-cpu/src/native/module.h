// Code objects: a shared object in memory in, callable kernels out.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fly_abi.h"
#include "registry.h"

namespace flycpu {

// A shared object in this process.
class Library {
public:
  // `image` is the file that `handle` was opened from.
  Library(void *handle, const char *image, uint64_t size);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  void *symbol(const std::string &name) const;
  // Bytes of a symbol that `symbol` gave.
  static uint64_t size_of_symbol(const void *address);

  // Whether an instruction is its own.
  bool contains(const void *instruction) const { return instruction >= begin_ && instruction < end_; }
  // Whether a fault there can be left by a jump: in its own code, or in functions that it calls and that hold no lock.
  bool may_fault_at(const void *instruction) const { return calls_pure_ || contains(instruction); }

private:
  void *handle_;
  const char *begin_ = nullptr, *end_ = nullptr;
  bool calls_pure_;
};

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
