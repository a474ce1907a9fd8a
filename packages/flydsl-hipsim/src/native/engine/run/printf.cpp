// Formats taken apart at their conversions; each value printed by the C library, which knows all flags, widths and
// digits.
#include "printf.h"

#include "engine/vector/lanes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace flysim {
namespace {

constexpr char kIntegers[] = "dioxXuc", kFloats[] = "fFeEgGaA";

bool is_one_of(char c, const char *set) { return c && std::strchr(set, c); }

// One conversion: `flags` with width and digits, as in the format.
struct Conversion {
  std::string flags, length;
  char letter = 0;
  int stars = 0, elements = 0; // of a vector of OpenCL

  bool is_wide() const { return length == "l" || length == "ll" || is_one_of(length[0], "jztqL"); }
};

// What follows '%' at `at`; it is left after the conversion's letter. False when the format ends before.
bool parse(const std::string &format, size_t &at, Conversion &made) {
  for (; at < format.size() && is_one_of(format[at], "-+ #0'*.123456789"); ++at) {
    made.flags += format[at];
    made.stars += format[at] == '*';
  }
  if (at < format.size() && format[at] == 'v') made.elements = int(std::strtol(format.c_str() + at + 1, nullptr, 10));
  for (; at < format.size() && is_one_of(format[at], "v0123456789"); ++at) {
  }
  for (; at < format.size() && is_one_of(format[at], "hljztqL"); ++at) made.length += format[at];
  if (at >= format.size()) return false;
  made.letter = format[at++];
  return true;
}

struct Ended : std::runtime_error {
  Ended() : std::runtime_error("no argument is left") {}
};

class Reader {
public:
  explicit Reader(PrintfArguments given) : from(std::move(given)) {}

  // An argument of a few bytes, zeros above; `size` is how many there were.
  uint64_t number(uint32_t &size, uint32_t parts = 1) {
    size = next_size() / parts;
    return take(size);
  }
  uint64_t take(uint32_t size) {
    if (size > uint64_t(from.end - from.at)) throw Ended();
    uint64_t value = 0;
    std::memcpy(&value, from.at, std::min<size_t>(size, 8));
    from.at += size;
    return value;
  }
  std::string text() {
    const bool in_words = from.sizes.empty();
    const size_t most =
        in_words ? size_t(from.end - from.at) : std::min<size_t>(next_size(), size_t(from.end - from.at));
    if (!most) throw Ended();
    const std::string made(reinterpret_cast<const char *>(from.at),
                           strnlen(reinterpret_cast<const char *>(from.at), most));
    from.at += in_words ? std::min(most, (made.size() + 8) & ~size_t(7)) : most;
    return made;
  }
  uint32_t next_size() {
    if (from.sizes.empty()) return 8;
    if (argument >= from.sizes.size()) throw Ended();
    return from.sizes[argument++];
  }

private:
  PrintfArguments from;
  size_t argument = 0;
};

template <class T> std::string printed(const Conversion &c, const char *end, const int *stars, T value) {
  const std::string format = "%" + c.flags + end;
  const auto print = [&](char *to, size_t size) {
    if (c.stars == 0) return std::snprintf(to, size, format.c_str(), value);
    if (c.stars == 1) return std::snprintf(to, size, format.c_str(), stars[0], value);
    return std::snprintf(to, size, format.c_str(), stars[0], stars[1], value);
  };
  const int length = print(nullptr, 0);
  if (length < 0) return "";
  std::string made(size_t(length) + 1, 0);
  print(made.data(), made.size());
  made.pop_back();
  return made;
}

std::string integer_text(const Conversion &c, const int *stars, uint64_t value, uint32_t size) {
  if (c.letter == 'c') return printed(c, "c", stars, int(value));
  const int bits = c.length == "hh" ? 8 : c.length == "h" ? 16 : c.is_wide() && size == 8 ? 64 : 32, unused = 64 - bits;
  const char end[] = {'l', 'l', c.letter, 0};
  if (is_one_of(c.letter, "di")) return printed(c, end, stars, static_cast<long long>(value << unused) >> unused);
  return printed(c, end, stars, static_cast<unsigned long long>(value << unused >> unused));
}

double float_value(uint64_t value, uint32_t size) {
  if (size == 2) return half_to_float(uint16_t(value));
  const uint32_t word = uint32_t(value);
  float single;
  double both;
  std::memcpy(&single, &word, sizeof single);
  std::memcpy(&both, &value, sizeof both);
  return size == 4 ? single : both;
}

std::string element_text(const Conversion &c, const int *stars, uint64_t value, uint32_t size) {
  const char end[] = {c.letter, 0};
  if (is_one_of(c.letter, kFloats)) return printed(c, end, stars, float_value(value, size));
  if (c.letter == 'p') return printed(c, end, stars, reinterpret_cast<void *>(value));
  if (c.letter == 'n') return "";
  return integer_text(c, stars, value, size);
}

// OpenCL: elements separated by commas; vectors of 3 have room for 4.
std::string vector_text(const Conversion &c, const int *stars, Reader &arguments) {
  const uint32_t parts = c.elements == 3 ? 4 : uint32_t(c.elements);
  const uint32_t size = arguments.next_size() / parts;
  std::string made;
  for (uint32_t k = 0; k < parts; ++k) {
    const uint64_t value = arguments.take(size);
    if (int(k) < c.elements) made += (k ? "," : "") + element_text(c, stars, value, size);
  }
  return made;
}

std::string value_text(const Conversion &c, Reader &arguments) {
  int stars[2] = {};
  uint32_t size = 0;
  for (int k = 0; k < c.stars; ++k) stars[k] = int(arguments.number(size));
  if (c.letter == 's') return printed(c, "s", stars, arguments.text().c_str());
  if (c.elements > 1 && c.elements <= 16) return vector_text(c, stars, arguments);
  const uint64_t value = arguments.number(size);
  return element_text(c, stars, value, size);
}

} // namespace

std::string printf_text(const std::string &format, PrintfArguments given) {
  Reader arguments(std::move(given));
  std::string text;
  try {
    for (size_t at = 0; at < format.size();) {
      const size_t percent = std::min(format.find('%', at), format.size());
      text.append(format, at, percent - at);
      if (percent == format.size()) break;
      at = percent + 1;
      if (at < format.size() && format[at] == '%') {
        text += '%';
        ++at;
        continue;
      }
      Conversion conversion;
      if (!parse(format, at, conversion) || conversion.stars > 2) break;
      if (!is_one_of(conversion.letter, kIntegers) && !is_one_of(conversion.letter, kFloats) &&
          !is_one_of(conversion.letter, "spn"))
        break;
      text += value_text(conversion, arguments);
    }
  } catch (const Ended &) {
  }
  return text;
}

void write_out(const std::string &text, bool to_stderr) {
  FILE *stream = to_stderr ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

} // namespace flysim
