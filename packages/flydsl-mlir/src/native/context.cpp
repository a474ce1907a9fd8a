// MLIR text in, a verified module in a context of its own out.
#include "context.h"

#include "diagnostics.h"
#include "gpu_targets.h"
#include "registrations.h"
#include "translate.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

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

// Both `builtin.module(a,b)` and `a,b` are taken.
bool addPipeline(mlir::PassManager &manager, llvm::StringRef pipeline, Failure &failure) {
  std::string error;
  llvm::raw_string_ostream stream(error);
  llvm::StringRef trimmed = pipeline.trim();
  if (trimmed.starts_with("builtin.module(")) {
    if (auto parsed = mlir::parsePassPipeline(trimmed, stream); mlir::succeeded(parsed)) {
      static_cast<mlir::OpPassManager &>(manager) = std::move(*parsed);
      return true;
    }
  } else if (mlir::succeeded(mlir::parsePassPipeline(trimmed, manager, stream))) {
    return true;
  }
  failure.message = "the pass pipeline is not valid: " + llvm::StringRef(error).trim().str() + kLeftOutAdvice;
  return false;
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

bool runPasses(mlir::ModuleOp module, const std::string &pipeline, bool verify, Failure &failure,
               llvm::function_ref<void(mlir::PassManager &)> instrument) {
  mlir::PassManager manager(module.getContext());
  if (!addPipeline(manager, pipeline, failure)) return false;
  manager.enableVerifier(verify);
  if (instrument) instrument(manager);
  if (mlir::succeeded(manager.run(module))) return true;
  failure.message = "a pass failed";
  return false;
}

} // namespace flydsl
