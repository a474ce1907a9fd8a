// A text in, the caller's buffer filled with as much of it as fits.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace flysim {

inline int report(int code, const std::string &text, char *message, uint64_t size) {
  if (message && size) {
    const uint64_t length = std::min<uint64_t>(size - 1, text.size());
    std::memcpy(message, text.data(), length);
    message[length] = 0;
  }
  return code;
}

} // namespace flysim
