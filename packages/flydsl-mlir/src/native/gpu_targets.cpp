// A gpu.module and its target attribute in, bitcode, assembly or a code object out.
#include "gpu_targets.h"

#include "diagnostics.h"
#include "link.h"
#include "translate.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVM/ROCDL/Target.h"
#include "mlir/Target/LLVM/ROCDL/Utils.h"

namespace flydsl {
namespace {

using TargetConcept = mlir::gpu::detail::TargetAttrInterfaceInterfaceTraits::Concept;
using Object = std::optional<mlir::SmallVector<char, 0>>;

// MLIR's implementation for `Attr`, taken from a context where only it is registered.
template <typename Attr, typename Dialect>
const TargetConcept *upstreamModel(void (*registerModel)(mlir::DialectRegistry &)) {
  static const TargetConcept *model = [registerModel] {
    mlir::DialectRegistry registry;
    registry.insert<Dialect>();
    registerModel(registry);
    auto *context = new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED); // owns the model
    context->template getOrLoadDialect<Dialect>();
    return mlir::AbstractAttribute::lookup(mlir::TypeID::get<Attr>(), context)
        .template getInterface<mlir::gpu::TargetAttrInterface>();
  }();
  return model;
}

bool checkTarget(mlir::Operation *module, llvm::StringRef triple, llvm::StringRef chip, llvm::StringRef features) {
  Failure failure;
  CodegenOptions options;
  options.triple = triple.str();
  options.chip = chip.str();
  options.features = features.str();
  if (createTargetMachine(options, failure)) return true;
  module->emitError(failure.message);
  return false;
}

// `serialize` with options whose first callback takes LLVM's messages away from stderr and exit(). A module that is not
// valid, which no pass before it has looked for, would end the process.
Object withDiagnostics(mlir::Operation *module, const mlir::gpu::TargetOptions &options,
                       llvm::function_ref<Object(const mlir::gpu::TargetOptions &)> serialize) {
  if (mlir::failed(mlir::verify(module))) return std::nullopt;
  std::vector<Diagnostic> records;
  auto onModule = [&](llvm::Module &llvmModule) {
    collectDiagnostics(llvmModule.getContext(), records);
    markConvergent(llvmModule);
  };
  auto symbols = [&] { return options.getSymbolTable(); };
  mlir::gpu::TargetOptions collecting(options.getToolkitPath(), options.getLibrariesToLink(), options.getCmdOptions(),
                                      options.getELFSection(), options.getCompilationTarget(), symbols, onModule);
  Object object = serialize(collecting);
  for (const Diagnostic &record : records)
    if (record.severity == "error") module->emitError(record.message);
  return hasError(records) ? std::nullopt : std::move(object);
}

// MLIR's serializer up to optimised LLVM IR; then our code generator and linker instead of assembling the text of the
// assembly and spawning a linker.
class CodeObjectSerializer : public mlir::ROCDL::SerializeGPUModuleBase {
public:
  CodeObjectSerializer(mlir::Operation &module, mlir::ROCDL::ROCDLTargetAttr target,
                       const mlir::gpu::TargetOptions &options)
      : SerializeGPUModuleBase(module, target, options), format(options.getCompilationTarget()),
        onModule(options.getInitialLlvmIRCallback()) {}

  // The first hook of a run; this base class, unlike NVVM's, does not call the callback itself.
  void setDataLayoutAndTriple(llvm::Module &llvmModule) override {
    onModule(llvmModule);
    SerializeGPUModuleBase::setDataLayoutAndTriple(llvmModule);
  }

  mlir::FailureOr<mlir::SmallVector<char, 0>> moduleToObject(llvm::Module &llvmModule) override {
    if (format == mlir::gpu::CompilationTarget::Offload) return ModuleToObject::moduleToObject(llvmModule);
    mlir::FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (mlir::failed(machine)) return mlir::failure();
    bool assembly = format == mlir::gpu::CompilationTarget::Assembly;
    std::string code;
    if (!emitMachineCode(llvmModule, **machine, assembly, code))
      return getOperation().emitError("the target cannot emit this kind of file");
    if (assembly) return mlir::SmallVector<char, 0>(code.begin(), code.end());
    Outcome<std::string> image;
    linkObjects({code}, {}, /*shared=*/true, image);
    if (!image.value) return getOperation().emitError(image.failure.message);
    return mlir::SmallVector<char, 0>(image.value->begin(), image.value->end());
  }

private:
  mlir::gpu::CompilationTarget format;
  llvm::function_ref<void(llvm::Module &)> onModule;
};

class RocdlTarget : public mlir::gpu::TargetAttrInterface::FallbackModel<RocdlTarget> {
public:
  Object serializeToObject(mlir::Attribute attribute, mlir::Operation *module,
                           const mlir::gpu::TargetOptions &options) const {
    auto target = mlir::cast<mlir::ROCDL::ROCDLTargetAttr>(attribute);
    if (!checkTarget(module, target.getTriple(), target.getChip(), target.getFeatures())) return std::nullopt;
    return withDiagnostics(module, options, [&](const mlir::gpu::TargetOptions &collecting) {
      CodeObjectSerializer serializer(*module, target, collecting);
      serializer.init();
      return serializer.run();
    });
  }

  mlir::Attribute createObject(mlir::Attribute attribute, mlir::Operation *module,
                               const mlir::SmallVector<char, 0> &object,
                               const mlir::gpu::TargetOptions &options) const {
    const TargetConcept *upstream = model();
    return upstream->createObject(upstream, attribute, module, object, options);
  }

private:
  static const TargetConcept *model() {
    return upstreamModel<mlir::ROCDL::ROCDLTargetAttr, mlir::ROCDL::ROCDLDialect>(
        mlir::ROCDL::registerROCDLTargetInterfaceExternalModels);
  }
};

class NvvmTarget : public mlir::gpu::TargetAttrInterface::FallbackModel<NvvmTarget> {
public:
  Object serializeToObject(mlir::Attribute attribute, mlir::Operation *module,
                           const mlir::gpu::TargetOptions &options) const {
    auto target = mlir::cast<mlir::NVVM::NVVMTargetAttr>(attribute);
    if (!checkTarget(module, target.getTriple(), target.getChip(), target.getFeatures())) return std::nullopt;
    return withDiagnostics(module, options, [&](const mlir::gpu::TargetOptions &collecting) {
      return model()->serializeToObject(model(), attribute, module, collecting);
    });
  }

  mlir::Attribute createObject(mlir::Attribute attribute, mlir::Operation *module,
                               const mlir::SmallVector<char, 0> &object,
                               const mlir::gpu::TargetOptions &options) const {
    return model()->createObject(model(), attribute, module, object, options);
  }

private:
  static const TargetConcept *model() {
    return upstreamModel<mlir::NVVM::NVVMTargetAttr, mlir::NVVM::NVVMDialect>(
        mlir::NVVM::registerNVVMTargetInterfaceExternalModels);
  }
};

} // namespace

void registerGuardedTargets(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, mlir::ROCDL::ROCDLDialect *) {
    mlir::ROCDL::ROCDLTargetAttr::attachInterface<RocdlTarget>(*context);
  });
  registry.addExtension(+[](mlir::MLIRContext *context, mlir::NVVM::NVVMDialect *) {
    mlir::NVVM::NVVMTargetAttr::attachInterface<NvvmTarget>(*context);
  });
}

} // namespace flydsl
