// In: an ELF code object or clang's bundle of several; out: the one of a chip, with its size.
#include "image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "device.h"
#include "host_memory.h"

namespace hipsim {
namespace {

constexpr char kBundle[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint32_t kMachineMask = 0xff, kXnack = 0x300, kXnackOff = 0x200, kSramecc = 0xc00, kSrameccOff = 0x800;
constexpr uint64_t kMostEntries = 1024;

template <typename T> T read(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// What headers describe must be memory that can be read: they may be damaged.
void check_readable(const char *bytes, uint64_t offset, uint64_t size) {
  const size_t most = readable_bytes(bytes);
  if (offset <= most && size <= most - offset) return;
  fail(kInvalidImage, "the image is damaged: %llu bytes at offset %llu are not in memory", static_cast<unsigned long long>(size),
       static_cast<unsigned long long>(offset));
}

// The end of what the headers describe: HIP is told no size.
uint64_t elf_size(const char *bytes) {
  const auto header = read<Elf64_Ehdr>(bytes);
  const uint64_t sections = uint64_t{header.e_shentsize} * header.e_shnum, segments = uint64_t{header.e_phentsize} * header.e_phnum;
  if (header.e_phentsize != sizeof(Elf64_Phdr)) fail(kInvalidImage, "the image is damaged: segments of %d bytes", header.e_phentsize);
  check_readable(bytes, header.e_shoff, sections), check_readable(bytes, header.e_phoff, segments);
  uint64_t end = std::max<uint64_t>(header.e_shoff + sections, header.e_phoff + segments);
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(bytes + header.e_phoff + uint64_t{i} * header.e_phentsize);
    check_readable(bytes, segment.p_offset, segment.p_filesz);
    end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

// As in a target id: the chip, then features that the code was made for one state of.
std::string target_of(uint32_t flags) {
  const char *machine = target_of_machine(flags & kMachineMask);
  if (!machine) return "";
  std::string target = machine;
  if ((flags & kSramecc) >= kSrameccOff) target += (flags & kSramecc) == kSramecc ? ":sramecc+" : ":sramecc-";
  if ((flags & kXnack) >= kXnackOff) target += (flags & kXnack) == kXnack ? ":xnack+" : ":xnack-";
  return target;
}

// Code for the chip or for a generic target that it belongs to; features that are named are in the device's state.
bool fits(const std::string &target, const Chip &chip) {
  const std::string name = target.substr(0, target.find(':')), features = std::string(chip.features) + ":";
  if (name.empty() || (name != chip.arch && name != chip.generic)) return false;
  for (size_t at = name.size(), next; at < target.size(); at = next) {
    next = std::min(target.find(':', at + 1), target.size());
    if (features.find(target.substr(at, next - at) + ":") == std::string::npos) return false;
  }
  return true;
}

void check_elf(const char *bytes, const Chip &chip) {
  const auto header = read<Elf64_Ehdr>(bytes);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachineAmdgpu)
    fail(kInvalidImage, "the ELF image is no AMD code object: class %d, machine %d", header.e_ident[EI_CLASS], header.e_machine);
  const uint32_t machine = header.e_flags & kMachineMask;
  const std::string target = target_of(header.e_flags);
  if (target.empty()) fail(kNoBinaryForGpu, "the code object is for the chip with ELF machine %#x, the device is a %s", machine, chip.arch);
  if (!fits(target, chip)) {
    const char *features = target.find(':') == std::string::npos ? "" : chip.features;
    fail(kNoBinaryForGpu, "the code object is for %s, the device is a %s%s", target.c_str(), chip.arch, features);
  }
}

// An entry's id is kind-triple--target.
std::string target_in(const std::string &id) {
  const size_t at = id.find("--");
  return id.rfind("hip", 0) == 0 && at != std::string::npos ? id.substr(at + 2) : "";
}

// Code for the chip itself rather than generic code.
Image from_bundle(const char *bytes, const Chip &chip) {
  const char *at = bytes + sizeof kBundle - 1;
  const auto count = read<uint64_t>(at);
  if (count > kMostEntries) fail(kInvalidImage, "the bundle says it has %llu entries", static_cast<unsigned long long>(count));
  at += sizeof(uint64_t);
  std::string found;
  Image best{};
  for (uint64_t i = 0; i < count; ++i) {
    check_readable(at, 0, 24);
    const auto offset = read<uint64_t>(at), size = read<uint64_t>(at + 8), length = read<uint64_t>(at + 16);
    check_readable(at + 24, 0, length);
    const std::string id(at + 24, std::min<uint64_t>(length, 256));
    if (const std::string target = target_in(id); fits(target, chip) && (!best.bytes || target.rfind(chip.arch, 0) == 0)) {
      check_readable(bytes, offset, std::max<uint64_t>(size, sizeof(Elf64_Ehdr)));
      best = {bytes + offset, size};
    }
    found += (found.empty() ? "" : ", ") + id;
    at += 24 + length;
  }
  if (best.bytes) return best;
  fail(kNoBinaryForGpu, "the bundle has no code object for %s, only for %s", chip.arch, found.c_str());
}

} // namespace

Image select_image(const void *image, const Chip &chip) {
  const auto *bytes = static_cast<const char *>(image);
  check_readable(bytes, 0, sizeof(Elf64_Ehdr));
  if (!std::strncmp(bytes, kBundle, sizeof kBundle - 1)) {
    const Image found = from_bundle(bytes, chip);
    check_elf(found.bytes, chip);
    return found;
  }
  if (std::strncmp(bytes, ELFMAG, SELFMAG)) fail(kInvalidImage, "the image is neither an ELF file nor a bundle of them");
  check_elf(bytes, chip);
  return {bytes, elf_size(bytes)};
}

} // namespace hipsim
