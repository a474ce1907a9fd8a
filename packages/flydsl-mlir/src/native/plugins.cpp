// Plugins are loaded from copies, each in a scope of its own.
//
// The loader takes a path that it has seen for the library it knows, whatever the file holds by now, and a library that
// is written over while it is loaded changes under its code: so each content is loaded from a copy. A plugin names
// LLVM's functions without saying where they are, as `opt` has them in its global scope; a Python process has not, and
// must not: other libraries bring an LLVM of their own. So the copy is loaded through a small library that needs LLVM
// and the copy, in whose scope the copy's references are looked up.
#include "plugins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

namespace flydsl {
namespace {

namespace elf = llvm::ELF;

std::string fileOf(const void *address) {
  Dl_info info;
  return dladdr(const_cast<void *>(address), &info) && info.dli_fname ? info.dli_fname : "";
}

std::string llvmFile() {
  static const std::string file = fileOf(reinterpret_cast<const void *>(&llvm::PassRegistry::getPassRegistry));
  return file;
}

template <typename T>
void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

elf::Elf64_Phdr segment(unsigned type, std::uint64_t offset, std::uint64_t size) {
  elf::Elf64_Phdr header = {};
  header.p_type = type;
  header.p_flags = elf::PF_R | elf::PF_W;
  header.p_offset = header.p_vaddr = header.p_paddr = offset;
  header.p_filesz = header.p_memsz = size;
  header.p_align = type == elf::PT_LOAD ? 0x1000 : 8;
  return header;
}

elf::Elf64_Ehdr fileHeader(unsigned machine, unsigned segments) {
  elf::Elf64_Ehdr header = {};
  std::copy_n(elf::ElfMagic, 4, reinterpret_cast<char *>(header.e_ident));
  header.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
  header.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
  header.e_ident[elf::EI_VERSION] = header.e_version = elf::EV_CURRENT;
  header.e_type = elf::ET_DYN;
  header.e_machine = machine;
  header.e_phoff = header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(elf::Elf64_Phdr);
  header.e_phnum = segments;
  return header;
}

// A shared library without code that needs those two: the loader looks symbols of each up in both.
std::string libraryThatNeeds(llvm::StringRef first, llvm::StringRef second, unsigned machine) {
  const std::string names = std::string(1, '\0') + first.str() + '\0' + second.str() + '\0';
  constexpr std::uint64_t segments = 3, entries = 8,
                          start = sizeof(elf::Elf64_Ehdr) + segments * sizeof(elf::Elf64_Phdr);
  constexpr std::uint64_t symbols = start + entries * sizeof(elf::Elf64_Dyn), hash = symbols + sizeof(elf::Elf64_Sym);
  constexpr std::uint64_t text = hash + 4 * sizeof(std::uint32_t);
  std::string bytes;
  append(bytes, fileHeader(machine, segments));
  append(bytes, segment(elf::PT_LOAD, 0, text + names.size()));
  append(bytes, segment(elf::PT_DYNAMIC, start, entries * sizeof(elf::Elf64_Dyn)));
  append(bytes, segment(elf::PT_GNU_STACK, 0, 0));
  const std::pair<std::int64_t, std::uint64_t> dynamic[entries] = {
      {elf::DT_NEEDED, 1},       {elf::DT_NEEDED, first.size() + 2},
      {elf::DT_STRTAB, text},    {elf::DT_STRSZ, names.size()},
      {elf::DT_SYMTAB, symbols}, {elf::DT_SYMENT, sizeof(elf::Elf64_Sym)},
      {elf::DT_HASH, hash},      {elf::DT_NULL, 0}};
  for (auto [tag, value] : dynamic) append(bytes, tag), append(bytes, value);
  append(bytes, elf::Elf64_Sym{});
  for (std::uint32_t word : {1, 1, 0, 0}) append(bytes, word); // one bucket, one symbol: the null symbol
  return bytes + names;
}

// The files that a plugin is loaded from; they are not needed afterwards.
class Files {
public:
  ~Files() {
    if (!folder.empty()) llvm::sys::fs::remove_directories(folder);
  }
  bool create() { return !llvm::sys::fs::createUniqueDirectory("flydsl-plugin", folder); }
  bool write(llvm::StringRef name, llvm::StringRef bytes, std::string &path) {
    llvm::SmallString<128> full(folder);
    llvm::sys::path::append(full, name);
    path = full.str().str();
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    if (error) return false;
    stream << bytes;
    stream.close();
    bool written = !stream.has_error();
    stream.clear_error();
    return written;
  }

private:
  llvm::SmallString<128> folder;
};

class Registrations : public llvm::PassRegistrationListener {
public:
  Registrations() { llvm::PassRegistry::getPassRegistry()->addRegistrationListener(this); }
  ~Registrations() override { llvm::PassRegistry::getPassRegistry()->removeRegistrationListener(this); }
  void passRegistered(const llvm::PassInfo *info) override {
    std::lock_guard<std::mutex> lock(mutex);
    seen.push_back(info);
  }
  std::vector<const llvm::PassInfo *> seen;

private:
  std::mutex mutex;
};

// Options of a plugin cannot be set here, and a second content of it would declare them a second time, which is fatal.
void forgetOptionsBut(const llvm::DenseMap<llvm::StringRef, llvm::cl::Option *> &before) {
  std::vector<llvm::cl::Option *> added;
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (!before.count(entry.first)) added.push_back(entry.second);
  for (llvm::cl::Option *option : added) option->removeArgument();
}

std::string replaced(std::string text, const std::string &path, const std::string &by) {
  for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.replace(at, path.size(), by);
  return text;
}

// LLVM's own releases; plugins say by custom, in place of their version, which one they are for.
bool isOtherLlvm(llvm::StringRef version) {
  llvm::SmallVector<llvm::StringRef> parts;
  version.split(parts, '.');
  unsigned major, ignored;
  if (parts.size() != 3 || parts[0].getAsInteger(10, major) || parts[1].getAsInteger(10, ignored)) return false;
  return llvm::isDigit(parts[2][0]) && major >= 10 && major < 100 && major != LLVM_VERSION_MAJOR;
}

} // namespace

bool isOfLlvm(const void *address) { return fileOf(address) == llvmFile(); }

std::string describeEnd(const std::string &guarded) {
  constexpr llvm::StringLiteral crashed = "the compiler crashed with ";
  llvm::StringRef end(guarded);
  if (!end.consume_front(crashed)) return "failed: " + guarded;
  return "crashed: " + end.take_until([](char c) { return c == ';'; }).str();
}

std::string suggestion(llvm::StringRef name, llvm::ArrayRef<std::string> known) {
  unsigned best = std::max<std::size_t>(2, name.size() / 3) + 1;
  std::string closest;
  for (const std::string &candidate : known) {
    unsigned distance = name.edit_distance_insensitive(candidate, /*AllowReplacements=*/true, best);
    if (distance < best) best = distance, closest = candidate;
  }
  return closest.empty() || !best ? "" : "; did you mean '" + closest + "'?";
}

Plugin::Plugin(llvm::StringRef path) : name(llvm::sys::path::filename(path).str()) {}

void Plugin::registerIrPasses(llvm::PassBuilder &builder) const {
  if (callbacks) callbacks(builder);
}

bool Plugin::open(llvm::StringRef content, std::string &error) {
  Files files;
  std::string copy, wrapper;
  unsigned machine = content.size() > sizeof(elf::Elf64_Ehdr) && content.starts_with(elf::ElfMagic)
      ? unsigned(reinterpret_cast<const elf::Elf64_Ehdr *>(content.data())->e_machine)
      : unsigned(elf::EM_NONE);
  bool written = files.create() && files.write(name, content, copy) &&
      files.write("scope.so", libraryThatNeeds(llvmFile(), copy, machine), wrapper);
  if (!written) {
    error = "no temporary folder can be written";
    return false;
  }
  llvm::DenseMap<llvm::StringRef, llvm::cl::Option *> options = llvm::cl::getRegisteredOptions();
  Registrations registrations;
  bool opened = dlopen(wrapper.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
  if (opened) handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!handle) {
    error = "plugin '" + name + "' cannot be loaded: " + replaced(dlerror(), copy, name);
    return false;
  }
  forgetOptionsBut(options);
  for (const llvm::PassInfo *info : registrations.seen)
    if (!info->getPassArgument().empty() && fileOf(info->getTypeInfo()) == copy) passes[info->getPassArgument()] = info;
  return true;
}

bool Plugin::readInfo(std::string &error) {
  using GetInfo = llvm::PassPluginLibraryInfo();
  auto *get = reinterpret_cast<GetInfo *>(dlsym(handle, "llvmGetPassPluginInfo"));
  if (!get) return true;
  llvm::PassPluginLibraryInfo info = get();
  if (info.APIVersion != LLVM_PLUGIN_API_VERSION)
    error = "plugin '" + name + "' is for version " + std::to_string(info.APIVersion) + " of LLVM's plugin API; LLVM " +
        LLVM_VERSION_STRING + " has version " + std::to_string(LLVM_PLUGIN_API_VERSION);
  else if (info.PluginVersion && isOtherLlvm(info.PluginVersion))
    error = "plugin '" + name + "' is for LLVM " + info.PluginVersion + ", this one is " + LLVM_VERSION_STRING;
  callbacks = info.RegisterPassBuilderCallbacks;
  return error.empty();
}

const Plugin *Plugin::load(const std::string &path, std::string &error) {
  static auto &mutex = *new std::timed_mutex;
  static auto &loaded = *new std::map<std::string, const Plugin *>; // as long as the process: so is their code
  auto file =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!file) {
    error = "plugin '" + path + "' cannot be read: " + file.getError().message();
    return nullptr;
  }
  llvm::StringRef content = (*file)->getBuffer();
  llvm::SHA256 digest;
  digest.update(content);
  std::string key = llvm::toHex(digest.final());
  // By the system's clock, as ThreadSanitizer of GCC 12 does not see waits by the other one.
  std::unique_lock<std::timed_mutex> lock(mutex, std::chrono::system_clock::now() + std::chrono::minutes(1));
  if (!lock) {
    error = "plugin '" + path + "' cannot be loaded: another one did not come to an end when it was loaded here";
    return nullptr;
  }
  if (auto known = loaded.find(key); known != loaded.end()) return known->second;
  std::unique_ptr<Plugin> plugin(new Plugin(path));
  if (!plugin->open(content, error) || !plugin->readInfo(error)) return nullptr;
  return loaded[key] = plugin.release();
}

} // namespace flydsl
