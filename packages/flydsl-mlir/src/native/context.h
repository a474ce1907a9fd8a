// MLIR text in, a verified module in a context of its own out; passes that change it.
#pragma once

#include "api.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class PassManager;
} // namespace mlir

namespace flydsl {

/// Registers dialects, passes, translations and targets, once a process.
void initialize();

/// A single-threaded context that knows every dialect.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Null, with diagnostics at the context's handler, when `text` does not parse or does not verify.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(mlir::MLIRContext *context, const std::string &text);

/// False, with the reason in `failure`, when `pipeline` is not valid or a pass fails. `verify`: after each pass.
bool runPasses(mlir::ModuleOp module, const std::string &pipeline, bool verify, Failure &failure,
               llvm::function_ref<void(mlir::PassManager &)> instrument = nullptr);

} // namespace flydsl
