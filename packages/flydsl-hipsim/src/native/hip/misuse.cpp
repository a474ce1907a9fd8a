// In: misuses noted and the tables of live objects; out: the report, on request and when the process ends.
#include "misuse.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "event.h"
#include "memory.h"

namespace hipsim {
namespace {

struct Notes {
  Mutex mutex;
  std::vector<std::string> lines;
  bool at_exit = false;
};

Notes &notes() {
  static auto *instance = new Notes;
  return *instance;
}

std::string misuses() {
  Notes &all = notes();
  std::lock_guard lock(all.mutex);
  std::string text;
  for (const std::string &line : all.lines) text += "misuse: " + line + "\n";
  return text;
}

std::string count_line(size_t count, const char *what) {
  return count ? "leaked: " + std::to_string(count) + " " + what + "\n" : "";
}

std::string report() {
  std::string text = misuses() + memory_leaks();
  text += count_line(streams().all().size(), "streams");
  text += count_line(events().all().size(), "events");
  return text + graph_leaks() + pool_leaks();
}

// Without modules: a process keeps the code that it has loaded.
void print_report() {
  const std::string text = report();
  if (!text.empty()) std::fprintf(stderr, "hipsim: at exit\n%s", text.c_str());
}

} // namespace

void note_misuse(const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  Notes &all = notes();
  std::lock_guard lock(all.mutex);
  all.lines.emplace_back(text);
}

} // namespace hipsim

using namespace hipsim;

// The report so far; gives the length of the whole text.
HIPSIM_EXPORT uint64_t flysim_hip_report(char *text, uint64_t size) {
  const std::string found = report() + module_leaks();
  if (text && size) std::snprintf(text, size, "%s", found.c_str());
  return found.size();
}

HIPSIM_EXPORT void flysim_hip_forget_misuses() {
  Notes &all = notes();
  std::lock_guard lock(all.mutex);
  all.lines.clear();
}

// Print the report to the standard error output when the process ends.
HIPSIM_EXPORT void flysim_hip_report_at_exit() {
  Notes &all = notes();
  std::lock_guard lock(all.mutex);
  if (!all.at_exit) std::atexit(print_report);
  all.at_exit = true;
}
