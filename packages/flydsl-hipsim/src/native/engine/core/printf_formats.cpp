// The lines of the metadata `amdhsa.printf`: OpenCL's with the sizes of arguments, HIP's with a hash.
#include "printf_formats.h"

#include <cstdlib>
#include <string_view>

namespace flysim {
namespace {

constexpr char kHashed[] = "0:0:";

// The compiler writes these for characters that the metadata cannot have.
std::string unescaped(const std::string &text) {
  constexpr std::string_view letters = "abfnrv", characters = "\a\b\f\n\r\v";
  std::string made;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\\' && text.compare(k, 3, "\\72") == 0) made += ':', k += 2;
    else if (const size_t found = text[k] == '\\' && k + 1 < text.size() ? letters.find(text[k + 1]) : letters.npos;
             found != letters.npos)
      made += characters[found], ++k;
    else made += text[k];
  }
  return made;
}

} // namespace

void PrintfFormats::add(const std::string &line) {
  if (line.starts_with(kHashed)) {
    hashed = true;
    const size_t begin = sizeof kHashed - 1, comma = line.find(',', begin);
    if (comma != line.npos) by_number[std::strtoull(line.c_str() + begin, nullptr, 16)] = {line.substr(comma + 1), {}};
    return;
  }
  const size_t last = line.rfind(':'); // those of the format are escaped
  if (last == line.npos) return;
  PrintfFormat made{unescaped(line.substr(last + 1)), {}};
  char *at = nullptr;
  const uint64_t number = std::strtoull(line.c_str(), &at, 10);
  if (*at == ':') std::strtoull(at + 1, &at, 10); // how many arguments
  while (at < line.c_str() + last) made.sizes.push_back(uint32_t(std::strtoul(at + 1, &at, 10)));
  by_number[number] = std::move(made);
}

} // namespace flysim
