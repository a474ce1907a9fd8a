// Records one after the other behind the number of bytes in use.
#include "printf_buffer.h"

#include "printf.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace flysim {
namespace {

constexpr uint32_t kBytes = 4 << 20, kHeader = 8;

template <class T> T read(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Bytes of a record of HIP: a word of flags and the size, the format's hash or the format itself, arguments in words of
// eight bytes.
size_t print_hashed(const PrintfFormats &formats, const uint8_t *at, const uint8_t *end, std::string &out,
                    std::string &error) {
  const auto control = read<uint32_t>(at);
  const size_t size = control >> 2;
  const uint8_t *stop = at + size;
  if (size < 4 || size > size_t(end - at)) return size_t(end - at);
  at += 4;
  std::string format;
  if (control & 2) {
    if (stop - at < 8) return size;
    const auto found = formats.by_number.find(read<uint64_t>(at));
    if (found == formats.by_number.end()) return size;
    format = found->second.text;
    at += 8;
  } else {
    const auto *text = reinterpret_cast<const char *>(at);
    format.assign(text, strnlen(text, size_t(stop - at)));
    at += std::min<size_t>((format.size() + 8) & ~size_t(7), size_t(stop - at));
  }
  (control & 1 ? error : out) += printf_text(format, {at, stop, {}});
  return size;
}

// Of OpenCL: the format's number, arguments of the sizes that the metadata gives.
size_t print_sized(const PrintfFormats &formats, const uint8_t *at, const uint8_t *end, std::string &out) {
  const auto found = formats.by_number.find(read<uint32_t>(at));
  if (found == formats.by_number.end()) return size_t(end - at);
  const PrintfFormat &format = found->second;
  size_t size = 4;
  for (const uint32_t bytes : format.sizes) size += bytes;
  out += printf_text(format.text, {at + 4, std::min(at + size, end), format.sizes});
  return size;
}

} // namespace

PrintfBuffer::PrintfBuffer() : pages(kBytes) { std::memcpy(pages.base + 4, &kBytes, sizeof kBytes); }

void PrintfBuffer::print(const PrintfFormats &formats) const {
  const uint8_t *at = pages.base + kHeader, *end = at + std::min(read<uint32_t>(pages.base), kBytes - kHeader);
  std::string out, error;
  while (end - at >= 4)
    at += formats.hashed ? print_hashed(formats, at, end, out, error) : print_sized(formats, at, end, out);
  if (!out.empty()) write_out(out, false);
  if (!error.empty()) write_out(error, true);
}

} // namespace flysim
