// Which of MLIR's dialects, passes and translations this build has.
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace flydsl {

/// Dialects, their interfaces and their translations to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

void registerPasses();

/// What to do about a pass or a target that this build does not have, on a line of its own, or nothing when it has all.
extern const char *const kLeftOutAdvice;

} // namespace flydsl
