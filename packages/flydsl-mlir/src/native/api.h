// What the Python bindings see of the native part: plain C++ in, plain C++ out, no LLVM header, no exception.
// Every function may be called from any thread without the GIL, and reports failure as data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flydsl {

/// One message of a tool; line and column are 1-based, 0 when unknown.
struct Diagnostic {
  std::string severity;
  std::string message;
  std::string file;
  int line = 0;
  int column = 0;
};

struct Failure {
  std::string message;
  std::vector<Diagnostic> diagnostics;
};

/// A value, or the reason why there is none.
template <typename T>
struct Outcome {
  std::optional<T> value;
  Failure failure;

  void fail(std::string message) { failure.message = std::move(message); }
};

struct Stage {
  std::string pass;
  std::string text;
};

struct GpuObject {
  std::string module;
  std::string target;
  std::string format;
  std::string bytes;
};

struct CodegenOptions {
  std::string triple;
  std::string chip;
  std::string features;
  int optLevel = 2;
  bool assembly = false;
  /// Run the default<ON> pipeline of `optLevel` before code generation.
  bool optimize = false;
  bool pic = true;
};

struct Instruction {
  std::uint64_t address = 0;
  std::string section;
  std::string label;
  std::string bytes;
  std::string text;
};

struct HostCpu {
  std::string triple;
  std::string name;
  std::string features;
};

/// Passes that ran, when `stages` is given, are added to it even on failure.
/// `allowUnregistered` lets through operations and types of dialects that MLIR does not know.
Outcome<std::string> runPipeline(const std::string &text, const std::string &pipeline, bool generic, bool verify,
                                 bool locations, bool allowUnregistered, std::vector<Stage> *stages);
Outcome<std::vector<GpuObject>> gpuObjects(const std::string &text, const std::string &pipeline, bool verify);
Outcome<std::string> emitLlvmIr(const std::string &text, bool bitcode);
Outcome<std::string> emitHostObject(const std::string &text, const CodegenOptions &options);
Outcome<std::string> codegen(const std::string &input, const CodegenOptions &options);
Outcome<std::string> link(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared);
Outcome<std::vector<Instruction>> disassemble(const std::string &object, const std::string &triple,
                                              const std::string &chip, const std::string &features);
HostCpu hostCpu();
std::string llvmVersion();

} // namespace flydsl
