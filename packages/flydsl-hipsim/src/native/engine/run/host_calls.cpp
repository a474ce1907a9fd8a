// The host's side of ockl's calls: printf in pieces of seven words, memory for the device's malloc.
#include "host_calls.h"

#include "engine/core/wave.h"
#include "include/flysim.h"
#include "printf.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace flysim {
namespace {

enum Service : uint32_t { kFunction = 1, kPrintf = 2, kMemory = 3, kSanitizer = 4 };
constexpr size_t kSlotWords = 8, kPayloadBytes = kLanes * kSlotWords * 8;
constexpr uint32_t kReady = 1;
constexpr size_t kSlab = 2 << 20, kPage = 4096, kHeapBytes = 128 << 10;

// A piece of a message: flags, how many words follow, the message's number.
constexpr uint64_t kBegin = 1, kEnd = 2;
constexpr uint64_t words_of(uint64_t piece) { return piece >> 5 & 7; }
constexpr uint64_t number_of(uint64_t piece) { return piece >> 8; }

uint8_t *map_pages(size_t size) {
  void *place = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  return static_cast<uint8_t *>(place);
}

// Blocks of the device's malloc; its slabs must be aligned to their size.
uint64_t give_memory(uint64_t size) {
  void *place = std::aligned_alloc(size == kSlab ? kSlab : kPage, (size + kPage - 1) & ~(kPage - 1));
  if (!place) return 0;
  std::memset(place, 0, size);
  flysim_memory_add(place, size, 0);
  return reinterpret_cast<uint64_t>(place);
}

void take_memory(uint64_t address) {
  const void *base = nullptr;
  auto *place = reinterpret_cast<void *>(address);
  if (!flysim_memory_find(place, &base, nullptr) || base != place)
    throw Fault("the kernel frees memory that its malloc did not give");
  flysim_memory_forget(place);
  std::free(place);
}

} // namespace

// As the device libraries have them; a link is a packet's index with a counter above, so that no stack takes an old one
// for a new one.
struct HostCalls::Packet {
  uint64_t next, lanes;
  uint32_t service;
  std::atomic<uint32_t> control;
};
struct HostCalls::Buffer {
  Packet *packets;
  uint64_t (*payloads)[kLanes][kSlotWords];
  void *doorbell;
  std::atomic<uint64_t> free, ready;
  uint64_t mask;
  uint64_t signal[16]; // hsa_signal_t of a user, with no mailbox: adding to it is all that waves do
};

Pages::Pages(size_t size) : base(map_pages(size)), size(size) {}
Pages::~Pages() { munmap(base, size); }

static uint64_t packets_for(uint64_t waves) {
  uint64_t count = 2;
  while (count < waves) count *= 2;
  return count;
}

HostCalls::HostCalls(uint64_t waves)
    : count(packets_for(waves)), pages(sizeof(Buffer) + count * (sizeof(Packet) + kPayloadBytes)) {
  Buffer &made = *new (pages.base) Buffer;
  made.packets = reinterpret_cast<Packet *>(pages.base + sizeof(Buffer));
  made.payloads = reinterpret_cast<uint64_t (*)[kLanes][kSlotWords]>(made.packets + count);
  made.doorbell = made.signal;
  made.mask = count - 1;
  made.signal[0] = 1; // its kind
  for (uint64_t k = 1; k < count; ++k) made.packets[k].next = k == 1 ? count : k - 1;
  made.free = count - 1;
}

HostCalls::Buffer &HostCalls::buffer() const { return *std::launder(reinterpret_cast<Buffer *>(pages.base)); }

void HostCalls::serve() {
  Buffer &b = buffer();
  if (!b.ready.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex);
  uint64_t next = b.ready.exchange(0);
  while (next) {
    const uint64_t k = next & b.mask;
    Packet &packet = b.packets[k];
    next = packet.next; // the packet is the wave's again at the end
    for (int lane = 0; lane < kLanes; ++lane)
      if (packet.lanes >> lane & 1) answer(packet.service, b.payloads[k][lane]);
    if (!out.empty()) write_out(std::exchange(out, {}), false);
    if (!error.empty()) write_out(std::exchange(error, {}), true);
    packet.control.fetch_and(~kReady);
  }
}

void HostCalls::answer(uint32_t service, uint64_t *words) {
  switch (service) {
  case kPrintf: return printf(words);
  case kMemory:
    if (words[0]) take_memory(words[0]);
    else words[0] = give_memory(words[1]);
    return;
  case kFunction:
    throw Fault("the kernel calls a function of the host: of calls of the host, only printf and malloc are served");
  default:
    throw Fault("the kernel asks the host for service " + std::to_string(service) +
                ": only printf and malloc are served");
  }
}

// All pieces of a message, then its text: a word of flags, the format, the arguments.
void HostCalls::printf(uint64_t *words) {
  uint64_t piece = words[0];
  if (piece & kBegin) {
    piece = (piece & 0xfe) | ++last_message << 8;
    messages[last_message];
  }
  const auto found = messages.find(number_of(piece));
  if (found == messages.end()) throw Fault("the kernel goes on with a message that it has not begun");
  std::vector<uint64_t> &data = found->second;
  data.insert(data.end(), words + 1, words + 1 + words_of(piece));
  words[0] = piece;
  if (!(piece & kEnd)) return;
  const auto *begin = reinterpret_cast<const uint8_t *>(data.data()), *end = begin + data.size() * 8;
  std::string text;
  if (data.size() > 1) {
    const auto *format = reinterpret_cast<const char *>(begin + 8);
    const std::string copy(format, strnlen(format, size_t(end - begin - 8)));
    const size_t filled = std::min<size_t>((copy.size() + 8) & ~size_t(7), size_t(end - begin - 8));
    text = printf_text(copy, {begin + 8 + filled, end, {}});
    (data[0] & 1 ? error : out) += text;
  }
  messages.erase(found);
  words[0] = text.size();
}

uint64_t device_heap() {
  static Pages *heap = [] {
    auto *made = new Pages(kHeapBytes);
    flysim_memory_add(made->base, made->size, 0);
    return made;
  }();
  return heap->range().begin;
}

} // namespace flysim
