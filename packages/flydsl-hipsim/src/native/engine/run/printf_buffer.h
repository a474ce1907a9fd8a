// What a launch's kernels left in the buffer of printf in, printed lines out: OpenCL's printf and HIP's
// `-mprintf-kind=buffered`.
#pragma once
#include "host_calls.h"

namespace flysim {

// Formats of a program, by the number that stands in the buffer in their place.
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

class PrintfBuffer {
public:
  PrintfBuffer();
  uint64_t address() const { return range().begin; }
  Range range() const { return pages.range(); }
  // Everything that is in it, in the order in which kernels took their places.
  void print(const PrintfFormats &formats) const;

private:
  Pages pages;
};

} // namespace flysim
