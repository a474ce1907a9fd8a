// `fly-passes`: the passes of plugins in a process of their own, for whom their crashes must not matter; and options of
// LLVM, which are the whole process's.
//
// fly-passes [--OPTION=VALUE... --] COMMAND, which is one of
// fly-passes probe PLUGIN...                                   names of the passes, a line for each
// fly-passes run TARGET PIPELINE IN OUT PLUGIN...              LLVM IR passes
// fly-passes codegen TARGET PASSES IN OUT DUMPS PLUGIN...      code generation with further machine passes
//
// TARGET is triple, chip, features, optimisation level and the flags `a` (assembly) and `o` (optimise), by ';'. PASSES
// is one `pass;point;where;instance` a line. DUMPS is a folder for the code around each pass, or empty. Messages are on
// the standard output, as JSON; the exit code is 1 then.
#include "api.h"
#include "plugins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace {

using Words = llvm::SmallVector<llvm::StringRef>;

template <typename T>
bool succeeded(const flydsl::Outcome<T> &outcome) {
  if (outcome.value) return true;
  llvm::json::Array diagnostics;
  for (const flydsl::Diagnostic &d : outcome.failure.diagnostics)
    diagnostics.push_back(
        llvm::json::Array{d.severity, llvm::json::fixUTF8(d.message), llvm::json::fixUTF8(d.file), d.line, d.column});
  llvm::outs() << llvm::json::Value(llvm::json::Object{{"message", llvm::json::fixUTF8(outcome.failure.message)},
                                                       {"diagnostics", std::move(diagnostics)},
                                                       {"of_pass", outcome.failure.ofPass}})
               << "\n";
  return false;
}

Words wordsOf(llvm::StringRef text, char separator) {
  Words words;
  text.split(words, separator);
  return words;
}

int number(llvm::StringRef text) {
  int value = 0;
  return text.getAsInteger(10, value) ? 0 : value;
}

flydsl::CodegenOptions targetOf(llvm::StringRef text) {
  Words words = wordsOf(text, ';');
  words.resize(5);
  return {words[0].str(),
          words[1].str(),
          words[2].str(),
          number(words[3]),
          words[4].contains('a'),
          words[4].contains('o'),
          true};
}

std::vector<flydsl::MachinePass> passesOf(llvm::StringRef text) {
  std::vector<flydsl::MachinePass> passes;
  for (llvm::StringRef line : wordsOf(text, '\n')) {
    if (line.empty()) continue;
    Words words = wordsOf(line, ';');
    words.resize(4);
    passes.push_back({words[0].str(), words[1].str(), words[2].str(), number(words[3])});
  }
  return passes;
}

std::string read(const char *path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

void write(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << bytes;
}

// Why `option`, as `--name=value`, cannot be set; empty when it can be.
std::string objection(llvm::StringRef option) {
  constexpr llvm::StringLiteral endings[] = {"help",    "help-hidden",   "help-list",        "help-list-hidden",
                                             "version", "print-options", "print-all-options"};
  llvm::StringRef name = option.ltrim('-').take_until([](char c) { return c == '='; });
  const auto &known = llvm::cl::getRegisteredOptions();
  if (known.contains(name)) return llvm::is_contained(endings, name) ? "it prints a text and ends the process" : "";
  std::vector<std::string> names;
  for (const auto &entry : known) names.push_back(entry.first.str());
  llvm::sort(names); // else the nearest one depends on the order of a hash table
  return "there is none" + flydsl::suggestion(name, names);
}

// Sets LLVM's options, or reports the first that cannot be set.
bool setOptions(llvm::ArrayRef<const char *> options) {
  flydsl::Outcome<bool> done;
  for (llvm::StringRef option : options)
    if (std::string why = objection(option); !why.empty())
      done.failOfPass("LLVM option '" + option.ltrim('-').str() + "': " + why);
  if (done.failure.message.empty()) {
    llvm::SmallVector<const char *> line{"fly-passes"};
    line.append(options.begin(), options.end());
    if (llvm::cl::ParseCommandLineOptions(static_cast<int>(line.size()), line.data(), "", &llvm::errs())) return true;
    done.failOfPass("LLVM options:"); // what is wrong is on the standard error
  }
  return succeeded(done);
}

int probe(const std::vector<std::string> &plugins) {
  for (const std::string &plugin : plugins) {
    auto names = flydsl::pluginPasses(plugin);
    if (!succeeded(names)) return 1;
    for (const std::string &name : *names.value) llvm::outs() << name << "\n";
  }
  return 0;
}

int codegen(char **arguments, const std::vector<std::string> &plugins) {
  std::vector<flydsl::Stage> stages;
  const std::string dumps = arguments[4];
  auto code = flydsl::codegenWithPasses(read(arguments[2]), targetOf(arguments[0]), passesOf(arguments[1]), plugins,
                                        dumps.empty() ? nullptr : &stages);
  for (std::size_t i = 0; i < stages.size(); ++i)
    write(dumps + "/" + llvm::utohexstr(0x1000 + i) + "_" + stages[i].pass, stages[i].text);
  if (!succeeded(code)) return 1;
  write(arguments[3], *code.value);
  return 0;
}

int run(char **arguments, const std::vector<std::string> &plugins) {
  auto code = flydsl::runIrPasses(read(arguments[2]), targetOf(arguments[0]), arguments[1], plugins);
  if (!succeeded(code)) return 1;
  write(arguments[3], *code.value);
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  if (count > 1 && llvm::StringRef(arguments[1]).starts_with("--")) {
    int end = 1;
    while (end < count && llvm::StringRef(arguments[end]) != "--") ++end;
    if (!setOptions(llvm::ArrayRef<const char *>(arguments + 1, arguments + end))) {
      llvm::outs().flush();
      _exit(1);
    }
    arguments += end, count -= end;
  }
  const std::string command = count > 1 ? arguments[1] : "";
  int first = command == "probe" ? 2 : command == "run" ? 6 : command == "codegen" ? 7 : count + 1;
  if (count < first) {
    llvm::errs() << "usage: fly-passes [--OPTION=VALUE... --] probe PLUGIN... | run TARGET PIPELINE IN OUT PLUGIN... | "
                    "codegen TARGET PASSES IN OUT DUMPS PLUGIN...\n";
    return 2;
  }
  const std::vector<std::string> plugins(arguments + first, arguments + count);
  int code = command == "probe" ? probe(plugins)
      : command == "run"        ? run(arguments + 2, plugins)
                                : codegen(arguments + 2, plugins);
  llvm::outs().flush();
  _exit(code); // a plugin that crashed while it was loaded holds the loader's lock
}
