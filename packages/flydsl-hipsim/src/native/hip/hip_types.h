// HIP's own types as its callers lay them out (hip_runtime_api.h, release 6 and later), written from its documentation.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hipsim {

enum Error : int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidMemcpyDirection = 21,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kNoBinaryForGpu = 209,
  kUnsupportedLimit = 215,
  kFileNotFound = 301,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureMerge = 902,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kUnknown = 999,
};

enum CopyKind : int32_t {
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kDefault,
  kDeviceToDeviceNoCu = 1024
};
enum MemoryType : int32_t { kUnregistered, kHost, kDevice, kManaged };
enum CaptureStatus : int32_t { kNotCapturing, kCapturing, kInvalidated };
enum NodeType : int32_t { kKernelNode, kMemcpyNode, kMemsetNode, kHostNode, kGraphNode, kEmptyNode };

using Handle = void *; // streams, events, modules, functions, graphs, pools: numbers, never pointers to read
using HostFunction = void (*)(void *);
using StreamCallback = void (*)(Handle stream, Error status, void *data);

struct Dim3 { uint32_t x, y, z; };

struct PointerAttributes {
  MemoryType type;
  int device;
  void *device_pointer, *host_pointer;
  int is_managed;
  uint32_t allocation_flags;
};

struct FunctionAttributes {
  int binary_version, cache_mode_ca;
  size_t const_bytes, local_bytes;
  int max_dynamic_shared_bytes, max_threads_per_block, registers, preferred_carveout, ptx_version;
  size_t shared_bytes;
};

enum LaunchAttributeId : int32_t { kAttributeCooperative = 2, kAttributeClusterDimension = 4 };

struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
    Dim3 cluster;
  } value;
};

struct DriverLaunchConfig {
  Dim3 grid, block;
  uint32_t shared_bytes;
  Handle stream;
  const LaunchAttribute *attributes;
  uint32_t n_attributes;
};

struct LaunchConfig {
  Dim3 grid, block;
  size_t shared_bytes;
  Handle stream;
  const LaunchAttribute *attributes;
  uint32_t n_attributes;
};

static_assert(sizeof(LaunchAttribute) == 72 && sizeof(DriverLaunchConfig) == 56 && sizeof(LaunchConfig) == 56);

struct KernelNodeParams {
  Dim3 block;
  void **extra;
  Handle function;
  Dim3 grid;
  void **params;
  uint32_t shared_bytes;
};

struct MemsetParams {
  void *destination;
  uint32_t element_size;
  size_t height, pitch;
  uint32_t value;
  size_t width;
};

struct HostNodeParams {
  HostFunction function;
  void *data;
};

struct PoolLocation { int32_t type, id; };

struct PoolProps {
  int32_t allocation_type, handle_types;
  PoolLocation location;
};

// hipDeviceProp_tR0600.
struct DeviceProperties {
  char name[256];
  char uuid[16], luid[8];
  uint32_t luid_mask;
  size_t total_global_bytes, shared_bytes_per_block;
  int registers_per_block, warp_size;
  size_t memory_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_khz;
  size_t total_const_bytes;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multiprocessors, kernel_timeout, integrated, can_map_host, compute_mode;
  int textures_and_surfaces[40];
  size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing;
  int memory_clock_khz, memory_bus_bits, l2_bytes, persisting_l2_bytes, max_threads_per_multiprocessor;
  int stream_priorities, global_l1, local_l1;
  size_t shared_bytes_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group, host_native_atomics;
  int single_to_double_ratio, pageable_access, concurrent_managed_access, compute_preemption;
  int host_pointer_for_registered, cooperative_launch, cooperative_multi_device;
  size_t shared_bytes_per_block_optin;
  int pageable_uses_host_tables, direct_managed_access, max_blocks_per_multiprocessor, access_policy_window;
  size_t reserved_shared_bytes;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools, rdma;
  uint32_t rdma_flush;
  int rdma_ordering;
  uint32_t pool_handle_types;
  int deferred_arrays, ipc_events, cluster_launch, unified_function_pointers;
  int reserved[63], hip_reserved[32];
  char arch_name[256];
  size_t max_shared_bytes_per_multiprocessor;
  int instruction_clock_khz;
  uint32_t arch_features; // one bit each
  uint32_t *hdp_mem_flush, *hdp_reg_flush;
  int unmatched[4], large_bar, asic_revision;
};

static_assert(sizeof(DeviceProperties) == 1472);

} // namespace hipsim
