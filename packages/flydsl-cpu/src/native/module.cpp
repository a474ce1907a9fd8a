// In: the bytes of an ELF shared object and kernel names; out: an array of kernel handles.
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "error.h"
#include "execution.h"
#include "fork.h"

namespace flycpu {

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
#else
#error "the CPU runtime does not know this machine's ELF number"
#endif

// The dynamic loader trusts program headers and dies of truncated files: look before it leaps.
const char *elf_defect(const void *image, uint64_t size) {
  Elf64_Ehdr header;
  if (size < sizeof header) return "it is shorter than an ELF header";
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "it is not an ELF file";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN) return "it is not a 64-bit shared object";
  if (header.e_machine != kMachine) return "it is made for another machine";
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > size ||
      header.e_phnum > (size - header.e_phoff) / sizeof(Elf64_Phdr))
    return "its program headers are outside of it";
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, static_cast<const char *>(image) + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NULL && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset))
      return "it is truncated";
  }
  return nullptr;
}

// A path that no dlopen has seen: the loader takes equal paths for equal files, and descriptors are reused. Each bit of
// a counter becomes "//" or "/./", which the kernel reads alike. Host launchers are opened through /proc/self in the
// same way; thread-self keeps the two apart.
std::string unique_path(int descriptor) {
  static std::atomic<uint32_t> counter{0};
  std::string path = "/proc/thread-self/fd";
  for (uint32_t bits = counter.fetch_add(1); bits != 0; bits >>= 1) path += bits & 1 ? "/." : "/";
  return path + "/" + std::to_string(descriptor);
}

// Whether the object needs no function of others but arithmetic ones and copies of memory.
bool calls_pure(const char *image, uint64_t size) {
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(image);
  if (header->e_shoff > size || header->e_shentsize != sizeof(Elf64_Shdr) ||
      header->e_shnum > (size - header->e_shoff) / sizeof(Elf64_Shdr) || header->e_shnum == 0)
    return false;
  const auto *sections = reinterpret_cast<const Elf64_Shdr *>(image + header->e_shoff);
  void *math = dlopen("libm.so.6", RTLD_LAZY | RTLD_NOLOAD);
  bool pure = true;
  for (uint16_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr &section = sections[i];
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= header->e_shnum) continue;
    const auto *symbols = reinterpret_cast<const Elf64_Sym *>(image + section.sh_offset);
    const char *names = image + sections[section.sh_link].sh_offset;
    for (uint64_t at = 1; at < section.sh_size / sizeof(Elf64_Sym); ++at) {
      if (symbols[at].st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbols[at].st_info) == STB_WEAK) continue;
      const std::string name = names + symbols[at].st_name;
      const bool copies = name.rfind("mem", 0) == 0, is_wide = name.rfind("__", 0) == 0;
      pure &= copies || is_wide || (math && dlsym(math, name.c_str()));
    }
  }
  if (math) dlclose(math);
  return pure;
}

bool write_all(int descriptor, const char *data, uint64_t size) {
  while (size > 0) {
    const ssize_t written = write(descriptor, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<uint64_t>(written);
  }
  return true;
}

int32_t open_library(const void *image, uint64_t size, std::shared_ptr<Library> *library) {
  if (const char *defect = elf_defect(image, size))
    return fail(kInvalidImage, "the code object of %llu bytes cannot be loaded: %s",
                static_cast<unsigned long long>(size), defect);
  const int descriptor = memfd_create("flydsl-cpu-kernel", MFD_CLOEXEC);
  if (descriptor < 0) return fail(kInternal, "no memory file for the code object: %s", std::strerror(errno));
  void *handle = nullptr;
  const bool written = write_all(descriptor, static_cast<const char *>(image), size);
  const int error = errno;
  if (written) handle = dlopen(unique_path(descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(descriptor);
  if (!written) return fail(kOutOfMemory, "no memory for the code object: %s", std::strerror(error));
  if (!handle) return fail(kInvalidImage, "the code object cannot be loaded: %s", dlerror());
  *library = std::make_shared<Library>(handle, static_cast<const char *>(image), size);
  install_fault_handlers(); // others may have come in front
  return kOk;
}

int32_t find_kernel(const std::shared_ptr<Library> &library, const char *name, Kernel *kernel) {
  void *function = library->symbol(name);
  if (!function) return fail(kSymbolNotFound, "the code object has no kernel '%s'", name);
  void *info = library->symbol(std::string(name) + "_info");
  if (!info)
    return fail(kSymbolNotFound, "the code object has no '%s_info', which tells the memory of kernel '%s'", name, name);
  kernel->name = name;
  kernel->function = reinterpret_cast<FlyCpuKernelFn>(function);
  const uint64_t size = Library::size_of_symbol(info); // code of an earlier version says less
  std::memcpy(&kernel->info, info, std::min<uint64_t>(size ? size : 16, sizeof kernel->info));
  kernel->library = library;
  const FlyCpuKernelInfo &found = kernel->info;
  if (found.scratch_bytes_per_thread < 0 || found.static_shared_bytes < 0 || found.scratch_bytes_per_block < 0 ||
      found.stack_bytes < 0)
    return fail(kInvalidImage, "'%s_info' holds a negative size", name);
  return kOk;
}

// Handle arrays outlive their module: a launcher that still reads one gets stale handles, an error and not a crash.
struct Modules {
  std::mutex mutex;
  std::map<void *, uint32_t> loaded;
};
Modules &modules() {
  static auto *instance = [] {
    auto *made = new Modules;
    hold_over_fork(made->mutex);
    return made;
  }();
  return *instance;
}

} // namespace

Library::Library(void *handle, const char *image, uint64_t size)
    : handle_(handle), calls_pure_(calls_pure(image, size)) {
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return;
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(image);
  const auto *segments = reinterpret_cast<const Elf64_Phdr *>(image + header->e_phoff);
  for (uint16_t i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X)) {
      begin_ = reinterpret_cast<const char *>(map->l_addr + segments[i].p_vaddr);
      end_ = begin_ + segments[i].p_memsz;
    }
}

Library::~Library() { dlclose(handle_); }

void *Library::symbol(const std::string &name) const { return dlsym(handle_, name.c_str()); }

uint64_t Library::size_of_symbol(const void *address) {
  Dl_info found;
  void *symbol = nullptr;
  const bool known = dladdr1(address, &found, &symbol, RTLD_DL_SYMENT) && symbol;
  return known ? static_cast<const Elf64_Sym *>(symbol)->st_size : 0;
}

Registry<Kernel> &kernels() {
  static auto *instance = new Registry<Kernel>;
  return *instance;
}

int32_t load_module(const void *image, uint64_t size, const char *const *names, uint32_t count, void **module) {
  if (!image || !module || (count && !names)) return fail(kInvalidValue, "module_load: a null pointer was passed");
  std::shared_ptr<Library> library;
  if (int32_t code = open_library(image, size, &library)) return code;
  std::vector<Kernel> found(count);
  for (uint32_t i = 0; i < count; ++i)
    if (int32_t code = find_kernel(library, names[i], &found[i])) return code;
  void **handles = new void *[count + 1];
  for (uint32_t i = 0; i < count; ++i) handles[i] = kernels().add(std::make_shared<Kernel>(std::move(found[i])));
  std::lock_guard lock(modules().mutex);
  modules().loaded[handles] = count;
  *module = handles;
  return kOk;
}

int32_t unload_module(void *module) {
  uint32_t count = 0;
  {
    std::lock_guard lock(modules().mutex);
    auto found = modules().loaded.find(module);
    if (found == modules().loaded.end())
      return fail(kInvalidHandle, "module_unload: %p is not a loaded module", module);
    count = found->second;
    modules().loaded.erase(found);
  }
  for (uint32_t i = 0; i < count; ++i) kernels().remove(static_cast<void **>(module)[i]);
  return kOk;
}

} // namespace flycpu
