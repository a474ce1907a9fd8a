// How `gpu-module-to-binary` compiles for the targets that we handle ourselves.
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace flydsl {

/// Gives `#rocdl.target` and `#nvvm.target` implementations that report LLVM's errors as diagnostics (MLIR's own end
/// the process), and that assemble and link AMD code objects in this process. To be called before MLIR's registration.
void registerGuardedTargets(mlir::DialectRegistry &registry);

} // namespace flydsl
