// In: a launch; out: one call of the kernel per block, with the worker's own scratch and shared memory.
#include "launch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <string>
#include <vector>

#include "error.h"
#include "execution.h"
#include "interrupt.h"
#include "pool.h"
#include "stream.h"

namespace flycpu {
namespace {

constexpr size_t kScratchAlignment = 4096, kSharedAlignment = 16384;
constexpr int64_t kMaxScratchBytes = int64_t{1} << 32;
constexpr int64_t kStackMargin = 256 << 10; // for what code generation adds, and for signal handlers

// Memory that grows and is kept by its thread.
class Arena {
public:
  explicit Arena(size_t alignment) : alignment_(alignment) {}
  ~Arena() { std::free(memory_); }
  void *reserve(size_t bytes) {
    if (bytes <= size_) return memory_;
    std::free(memory_);
    size_ = (bytes + alignment_ - 1) / alignment_ * alignment_;
    memory_ = std::aligned_alloc(alignment_, size_);
    if (!memory_) size_ = 0;
    return memory_;
  }

  // Much memory is not kept: a thread may never need it again.
  void trim() {
    if (size_ <= kKept) return;
    std::free(memory_);
    memory_ = nullptr;
    size_ = 0;
  }

private:
  static constexpr size_t kKept = size_t{64} << 20;
  const size_t alignment_;
  size_t size_ = 0;
  void *memory_ = nullptr;
};

// Parameter values, kept until an asynchronous launch has run; each at an alignment that any vector type accepts.
class Params {
public:
  Params(const FlyLaunchConfig &config, void **params) : pointers_(config.n_params) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < config.n_params; ++i) bytes += padded(config.param_sizes[i]);
    storage_.reset(static_cast<char *>(std::aligned_alloc(kAlign, bytes ? bytes : kAlign)));
    if (!storage_) throw std::bad_alloc();
    char *to = storage_.get();
    for (uint32_t i = 0; i < config.n_params; ++i) {
      pointers_[i] = std::memcpy(to, params[i], config.param_sizes[i]);
      to += padded(config.param_sizes[i]);
    }
  }
  void **pointers() { return pointers_.data(); }

private:
  static constexpr size_t kAlign = 64;
  static size_t padded(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }
  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::vector<void *> pointers_;
  std::unique_ptr<char, Free> storage_;
};

int64_t volume(const uint32_t (&extent)[3]) { return int64_t{extent[0]} * extent[1] * extent[2]; }

int64_t scratch_bytes(const Kernel &kernel, const FlyLaunchConfig &config) {
  // Each array is rounded up to 64 bytes, and there are at most as many arrays as bytes per thread.
  const int64_t per_thread = kernel.info.scratch_bytes_per_thread, per_block = kernel.info.scratch_bytes_per_block;
  const int64_t arrays = std::min<int64_t>(per_thread, (int64_t{1} << 20));
  return per_block + per_thread * volume(config.block) + 64 * arrays + 64;
}

int32_t check(const Kernel &kernel, const FlyLaunchConfig &config) {
  const char *name = kernel.name.c_str();
  const uint32_t *grid = config.grid, *block = config.block, *cluster = config.cluster;
  constexpr uint32_t kMaxDim = INT32_MAX;
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || grid[i] > kMaxDim || block[i] == 0)
      return fail(kInvalidValue,
                  "kernel '%s': grid (%u, %u, %u) of blocks (%u, %u, %u) has an extent of 0 or above 2**31 - 1", name,
                  grid[0], grid[1], grid[2], block[0], block[1], block[2]);
  const uint32_t limit = limits().threads_per_block;
  if (block[0] > limit || block[1] > limit || block[2] > limit || volume(config.block) > limit)
    return fail(kLaunchLimit, "kernel '%s': a block of (%u, %u, %u) threads is above the limit of %u threads", name,
                block[0], block[1], block[2], limit);
  if (grid[0] > INT64_MAX / grid[1] / grid[2])
    return fail(kLaunchLimit, "kernel '%s': the grid (%u, %u, %u) has too many blocks", name, grid[0], grid[1],
                grid[2]);
  if (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)
    return fail(kLaunchLimit, "kernel '%s': clusters of (%u, %u, %u) blocks are not supported by the cpu runtime", name,
                cluster[0], cluster[1], cluster[2]);
  const int64_t shared = kernel.info.static_shared_bytes + config.shared_bytes;
  if (shared > limits().shared_bytes)
    return fail(kLaunchLimit, "kernel '%s': %lld bytes of shared memory are above the limit of %u bytes", name,
                static_cast<long long>(shared), limits().shared_bytes);
  const FlyCpuKernelInfo &info = kernel.info;
  if (info.scratch_bytes_per_thread > (kMaxScratchBytes - 1) / volume(config.block) ||
      info.scratch_bytes_per_block > kMaxScratchBytes ||
      info.scratch_bytes_per_block + info.scratch_bytes_per_thread * volume(config.block) > kMaxScratchBytes)
    return fail(kLaunchLimit,
                "kernel '%s': register tensors of %lld bytes a thread and %lld bytes a block are above the limit of "
                "%lld bytes for a block of %lld threads",
                name, static_cast<long long>(info.scratch_bytes_per_thread),
                static_cast<long long>(info.scratch_bytes_per_block), static_cast<long long>(kMaxScratchBytes),
                static_cast<long long>(volume(config.block)));
  if (info.stack_bytes + kStackMargin > Pool::kStackBytes)
    return fail(kLaunchLimit, "kernel '%s': %lld bytes of stack are too many", name,
                static_cast<long long>(info.stack_bytes));
  return kOk;
}

std::string starved(const Kernel &kernel, const FlyLaunchConfig &config) {
  return "kernel '" + kernel.name + "': no " + std::to_string(scratch_bytes(kernel, config)) +
      " bytes of private memory for a block are left";
}

void run_blocks(Execution &execution, const FlyLaunchConfig &config, void **params, int64_t begin, int64_t end,
                bool polls) {
  if (execution.is_stopping()) return;
  thread_local Arena scratch_arena(kScratchAlignment), shared_arena(kSharedAlignment);
  const Kernel &kernel = *execution.kernel;
  const size_t scratch_size = scratch_bytes(kernel, config);
  void *scratch = scratch_arena.reserve(scratch_size ? scratch_size : kScratchAlignment);
  void *shared = shared_arena.reserve(kernel.info.static_shared_bytes + config.shared_bytes + kSharedAlignment);
  if (!scratch || !shared) return execution.fail(kOutOfMemory, starved(kernel, config));
  const int64_t nx = config.grid[0], ny = config.grid[1];
  FlyCpuBlock block;
  for (int i = 0; i < 3; ++i) {
    block.grid_dim[i] = static_cast<int32_t>(config.grid[i]);
    block.block_dim[i] = static_cast<int32_t>(config.block[i]);
  }
  block.dynamic_shared_bytes = static_cast<int32_t>(config.shared_bytes);
  Frame frame(execution, block, polls);
  if (_setjmp(frame.exit) != 0) {
    frame.report();
  } else {
    frame.enter();
    for (int64_t index = begin; index < end && !execution.is_stopping(); ++index) {
      block.block_id[0] = static_cast<int32_t>(index % nx);
      block.block_id[1] = static_cast<int32_t>(index / nx % ny);
      block.block_id[2] = static_cast<int32_t>(index / nx / ny);
      kernel.function(params, &block, scratch, shared);
    }
    frame.leave();
  }
  scratch_arena.trim();
}

// Whether blocks may run on the calling thread; those of pool threads have room for any kernel.
bool fits_here(const Kernel &kernel) { return stack_left() > kernel.info.stack_bytes + kStackMargin; }

int32_t run_now(const std::shared_ptr<const Kernel> &kernel, const FlyLaunchConfig &config, void **params) {
  Execution execution(kernel);
  const pthread_t caller = pthread_self();
  pool().run(
      volume(config.grid),
      [&](int64_t begin, int64_t end) {
        run_blocks(execution, config, params, begin, end, pthread_equal(pthread_self(), caller));
      },
      [&] {
        if (!execution.is_stopping() && is_interrupted()) execution.fail(kInterrupted, "interrupted");
      },
      fits_here(*kernel));
  const Failure &failure = execution.failure();
  return failure.code == kOk ? kOk : fail(failure.code, "%s", failure.text.c_str());
}

int32_t run_later(const std::shared_ptr<const Kernel> &kernel, const FlyLaunchConfig &config, const void *stream,
                  void **params) {
  auto queue = streams().find(stream);
  if (!queue) return fail(kInvalidHandle, "launch: %p is not a stream of this runtime", stream);
  auto values = std::make_shared<Params>(config, params);
  auto execution = std::make_shared<Execution>(kernel);
  queue->enqueue_loop(
      volume(config.grid),
      [execution, values, config](int64_t begin, int64_t end) {
        run_blocks(*execution, config, values->pointers(), begin, end, false);
      },
      [execution](Stream &target) {
        const Failure &failure = execution->failure();
        if (failure.code != kOk && failure.code != kInterrupted) target.fail(failure);
      },
      execution);
  return kOk;
}

} // namespace

Limits &limits() {
  static Limits instance;
  return instance;
}

int32_t launch(const void *handle, const FlyLaunchConfig *config, const void *stream, void **params) {
  if (!config || config->struct_size < FLY_LAUNCH_CONFIG_LEAST ||
      (config->n_params && (!params || !config->param_sizes)))
    return fail(kInvalidValue, "launch: the configuration is incomplete or the parameters are missing");
  auto kernel = kernels().find(handle);
  if (!kernel) return fail(kInvalidHandle, "launch: %p is not a kernel of a loaded module", handle);
  if (int32_t code = check(*kernel, *config)) return code;
  return stream ? run_later(kernel, *config, stream, params) : run_now(kernel, *config, params);
}

} // namespace flycpu
