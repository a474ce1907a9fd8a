// Messages of MLIR and LLVM in, `Diagnostic` records out.
#pragma once

#include "api.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class LLVMContext;
class SMDiagnostic;
} // namespace llvm

namespace flydsl {

/// The file name of what is parsed from memory.
constexpr const char *kSourceName = "module.mlir";

/// While alive, what `context` reports goes to `into` (notes follow their message).
class MlirCollector {
public:
  MlirCollector(mlir::MLIRContext *context, std::vector<Diagnostic> &into);

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// From now on, errors and warnings of `context` go to `into` instead of stderr and exit().
void collectDiagnostics(llvm::LLVMContext &context, std::vector<Diagnostic> &into);

Diagnostic fromSourceDiagnostic(const llvm::SMDiagnostic &diagnostic);

/// Adds to each diagnostic that points into `text` (as `kSourceName`) the line it points at.
void quoteSource(llvm::StringRef text, std::vector<Diagnostic> &diagnostics);

bool hasError(const std::vector<Diagnostic> &diagnostics);

/// True when brackets nest deeper than a recursive parser should follow.
bool nestsTooDeep(llvm::StringRef text);

} // namespace flydsl
