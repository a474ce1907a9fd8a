// What a launch's kernels left in the buffer of printf in, printed lines out: OpenCL's printf and HIP's
// `-mprintf-kind=buffered`.
#pragma once
#include "engine/core/printf_formats.h"
#include "host_calls.h"

namespace flysim {

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
