// Code generation with more passes than LLVM's own, each before or after a pass of the pipeline that is named.
//
// LLVM hands its passes to the pass manager one by one, in the order in which they run: the manager here puts further
// ones between them. That is a matter of one compilation, unlike LLVM's callbacks for pipelines, which are of the
// process; and it reaches before a pass, and one of several instances, where TargetPassConfig::insertPass does not.
#include "diagnostics.h"
#include "guard.h"
#include "insertions.h"
#include "plugins.h"
#include "translate.h"

#include "llvm/CodeGen/MIRPrinter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/PassInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace flydsl {
namespace {

// What is known of a run when it ends early: on the caller's stack, as the one of the passes cannot be unwound.
struct Progress {
  std::string running;
  std::string broken;
  std::map<std::size_t, std::pair<Stage, Stage>> dumps;
  bool dump = false;
};

// What the verifier says, without the whole function that it prints before.
std::string complaints(llvm::StringRef why) {
  constexpr std::size_t longest = 2000;
  why = why.drop_front(std::min(why.find("*** Bad machine code"), why.size() - 1)).trim();
  return why.size() <= longest ? why.str() : why.take_front(longest).str() + " ...";
}

// Stands before and after an inserted pass: notes that it runs, keeps what it made of a function, verifies that.
class Probe {
public:
  Probe(Progress &progress, const Insertion &insertion, std::size_t number, bool after)
      : progress(progress), label(insertion.label), number(number), after(after) {}

  template <typename Print, typename Verify>
  void look(llvm::StringRef function, Print print, Verify verify) {
    if (progress.dump) {
      auto &[first, second] = progress.dumps[number];
      Stage &stage = after ? second : first;
      stage.pass = label + (after ? "_after" : "_before");
      llvm::raw_string_ostream stream(stage.text);
      print(stream);
    }
    std::string why;
    llvm::raw_string_ostream stream(why);
    bool valid = verify(stream);
    std::string &before = validBefore();
    if (after && !valid && before == function) {
      progress.broken =
          "pass '" + label + "' made code of function '" + function.str() + "' that is not valid: " + complaints(why);
      llvm::report_fatal_error("invalid code"); // later passes must not see it
    }
    if (!after) before = valid ? function.str() : "";
    progress.running = after ? "" : label;
  }

private:
  std::string &validBefore() { return *shared; }
  friend class Inserter;
  Progress &progress;
  std::string label;
  std::size_t number;
  bool after;
  std::shared_ptr<std::string> shared;
};

class MachineProbe : public llvm::MachineFunctionPass {
public:
  explicit MachineProbe(Probe probe) : MachineFunctionPass(ID), probe(std::move(probe)) {}
  static char ID;
  llvm::StringRef getPassName() const override { return "probe of an inserted pass"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const auto &info = getAnalysis<llvm::MachineModuleInfoWrapperPass>().getMMI();
    probe.look(
        function.getName(), [&](llvm::raw_ostream &stream) { llvm::printMIR(stream, info, function); },
        [&](llvm::raw_ostream &why) { return function.verify(this, nullptr, &why, /*AbortOnError=*/false); });
    return false;
  }

private:
  Probe probe;
};
char MachineProbe::ID;

class FunctionProbe : public llvm::FunctionPass {
public:
  explicit FunctionProbe(Probe probe) : FunctionPass(ID), probe(std::move(probe)) {}
  static char ID;
  llvm::StringRef getPassName() const override { return "probe of an inserted pass"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override { usage.setPreservesAll(); }
  bool runOnFunction(llvm::Function &function) override {
    probe.look(
        function.getName(), [&](llvm::raw_ostream &stream) { function.print(stream); },
        [&](llvm::raw_ostream &why) { return !llvm::verifyFunction(function, &why); });
    return false;
  }

private:
  Probe probe;
};
char FunctionProbe::ID;

class Inserter : public llvm::legacy::PassManager {
public:
  Inserter(const std::vector<Insertion> &insertions, Progress &progress) : insertions(insertions), progress(progress) {}

  void add(llvm::Pass *pass) override {
    for (std::size_t i = 0; i < insertions.size(); ++i)
      if (insertions[i].index == count) insert(insertions[i], i);
    ++count;
    PassManager::add(pass);
  }

private:
  void insert(const Insertion &insertion, std::size_t number) {
    llvm::Pass *pass = insertion.pass->createPass();
    bool machine = worksOnMachineCode(*pass), function = pass->getPassKind() == llvm::PT_Function;
    Probe before(progress, insertion, number, false), after(progress, insertion, number, true);
    before.shared = after.shared = std::make_shared<std::string>();
    auto probe = [&](const Probe &p) -> llvm::Pass * {
      return machine ? static_cast<llvm::Pass *>(new MachineProbe(p)) : new FunctionProbe(p);
    };
    if (function) PassManager::add(probe(before));
    PassManager::add(pass);
    if (function) PassManager::add(probe(after));
  }

  const std::vector<Insertion> &insertions;
  Progress &progress;
  std::size_t count = 0;
};

} // namespace

Outcome<std::string> codegenWithPasses(const std::string &ir, const CodegenOptions &options,
                                       const std::vector<MachinePass> &passes, const std::vector<std::string> &plugins,
                                       std::vector<Stage> *stages) {
  Progress progress;
  progress.dump = stages != nullptr;
  auto outcome = guarded<std::string>([&](Outcome<std::string> &out) {
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(options, out.failure);
    if (!machine) return;
    std::vector<Insertion> insertions;
    if (!resolveInsertions(passes, plugins, *machine, insertions, out.failure)) return;
    llvm::LLVMContext context;
    collectDiagnostics(context, out.failure.diagnostics);
    std::unique_ptr<llvm::Module> module = parseIr(ir, context, out.failure);
    if (!module) return;
    emitModule(*module, *machine, options, out, std::make_unique<Inserter>(insertions, progress));
  });
  if (stages)
    for (auto &[number, pair] : progress.dumps)
      for (Stage *stage : {&pair.first, &pair.second})
        if (!stage->text.empty()) stages->push_back(std::move(*stage));
  if (!progress.broken.empty()) outcome.failOfPass(progress.broken);
  else if (!outcome.value && !progress.running.empty())
    outcome.failOfPass("machine pass '" + progress.running + "' " + describeEnd(outcome.failure.message));
  return outcome;
}

} // namespace flydsl
