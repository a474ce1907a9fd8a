// All that MLIR has: its shared library brings it anyhow.
#include "registrations.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace flydsl {

void registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
}

void registerPasses() { mlir::registerAllPasses(); }

const char *const kLeftOutAdvice = "";

} // namespace flydsl
