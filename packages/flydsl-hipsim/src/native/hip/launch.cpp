// In: launches by any of HIP's calls; out: kernels on the engine, faults on the device.
#include "launch.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "array_launch.h"
#include "graph.h"
#include "host_memory.h"
#include "memory.h"

namespace hipsim {
namespace {

using Arguments = std::vector<char>;

void check_shape(const Function &function, const LaunchShape &shape) {
  const Dim3 &grid = shape.grid, &block = shape.block;
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  const char *name = function.name.c_str();
  if (!grid.x || !grid.y || !grid.z || !threads)
    fail(kInvalidConfiguration, "kernel %s: an empty grid (%u, %u, %u) or block (%u, %u, %u)", name, grid.x, grid.y,
         grid.z, block.x, block.y, block.z);
  if (block.x > 1024 || block.y > 1024 || block.z > 1024 || threads > 1024)
    fail(kInvalidConfiguration, "kernel %s: a block of (%u, %u, %u) has more than 1024 threads", name, block.x, block.y,
         block.z);
  if (function.info.max_workgroup && threads > function.info.max_workgroup)
    fail(kInvalidConfiguration, "kernel %s: a block of %llu threads, the kernel was compiled for at most %u", name,
         static_cast<unsigned long long>(threads), function.info.max_workgroup);
  const uint64_t most = uint64_t{1} << 32;
  if (uint64_t{grid.x} * block.x >= most || uint64_t{grid.y} * block.y >= most || uint64_t{grid.z} * block.z >= most)
    fail(kInvalidConfiguration, "kernel %s: a grid of (%u, %u, %u) blocks has 2^32 threads or more along a side", name,
         grid.x, grid.y, grid.z);
}

constexpr uint64_t kLargestCluster = 16;

void check_cluster(const Function &function, const LaunchShape &shape) {
  const Dim3 &grid = shape.grid, &cluster = shape.cluster;
  const uint64_t blocks = uint64_t{cluster.x} * cluster.y * cluster.z;
  if (blocks == 1) return;
  const char *name = function.name.c_str(), *arch = function.module->device.chip.arch;
  if (std::string_view(arch) != "gfx1250")
    fail(kNotSupported, "kernel %s: clusters of blocks (%u, %u, %u), %s has none", name, cluster.x, cluster.y,
         cluster.z, arch);
  if (!blocks || blocks > kLargestCluster)
    fail(kInvalidConfiguration, "kernel %s: a cluster of (%u, %u, %u) blocks, %s has 1 to %llu", name, cluster.x,
         cluster.y, cluster.z, arch, static_cast<unsigned long long>(kLargestCluster));
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    fail(kInvalidConfiguration, "kernel %s: a grid of (%u, %u, %u) blocks is no multiple of clusters of (%u, %u, %u)",
         name, grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z);
  if (shape.cooperative) fail(kNotSupported, "kernel %s: clusters in a cooperative launch are not modelled", name);
}

void check_shared(const Function &function, size_t dynamic) {
  const size_t limit = static_cast<size_t>(function.module->device.chip.shared_bytes);
  const int chosen = function.max_dynamic_shared;
  if (function.info.static_lds + dynamic <= limit && (chosen < 0 || dynamic <= static_cast<size_t>(chosen))) return;
  fail(kLaunchOutOfResources, "kernel %s: %u static and %zu dynamic bytes of LDS, %s has %zu", function.name.c_str(),
       function.info.static_lds, dynamic, function.module->device.chip.arch, limit);
}

// All blocks are on the device at once.
void check_cooperative(const Function &function, const LaunchShape &shape) {
  const int threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z),
            units = function.module->device.chip.units;
  const uint64_t most =
      static_cast<uint64_t>(active_blocks(function, threads, shape.shared_bytes)) * static_cast<uint64_t>(units);
  const uint64_t blocks = uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  if (blocks > most)
    fail(kCooperativeLaunchTooLarge, "kernel %s: %llu blocks of %d threads, the device holds %llu at once",
         function.name.c_str(), static_cast<unsigned long long>(blocks), threads,
         static_cast<unsigned long long>(most));
}

Arguments from_params(const Function &function, void *const *params) {
  const FlySimKernelInfo &info = function.info;
  Arguments bytes;
  if (!info.n_args) return bytes;
  if (!params)
    fail(kInvalidValue, "kernel %s takes %u parameters, none were given", function.name.c_str(), info.n_args);
  for (uint32_t i = 0; i < info.n_args; ++i) {
    if (!params[i]) fail(kInvalidValue, "kernel %s: parameter %u is a null pointer", function.name.c_str(), i);
    bytes.resize(std::max<size_t>(bytes.size(), info.arg_offsets[i] + info.arg_sizes[i]));
    std::memcpy(bytes.data() + info.arg_offsets[i], params[i], info.arg_sizes[i]);
  }
  return bytes;
}

// A list of tags and values: 1 is followed by the buffer, 2 by its size, 3 ends it.
Arguments from_extra(const Function &function, void *const *extra) {
  const char *buffer = nullptr;
  const size_t *size = nullptr;
  for (; reinterpret_cast<uintptr_t>(*extra) != 3; extra += 2) {
    const auto tag = reinterpret_cast<uintptr_t>(*extra);
    if (tag == 1) buffer = static_cast<const char *>(extra[1]);
    else if (tag == 2) size = static_cast<const size_t *>(extra[1]);
    else fail(kInvalidValue, "kernel %s: extra holds tag %#lx, expected 1, 2 or 3", function.name.c_str(), tag);
  }
  if (!buffer || !size) fail(kInvalidValue, "kernel %s: extra names no buffer and size", function.name.c_str());
  const FlySimKernelInfo &info = function.info;
  const size_t needed = info.n_args ? info.arg_offsets[info.n_args - 1] + info.arg_sizes[info.n_args - 1] : 0;
  if (*size < needed)
    fail(kInvalidValue, "kernel %s takes %zu bytes of parameters, found %zu", function.name.c_str(), needed, *size);
  return Arguments(buffer, buffer + needed);
}

// Those of the arrays that are still there.
std::vector<FlySimRange> still_mapped(const std::vector<FlySimRange> &arrays) {
  std::vector<FlySimRange> found;
  for (const FlySimRange &array : arrays) {
    const auto begin = reinterpret_cast<uintptr_t>(array.base);
    for (const FlySimRange &mapping : host_mappings({begin}))
      if (begin - reinterpret_cast<uintptr_t>(mapping.base) + array.size <= mapping.size) found.push_back(array);
  }
  return found;
}

void run(const Function &function, const LaunchShape &shape, const Arguments &arguments,
         const std::vector<FlySimRange> &arrays) {
  Device &device = function.module->device;
  const LaunchOptions options = launch_options();
  FlySimLaunch launch = {};
  launch.struct_size = sizeof launch;
  std::memcpy(launch.grid, &shape.grid, sizeof launch.grid);
  std::memcpy(launch.block, &shape.block, sizeof launch.block);
  launch.dynamic_lds = static_cast<uint32_t>(shape.shared_bytes);
  launch.kernarg = arguments.data();
  launch.kernarg_size = arguments.size();
  launch.order = options.order;
  launch.seed = options.seed;
  launch.checks = options.checks;
  launch.threads = options.threads;
  launch.cooperative = shape.cooperative;
  std::memcpy(launch.cluster, &shape.cluster, sizeof launch.cluster);
  launch.arrays = arrays.data();
  launch.n_arrays = arrays.size();
  launch.stop = &device.stop;
  char message[1536] = "";
  const MemoryUse use;
  const int code = flysim_launch(function.kernel, &launch, message, sizeof message);
  if (code && !device.is_stopping()) device.set_fault(code == FLYSIM_FAULT ? kIllegalAddress : kLaunchFailure, message);
}

void launch(Handle function, const LaunchShape &shape, Handle stream, void *const *params, void *const *extra) {
  auto to = find_stream(stream);
  const bool is_kept = is_captured(*to);
  Prepared prepared = prepare_launch(function, to->device, shape, params, extra, is_kept);
  if (!prepared.uses_host_memory || is_kept) return submit(*to, kKernelNode, std::move(prepared.run));
  constexpr const char *kWhat = "a launch on arrays of the host";
  if (!array_launches().is_open) return submit_and_wait(*to, std::move(prepared.run), kWhat);
  auto stopped = std::make_shared<Stopped>();
  PointPtr done = submit_now(*to, std::move(prepared.run), kWhat, stopped);
  array_launches().pending.push_back({to->device, std::move(done), std::move(stopped)});
}

// Shapes of a configuration: whether the launch is cooperative, and its clusters.
template <class Config> LaunchShape shape_of(const Config &config) {
  LaunchShape shape{config.grid, config.block, config.shared_bytes};
  if (config.n_attributes) require(config.attributes, "attributes");
  for (uint32_t i = 0; i < config.n_attributes; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    if (attribute.id == kAttributeClusterDimension) shape.cluster = attribute.value.cluster;
    if (attribute.id == kAttributeCooperative) shape.cooperative = attribute.value.cooperative;
  }
  return shape;
}

} // namespace

Prepared prepare_launch(Handle handle, Device &device, const LaunchShape &shape, void *const *params,
                        void *const *extra, bool is_kept) {
  auto function = functions().get(handle);
  if (&function->module->device != &device)
    fail(kInvalidHandle, "kernel %s is on device %d, the stream on device %d", function->name.c_str(),
         function->module->device.ordinal, device.ordinal);
  check_shape(*function, shape);
  check_cluster(*function, shape);
  check_shared(*function, shape.shared_bytes);
  if (shape.cooperative) check_cooperative(*function, shape);
  if (params && extra)
    fail(kInvalidValue, "kernel %s: parameters are given twice, also as extra", function->name.c_str());
  auto arguments = std::make_shared<Arguments>(extra ? from_extra(*function, extra) : from_params(*function, params));
  const bool is_told = array_launches().is_open;
  std::vector<FlySimRange> arrays = is_told ? array_launches().arrays : host_mappings(host_addresses(*arguments));
  const bool uses_host_memory = is_told ? array_launches().has_arrays : !arrays.empty();
  return {[=] {
            if (!is_kept) return run(*function, shape, *arguments, arrays);
            run(*function, shape, *arguments,
                is_told ? still_mapped(arrays) : host_mappings(host_addresses(*arguments)));
          },
          uses_host_memory};
}

} // namespace hipsim

using namespace hipsim;

HIPSIM_EXPORT Error hipModuleLaunchKernel(Handle function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                                          uint32_t block_x, uint32_t block_y, uint32_t block_z, uint32_t shared_bytes,
                                          Handle stream, void **params, void **extra) {
  return entry("hipModuleLaunchKernel", [&] {
    launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, params, extra);
  });
}

HIPSIM_EXPORT Error hipDrvLaunchKernelEx(const DriverLaunchConfig *config, Handle function, void **params,
                                         void **extra) {
  return entry("hipDrvLaunchKernelEx", [&] {
    require(config, "configuration");
    launch(function, shape_of(*config), config->stream, params, extra);
  });
}

// Of functions that hipModuleGetFunction gave: host symbols of compiled programs are not registered here.
HIPSIM_EXPORT Error hipLaunchKernelExC(const LaunchConfig *config, Handle function, void **params) {
  return entry("hipLaunchKernelExC", [&] {
    require(config, "configuration");
    launch(function, shape_of(*config), config->stream, params, nullptr);
  });
}

HIPSIM_EXPORT Error hipLaunchKernel(Handle function, Dim3 grid, Dim3 block, void **params, size_t shared_bytes,
                                    Handle stream) {
  return entry("hipLaunchKernel", [&] { launch(function, {grid, block, shared_bytes}, stream, params, nullptr); });
}

HIPSIM_EXPORT Error hipModuleLaunchCooperativeKernel(Handle function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                                                     uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                                     uint32_t shared_bytes, Handle stream, void **params) {
  return entry("hipModuleLaunchCooperativeKernel", [&] {
    launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, true}, stream, params,
           nullptr);
  });
}

HIPSIM_EXPORT Error hipLaunchCooperativeKernel(Handle function, Dim3 grid, Dim3 block, void **params,
                                               uint32_t shared_bytes, Handle stream) {
  return entry("hipLaunchCooperativeKernel",
               [&] { launch(function, {grid, block, shared_bytes, true}, stream, params, nullptr); });
}
