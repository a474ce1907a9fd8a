// MLIR text in, a verified module in a context of its own out.
#include "context.h"

#include "diagnostics.h"
#include "gpu_targets.h"
#include "registrations.h"
#include "translate.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"

#include <mutex>

namespace flydsl {
namespace {

const mlir::DialectRegistry &registry() {
  static const mlir::DialectRegistry *instance = [] {
    auto *all = new mlir::DialectRegistry;
    registerGuardedTargets(*all); // before MLIR's own: the first registration of an interface counts
    registerDialects(*all);
    return all;
  }();
  return *instance;
}

} // namespace

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    initializeTargets();
    registerPasses();
    registry();
  });
}

std::unique_ptr<mlir::MLIRContext> createContext() {
  initialize();
  auto context = std::make_unique<mlir::MLIRContext>(registry(), mlir::MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false); // the op may be a whole module; diagnostics quote its line instead
  return context;
}

mlir::OwningOpRef<mlir::ModuleOp> parseModule(mlir::MLIRContext *context, const std::string &text) {
  if (nestsTooDeep(text)) {
    mlir::emitError(mlir::UnknownLoc::get(context), "brackets nest too deeply");
    return {};
  }
  return mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(context), kSourceName);
}

} // namespace flydsl
