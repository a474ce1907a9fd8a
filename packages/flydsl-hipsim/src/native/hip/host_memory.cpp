// In: words that may be addresses; out: mappings of this process around them.
#include "host_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "memory.h"

namespace hipsim {
namespace {

// Neighbours are one: advice on a part of an array splits its mapping. Allocations have untouchable pages around them.
std::vector<FlySimRange> mappings(bool are_writable) {
  std::vector<FlySimRange> found;
  unsigned long last = 0;
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen("/proc/self/maps", "r"), std::fclose);
  char line[512];
  while (file && std::fgets(line, sizeof line, file.get())) {
    unsigned long begin = 0, end = 0;
    char mode[5] = "";
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, mode) != 3 || mode[0] != 'r' || (are_writable && mode[1] != 'w'))
      continue;
    if (begin == last) found.back().size += end - begin;
    else found.push_back({reinterpret_cast<void *>(begin), end - begin});
    last = end;
  }
  return found;
}

// Linux 6.11 on says what is mapped at one address; the whole list takes as long as a hundred small launches.
class MapQuery {
public:
  MapQuery() : file(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapQuery() {
    if (file >= 0) close(file);
  }
  MapQuery(const MapQuery &) = delete;

  bool is_known() {
    Question question;
    question.address = reinterpret_cast<uintptr_t>(&question);
    return ask(question);
  }
  // The mapping around an address with its neighbours, when kernels may read and write it; else one of no bytes.
  FlySimRange around(uintptr_t address) {
    Question question;
    question.address = address;
    if (!ask(question) || !is_open(question)) return {};
    uintptr_t begin = question.begin, end = question.end;
    for (question.address = begin - 1; ask(question) && is_open(question); question.address = begin - 1)
      begin = question.begin;
    for (question.address = end; ask(question) && is_open(question); question.address = end) end = question.end;
    return {reinterpret_cast<void *>(begin), end - begin};
  }

private:
  struct Question { // struct procmap_query of linux/fs.h
    uint64_t size = sizeof(Question), flags = 0, address = 0, begin = 0, end = 0, permissions = 0, others[3] = {};
    uint32_t device[2] = {}, name_sizes[2] = {};
    uint64_t names[2] = {};
  };
  bool ask(Question &question) { return file >= 0 && ioctl(file, _IOWR('f', 17, Question), &question) == 0; }
  static bool is_open(const Question &question) { return (question.permissions & 3) == 3; }

  const int file;
};

} // namespace

std::vector<uintptr_t> host_addresses(const std::vector<char> &arguments) {
  constexpr uintptr_t kLowest = 1 << 16, kHighest = uintptr_t{1} << 47;
  std::vector<uintptr_t> found;
  for (size_t at = 0; at + sizeof(uintptr_t) <= arguments.size(); at += sizeof(uintptr_t)) {
    uintptr_t word;
    std::memcpy(&word, arguments.data() + at, sizeof word);
    if (word >= kLowest && word < kHighest && is_host_memory(reinterpret_cast<void *>(word))) found.push_back(word);
  }
  return found;
}

std::vector<FlySimRange> host_mappings(const std::vector<uintptr_t> &addresses) {
  if (addresses.empty()) return {};
  std::vector<FlySimRange> found;
  const auto holds = [](const FlySimRange &mapping, uintptr_t address) {
    return address - reinterpret_cast<uintptr_t>(mapping.base) < mapping.size;
  };
  if (MapQuery query; query.is_known()) {
    for (const uintptr_t address : addresses) {
      if (std::any_of(found.begin(), found.end(), [&](const FlySimRange &mapping) { return holds(mapping, address); }))
        continue;
      if (const FlySimRange mapping = query.around(address); mapping.size) found.push_back(mapping);
    }
    return found;
  }
  for (const FlySimRange &mapping : mappings(true))
    if (std::any_of(addresses.begin(), addresses.end(), [&](uintptr_t address) { return holds(mapping, address); }))
      found.push_back(mapping);
  return found;
}

size_t readable_bytes(const void *address) {
  for (const FlySimRange &mapping : mappings(false)) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(mapping.base);
    if (offset < mapping.size) return mapping.size - offset;
  }
  return 0;
}

} // namespace hipsim
