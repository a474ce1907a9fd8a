// LLVM-dialect text in, an LLVM module out; an LLVM module in, machine code out.
#pragma once

#include "api.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace flydsl {

/// Null, with the reason in `failure`, when the text is no module that `pipeline`, if any, makes translatable.
std::unique_ptr<llvm::Module> translateToLlvm(const std::string &text, const std::string &pipeline,
                                              llvm::LLVMContext &context, Failure &failure);

/// Marks what the threads of a GPU may have to run together, in a module with kernels of one: LLVM neither copies it
/// nor moves it to where fewer of them are. MLIR cannot say that of inline assembly. LLVM takes the mark away where
/// nothing needs it.
void markConvergent(llvm::Module &module);

/// Null, with the reason in `failure`, for an unknown triple, chip or feature.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CodegenOptions &options, Failure &failure);

/// Registers LLVM's targets, once.
void initializeTargets();

/// Null, with the reason in `failure`, when `input` is neither text nor bitcode of valid LLVM IR.
std::unique_ptr<llvm::Module> parseIr(const std::string &input, llvm::LLVMContext &context, Failure &failure);

/// Emits an object or assembly into `bytes`, by `passes` when given; false when the target has no such output.
bool emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly, std::string &bytes,
                     std::unique_ptr<llvm::legacy::PassManager> passes = nullptr);

/// Optimises (when asked) and emits `module`, whose triple and data layout become the machine's.
void emitModule(llvm::Module &module, llvm::TargetMachine &machine, const CodegenOptions &options,
                Outcome<std::string> &out, std::unique_ptr<llvm::legacy::PassManager> passes = nullptr);

} // namespace flydsl
