// Pass pipelines over LLVM IR, with passes of plugins; the module is verified after each pass.
#include "diagnostics.h"
#include "guard.h"
#include "plugins.h"
#include "translate.h"

#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace flydsl {
namespace {

// What is known of a run when it ends early: on the caller's stack, as the one of the passes cannot be unwound.
struct Progress {
  std::string running;
  std::string broken;
};

template <typename T>
const T *unit(const llvm::Any &ir) {
  const T *const *found = llvm::any_cast<const T *>(&ir);
  return found ? *found : nullptr;
}

// What a pass over `ir` may have broken.
bool isBroken(const llvm::Any &ir, llvm::raw_ostream &why) {
  if (const auto *module = unit<llvm::Module>(ir)) return llvm::verifyModule(*module, &why);
  if (const auto *component = unit<llvm::LazyCallGraph::SCC>(ir))
    return component->size() && llvm::verifyModule(*component->begin()->getFunction().getParent(), &why);
  const auto *function = unit<llvm::Function>(ir);
  if (const auto *loop = unit<llvm::Loop>(ir)) function = loop->getHeader()->getParent();
  return function && llvm::verifyFunction(*function, &why);
}

void watch(llvm::PassInstrumentationCallbacks &callbacks, Progress &progress) {
  constexpr llvm::StringLiteral containers[] = {"PassManager", "PassAdaptor", "AnalysisManagerProxy",
                                                "DevirtSCCRepeatedPass", "ModuleInlinerWrapperPass"};
  auto isContainer = [containers](llvm::StringRef pass) {
    llvm::StringRef plain = pass.take_until([](char c) { return c == '<'; });
    return llvm::any_of(containers, [&](llvm::StringRef name) { return plain.ends_with(name); });
  };
  callbacks.registerBeforeNonSkippedPassCallback([&, isContainer](llvm::StringRef pass, llvm::Any) {
    if (isContainer(pass)) return;
    llvm::StringRef name = callbacks.getPassNameForClassName(pass);
    constexpr llvm::StringLiteral anonymous = "(anonymous namespace)::";
    pass.consume_front(anonymous);
    progress.running = (name.empty() ? pass : name).str();
  });
  callbacks.registerAfterPassCallback(
      [&, isContainer](llvm::StringRef pass, llvm::Any ir, const llvm::PreservedAnalyses &) {
        if (isContainer(pass)) return;
        std::string why;
        llvm::raw_string_ostream stream(why);
        if (isBroken(ir, stream)) {
          progress.broken =
              "pass '" + progress.running + "' made LLVM IR that is not valid: " + llvm::StringRef(why).trim().str();
          llvm::report_fatal_error("invalid IR"); // later passes must not see it
        }
        progress.running.clear();
      });
  callbacks.registerAfterPassInvalidatedCallback(
      [&](llvm::StringRef, const llvm::PreservedAnalyses &) { progress.running.clear(); });
}

// Names of LLVM's own passes, of all levels.
std::vector<std::string> passNames(llvm::PassBuilder &builder) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  builder.printPassNames(stream);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  std::vector<std::string> names;
  for (llvm::StringRef line : lines)
    if (line.starts_with("  ")) names.push_back(line.trim().take_until([](char c) { return c == '<'; }).str());
  return names;
}

std::string describeBadPipeline(llvm::Error error, llvm::PassBuilder &builder) {
  std::string message = "the LLVM pass pipeline is not valid: " + llvm::toString(std::move(error));
  llvm::StringRef said(message); // such as: unknown function pass 'x'
  std::size_t start = said.contains("unknown") ? said.find(" '") : llvm::StringRef::npos;
  if (start == llvm::StringRef::npos) return message;
  llvm::StringRef name = said.drop_front(start + 2).take_until([](char c) { return c == '\'' || c == '<'; });
  return message + suggestion(name, passNames(builder));
}

class IrPasses {
public:
  IrPasses(llvm::TargetMachine &machine, Progress &progress) {
    llvm::PipelineTuningOptions tuning; // as MLIR has it for device code: default<O2> is what runs without a pipeline
    tuning.LoopUnrolling = tuning.LoopInterleaving = tuning.LoopVectorization = tuning.SLPVectorization = true;
    watch(callbacks, progress);
    builder.emplace(&machine, tuning, std::nullopt, &callbacks);
  }

  bool parse(const std::string &pipeline, const std::vector<std::string> &plugins, std::string &error) {
    for (const std::string &path : plugins) {
      const Plugin *plugin = Plugin::load(path, error);
      if (!plugin) return false;
      if (!plugin->hasIrPasses()) {
        error = "plugin '" + path + "' has no passes for LLVM IR: it defines no llvmGetPassPluginInfo";
        return false;
      }
      plugin->registerIrPasses(*builder);
    }
    builder->registerModuleAnalyses(modules);
    builder->registerCGSCCAnalyses(callGraph);
    builder->registerFunctionAnalyses(functions);
    builder->registerLoopAnalyses(loops);
    builder->crossRegisterProxies(loops, functions, callGraph, modules);
    auto failed = builder->parsePassPipeline(passes, pipeline);
    if (!failed || parseEach(pipeline)) {
      llvm::consumeError(std::move(failed));
      return true;
    }
    error = describeBadPipeline(std::move(failed), *builder);
    return false;
  }

  void run(llvm::Module &module) { passes.run(module, modules); }

private:
  // LLVM takes the level of the first pass for all: here each pass may have its own, as in `my-pass,default<O2>`.
  bool parseEach(llvm::StringRef pipeline) {
    passes = llvm::ModulePassManager();
    int depth = 0;
    for (std::size_t start = 0, end = 0; end <= pipeline.size(); ++end) {
      char c = end < pipeline.size() ? pipeline[end] : ',';
      depth += (c == '(' || c == '<') - (c == ')' || c == '>');
      if (c != ',' || depth) continue;
      if (auto failed = builder->parsePassPipeline(passes, pipeline.slice(start, end))) {
        llvm::consumeError(std::move(failed));
        return false;
      }
      start = end + 1;
    }
    return depth == 0;
  }

  llvm::PassInstrumentationCallbacks callbacks;
  std::optional<llvm::PassBuilder> builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::ModulePassManager passes;
};

std::string asText(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

} // namespace

Outcome<std::string> runIrPasses(const std::string &ir, const CodegenOptions &options, const std::string &pipeline,
                                 const std::vector<std::string> &plugins) {
  Progress progress;
  auto outcome = guarded<std::string>([&](Outcome<std::string> &out) {
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(options, out.failure);
    if (!machine) return;
    llvm::LLVMContext context;
    collectDiagnostics(context, out.failure.diagnostics);
    std::unique_ptr<llvm::Module> module = parseIr(ir, context, out.failure);
    if (!module) return;
    IrPasses passes(*machine, progress);
    out.failure.ofPass = true; // from here on
    if (!passes.parse(pipeline, plugins, out.failure.message)) return;
    module->setTargetTriple(machine->getTargetTriple());
    module->setDataLayout(machine->createDataLayout());
    passes.run(*module);
    if (hasError(out.failure.diagnostics)) return out.fail("an LLVM pass failed");
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    llvm::WriteBitcodeToFile(*module, stream);
    out.value = std::move(bytes);
  });
  if (!progress.broken.empty()) outcome.failOfPass(progress.broken);
  else if (!outcome.value && !progress.running.empty())
    outcome.failOfPass("LLVM pass '" + progress.running + "' " + describeEnd(outcome.failure.message));
  return outcome;
}

Outcome<std::string> llvmText(const std::string &ir) {
  return guarded<std::string>([&](Outcome<std::string> &out) {
    llvm::LLVMContext context;
    collectDiagnostics(context, out.failure.diagnostics);
    if (auto module = parseIr(ir, context, out.failure)) out.value = asText(*module);
  });
}

} // namespace flydsl
