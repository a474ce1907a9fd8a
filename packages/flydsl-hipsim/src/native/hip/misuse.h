// What the program did wrong and what it left behind, as lines of a report.
#pragma once
#include <string>

namespace hipsim {

// A fault of the program that a caller may swallow: kept for the report.
[[gnu::format(printf, 1, 2)]] void note_misuse(const char *format, ...);

std::string graph_leaks();
std::string module_leaks();
std::string pool_leaks();

} // namespace hipsim
