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
  /// Whether a pass of the user's, its plugin, or what was asked of it is to blame.
  bool ofPass = false;
};

/// A value, or the reason why there is none.
template <typename T>
struct Outcome {
  std::optional<T> value;
  Failure failure;

  void fail(std::string message) { failure.message = std::move(message); }
  void failOfPass(std::string message) {
    failure.message = std::move(message);
    failure.ofPass = true;
  }
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

/// A pass to insert into code generation: before or after (`where`) number `instance` of the passes called `point`, of
/// which there is one when it is 0; or at an alias such as `pre-ra`, with an empty `where`.
struct MachinePass {
  std::string pass;
  std::string point;
  std::string where;
  int instance = 0;
};

/// A pass of code generation, in the order of the pipeline: its argument, or none when it cannot be named, which one of
/// that argument it is (1, 2, ...), and the aliases for the place before it.
struct CodegenPoint {
  std::string pass;
  int instance = 0;
  std::string name;
  bool machine = false;
  bool analysis = false;
  /// Whether it reads the registers that an allocator before it chose.
  bool needsRegisters = false;
  std::vector<std::string> aliases;
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
/// Machine code for what `pipeline`, if any, makes of the module.
Outcome<std::string> emitHostObject(const std::string &text, const std::string &pipeline,
                                    const CodegenOptions &options);
Outcome<std::string> codegen(const std::string &input, const CodegenOptions &options);
/// LLVM bitcode after the pipeline `pipeline` (as `opt -passes=` takes it), verified after each pass.
Outcome<std::string> runIrPasses(const std::string &ir, const CodegenOptions &options, const std::string &pipeline,
                                 const std::vector<std::string> &plugins);
/// LLVM IR as text.
Outcome<std::string> llvmText(const std::string &ir);
/// `codegen` with the passes `passes` of plugins or of LLVM; the code around each is added to `stages`, when given.
Outcome<std::string> codegenWithPasses(const std::string &ir, const CodegenOptions &options,
                                       const std::vector<MachinePass> &passes, const std::vector<std::string> &plugins,
                                       std::vector<Stage> *stages);
Outcome<std::vector<CodegenPoint>> codegenPoints(const CodegenOptions &options);
/// The arguments of a plugin's machine passes; the first is empty when it has passes for LLVM IR.
Outcome<std::vector<std::string>> pluginPasses(const std::string &path);
Outcome<std::string> link(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared);
Outcome<std::vector<Instruction>> disassemble(const std::string &object, const std::string &triple,
                                              const std::string &chip, const std::string &features);
HostCpu hostCpu();
std::string llvmVersion();

} // namespace flydsl
