// Formats of a program's printf, as the metadata of its code object has them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace flysim {

// One of them; its number stands for it in the buffer of printf.
struct PrintfFormat {
  std::string text;
  std::vector<uint32_t> sizes; // of the arguments
};

struct PrintfFormats {
  // A line of the metadata `amdhsa.printf`.
  void add(const std::string &line);

  std::map<uint64_t, PrintfFormat> by_number;
  bool hashed = false; // numbers are hashes: HIP
};

} // namespace flysim
