// A format and the bytes of its arguments in, the text that C's printf writes out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flysim {

struct PrintfArguments {
  const uint8_t *at, *end;
  // Bytes of each argument, as OpenCL's compilers lay them out. Empty: words of eight bytes, text in place and filled
  // up to such words.
  std::vector<uint32_t> sizes;
};

// Where arguments are missing the text ends, as on a GPU.
std::string printf_text(const std::string &format, PrintfArguments arguments);

// One piece: no other thread's text comes between.
void write_out(const std::string &text, bool to_stderr);

} // namespace flysim
