// Modules and their kernels: code objects in, functions that can be launched out.
#pragma once
#include <flysim.h>

#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "registry.h"

namespace hipsim {

struct Module {
  Module(Device &device, FlySimModule *engine) : device(device), engine(engine) {}
  ~Module();
  Module(const Module &) = delete;

  Device &device;
  FlySimModule *const engine;
  Mutex mutex;
  std::vector<Handle> functions; // handed out, dead after the unload
};

// A kernel keeps its module's code as long as a launch of it is on its way.
struct Function {
  std::shared_ptr<Module> module;
  FlySimKernel *kernel;
  std::string name;
  FlySimKernelInfo info;
  std::atomic<int> max_dynamic_shared{-1}; // -1: what is left of the chip's
};

// Blocks of a size that a unit holds: limited by waves, registers and shared memory.
int active_blocks(const Function &function, int block, size_t dynamic_shared);

Registry<Module> &modules();
Registry<Function> &functions();

} // namespace hipsim
