// LLVM IR (text, bitcode, or an LLVM-dialect module) in, an object file or assembly out.
#include "context.h"
#include "diagnostics.h"
#include "guard.h"
#include "registrations.h"
#include "translate.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

namespace flydsl {
namespace {

llvm::OptimizationLevel optimizationLevel(int level) {
  switch (level) {
  case 0: return llvm::OptimizationLevel::O0;
  case 1: return llvm::OptimizationLevel::O1;
  case 2: return llvm::OptimizationLevel::O2;
  default: return llvm::OptimizationLevel::O3;
  }
}

bool checkChip(const llvm::MCSubtargetInfo &info, llvm::StringRef chip, llvm::StringRef features, Failure &failure) {
  if (!chip.empty() && !info.isCPUStringValid(chip)) {
    failure.message = "unknown chip '" + chip.str() + "' for triple '" + info.getTargetTriple().str() + "'";
    return false;
  }
  llvm::SmallVector<llvm::StringRef> names;
  features.split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    auto known = [&](const llvm::SubtargetFeatureKV &entry) { return name.drop_front() == entry.Key; };
    if ((name[0] == '+' || name[0] == '-') && llvm::any_of(info.getAllProcessorFeatures(), known)) continue;
    failure.message = "unknown feature '" + name.str() + "' for triple '" + info.getTargetTriple().str() +
        "'; features read '+name,-name'";
    return false;
  }
  return true;
}

// Functions of device libraries name features of their own, which LLVM then takes for all: they get those of the target
// too.
void addFeatures(llvm::Module &module, llvm::StringRef features) {
  constexpr llvm::StringLiteral name = "target-features";
  for (llvm::Function &function : module)
    if (!features.empty() && function.hasFnAttribute(name))
      function.addFnAttr(name, (function.getFnAttribute(name).getValueAsString() + "," + features).str());
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, int level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = level >= 2;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(optimizationLevel(level)).run(module, modules);
}

// Machine sinking moves an instruction behind a loop that threads leave at different turns, and lets its operand, a
// copy of a scalar register to a vector register, stay. AMDGPU's operand folding then reads the scalar itself behind
// the loop, where it is that of the last turn of all threads. (LLVM 22.1.8: `isSafeToSink` looks at scalar operands
// only, not through such copies.)
void leaveOutMachineSinking() {
  static const llvm::RegisterTargetPassConfigCallback callback(
      [](llvm::TargetMachine &machine, llvm::PassManagerBase &, llvm::TargetPassConfig *passes) {
        if (machine.getTargetTriple().isAMDGCN()) passes->disablePass(&llvm::MachineSinkingLegacyID);
      });
}

// Passes are trusted to keep a module valid, but not with more than the process: it is verified once, at their end.
bool lower(mlir::ModuleOp module, const std::string &pipeline, Failure &failure) {
  if (pipeline.empty()) return true;
  if (!runPasses(module, pipeline, /*verify=*/false, failure)) return false;
  if (mlir::succeeded(mlir::verify(module))) return true;
  failure.message = "the module is not valid after the passes";
  return false;
}

} // namespace

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    llvm::InitializeAllDisassemblers();
  });
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CodegenOptions &options, Failure &failure) {
  initializeTargets();
  leaveOutMachineSinking();
  llvm::Triple triple(options.triple.empty() ? llvm::sys::getDefaultTargetTriple()
                                             : llvm::Triple::normalize(options.triple));
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target || !target->hasTargetMachine()) {
    failure.message = "unknown triple '" + options.triple + "': " + error + kLeftOutAdvice;
    return nullptr;
  }
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!info || !checkChip(*info, options.chip, options.features, failure)) return nullptr;
  if (options.optLevel < 0 || options.optLevel > 3) {
    failure.message = "optimisation level " + std::to_string(options.optLevel) + " is not one of 0, 1, 2, 3";
    return nullptr;
  }
  auto level = *llvm::CodeGenOpt::getLevel(options.optLevel);
  auto relocation = options.pic ? std::optional(llvm::Reloc::PIC_) : std::nullopt;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.chip, options.features, llvm::TargetOptions(), relocation, std::nullopt, level));
  if (!machine) failure.message = "no code generator for triple '" + options.triple + "'";
  return machine;
}

bool emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly, std::string &bytes,
                     std::unique_ptr<llvm::legacy::PassManager> chosen) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  // Ends before the stream, which the printer of assembly flushes at its own end.
  auto passes = chosen ? std::move(chosen) : std::make_unique<llvm::legacy::PassManager>();
  llvm::TargetLibraryInfoImpl libraries(machine.getTargetTriple());
  passes->add(new llvm::TargetLibraryInfoWrapperPass(libraries));
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(*passes, stream, nullptr, type)) return false;
  passes->run(module);
  bytes = buffer.str().str();
  return true;
}

void emitModule(llvm::Module &module, llvm::TargetMachine &machine, const CodegenOptions &options,
                Outcome<std::string> &out, std::unique_ptr<llvm::legacy::PassManager> passes) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  addFeatures(module, options.features);
  if (options.optimize) optimize(module, machine, options.optLevel);
  std::string bytes;
  if (!emitMachineCode(module, machine, options.assembly, bytes, std::move(passes)))
    out.fail("the target cannot emit this kind of file");
  else if (hasError(out.failure.diagnostics)) out.fail("code generation failed");
  else out.value = std::move(bytes);
}

std::unique_ptr<llvm::Module> parseIr(const std::string &input, llvm::LLVMContext &context, Failure &failure) {
  llvm::SMDiagnostic error;
  bool binary = llvm::StringRef(input).starts_with("BC") || llvm::StringRef(input).starts_with("\xDE\xC0\x17\x0B");
  if (!binary && nestsTooDeep(input)) {
    failure.message = "brackets nest too deeply";
    return nullptr;
  }
  std::unique_ptr<llvm::Module> module = llvm::parseIR(llvm::MemoryBufferRef(input, "module.ll"), error, context);
  if (!module) {
    failure.diagnostics.push_back(fromSourceDiagnostic(error));
    failure.message = "the input is not LLVM IR";
    return nullptr;
  }
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (!llvm::verifyModule(*module, &stream)) return module;
  failure.message = "the LLVM IR does not verify: " + broken;
  return nullptr;
}

std::unique_ptr<llvm::Module> translateToLlvm(const std::string &text, const std::string &pipeline,
                                              llvm::LLVMContext &context, Failure &failure) {
  auto mlirContext = createContext();
  MlirCollector collector(mlirContext.get(), failure.diagnostics);
  collectDiagnostics(context, failure.diagnostics);
  auto source = parseModule(mlirContext.get(), text);
  if (!source) failure.message = "the module does not parse or does not verify";
  std::unique_ptr<llvm::Module> module;
  if (source && lower(*source, pipeline, failure)) {
    module = mlir::translateModuleToLLVMIR(*source, context, "module");
    if (module) markConvergent(*module);
    if (module && !hasError(failure.diagnostics)) return module;
    failure.message = "the module cannot be translated to LLVM IR";
  }
  quoteSource(text, failure.diagnostics);
  return nullptr;
}

Outcome<std::string> emitHostObject(const std::string &text, const std::string &pipeline,
                                    const CodegenOptions &options) {
  return guarded<std::string>([&](Outcome<std::string> &out) {
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(options, out.failure);
    if (!machine) return;
    llvm::LLVMContext context;
    if (auto module = translateToLlvm(text, pipeline, context, out.failure))
      emitModule(*module, *machine, options, out);
  });
}

Outcome<std::string> codegen(const std::string &input, const CodegenOptions &options) {
  return guarded<std::string>([&](Outcome<std::string> &out) {
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(options, out.failure);
    if (!machine) return;
    llvm::LLVMContext context;
    collectDiagnostics(context, out.failure.diagnostics);
    if (auto module = parseIr(input, context, out.failure)) emitModule(*module, *machine, options, out);
  });
}

} // namespace flydsl
