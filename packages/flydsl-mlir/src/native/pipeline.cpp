// MLIR text and a pass pipeline in; MLIR text, GPU objects or LLVM IR out.
#include "context.h"
#include "diagnostics.h"
#include "guard.h"
#include "registrations.h"
#include "translate.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace flydsl {
namespace {

std::string print(mlir::Operation *op, bool generic, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (generic) flags.printGenericOpForm();
  if (locations) flags.enableDebugInfo(true, /*prettyForm=*/false);
  op->print(stream, flags);
  stream << '\n';
  return text;
}

class StageRecorder : public mlir::PassInstrumentation {
public:
  StageRecorder(mlir::Operation *root, std::vector<Stage> &stages, bool generic, bool locations)
      : root(root), stages(stages), generic(generic), locations(locations) {}

  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    if (!pass->getArgument().empty()) // adaptors of nested pipelines have none
      stages.push_back({pass->getArgument().str(), print(root, generic, locations)});
  }

private:
  mlir::Operation *root;
  std::vector<Stage> &stages;
  bool generic, locations;
};

class PipelineRun {
public:
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;

  bool run(const std::string &text, const std::string &pipeline, bool verify, Failure &failure,
           llvm::function_ref<void(mlir::PassManager &)> instrument = nullptr) {
    if (runPasses(text, pipeline, verify, failure, instrument)) return true;
    quoteSource(text, failure.diagnostics);
    return false;
  }

private:
  bool runPasses(const std::string &text, const std::string &pipeline, bool verify, Failure &failure,
                 llvm::function_ref<void(mlir::PassManager &)> instrument) {
    MlirCollector collector(context.get(), failure.diagnostics);
    module = parseModule(context.get(), text);
    if (!module) {
      failure.message = "the module does not parse or does not verify";
      return false;
    }
    return flydsl::runPasses(*module, pipeline, verify, failure, instrument);
  }
};

std::vector<GpuObject> collectObjects(mlir::ModuleOp module) {
  std::vector<GpuObject> objects;
  module.walk([&](mlir::gpu::BinaryOp binary) {
    for (mlir::Attribute entry : binary.getObjects()) {
      auto object = mlir::dyn_cast<mlir::gpu::ObjectAttr>(entry);
      if (!object) continue;
      std::string target;
      llvm::raw_string_ostream(target) << object.getTarget();
      objects.push_back({binary.getName().str(), std::move(target), mlir::gpu::stringifyEnum(object.getFormat()).str(),
                         object.getObject().getValue().str()});
    }
  });
  return objects;
}

} // namespace

Outcome<std::string> runPipeline(const std::string &text, const std::string &pipeline, bool generic, bool verify,
                                 bool locations, bool allowUnregistered, std::vector<Stage> *stages) {
  return guarded<std::string>([&](Outcome<std::string> &out) {
    PipelineRun run;
    run.context->allowUnregisteredDialects(allowUnregistered);
    auto instrument = [&](mlir::PassManager &manager) {
      if (stages)
        manager.addInstrumentation(
            std::make_unique<StageRecorder>(run.module->getOperation(), *stages, generic, locations));
    };
    if (run.run(text, pipeline, verify, out.failure, instrument))
      out.value = print(run.module->getOperation(), generic, locations);
  });
}

Outcome<std::vector<GpuObject>> gpuObjects(const std::string &text, const std::string &pipeline, bool verify) {
  return guarded<std::vector<GpuObject>>([&](Outcome<std::vector<GpuObject>> &out) {
    PipelineRun run;
    if (run.run(text, pipeline, verify, out.failure)) out.value = collectObjects(*run.module);
  });
}

Outcome<std::string> emitLlvmIr(const std::string &text, bool bitcode) {
  return guarded<std::string>([&](Outcome<std::string> &out) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = translateToLlvm(text, "", context, out.failure);
    if (!module) return;
    std::string result;
    llvm::raw_string_ostream stream(result);
    if (bitcode) llvm::WriteBitcodeToFile(*module, stream);
    else module->print(stream, nullptr);
    out.value = std::move(result);
  });
}

} // namespace flydsl
