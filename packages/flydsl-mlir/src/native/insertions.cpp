// The passes of code generation by name, and the places between them.
#include "insertions.h"

#include "guard.h"
#include "plugins.h"
#include "translate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <map>

namespace flydsl {
namespace {

// Where each alias is: before the first of these passes that the pipeline has.
struct Alias {
  llvm::StringLiteral name;
  bool after;
  std::array<const char *, 3> passes; // those that are left out are null
};
const Alias kAliases[] = {
    {"post-isel", true, {"finalize-isel"}},
    {"pre-ra", false, {"detect-dead-lanes", "phi-node-elimination"}},
    {"post-ra", false, {"removeredundantdebugvalues", "prologepilog"}},
    {"pre-sched2", false, {"postmisched", "post-RA-sched", "postrapseudos"}},
    {"pre-emit", true, {"patchable-function", "xray-instrumentation"}},
};

const llvm::PassInfo *infoOf(const void *id) { return llvm::PassRegistry::getPassRegistry()->getPassInfo(id); }

llvm::AnalysisUsage usageOf(const llvm::Pass &pass) {
  llvm::AnalysisUsage usage;
  pass.getAnalysisUsage(usage);
  return usage;
}

bool needs(const llvm::Pass &pass, const void *analysis) {
  return llvm::is_contained(usageOf(pass).getRequiredSet(), analysis);
}

// Takes passes and runs none.
class Recorder : public llvm::legacy::PassManagerBase {
public:
  void add(llvm::Pass *pass) override {
    passes.emplace_back(pass);
    CodegenPoint point;
    const llvm::PassInfo *info = infoOf(pass->getPassID());
    if (info) point.pass = info->getPassArgument().str();
    point.name = pass->getPassName().str();
    point.instance = point.pass.empty() ? 0 : ++counts[point.pass];
    point.analysis = pass->getAsImmutablePass() || (info && info->isAnalysis());
    point.machine = worksOnMachineCode(*pass);
    point.needsRegisters = needs(*pass, &llvm::VirtRegMapWrapperLegacy::ID);
    points.push_back(std::move(point));
  }
  std::vector<CodegenPoint> points;

private:
  std::vector<std::unique_ptr<llvm::Pass>> passes;
  std::map<std::string, int> counts;
};

bool isEmitter(const CodegenPoint &point) { return llvm::StringRef(point.name).ends_with("Assembly Printer"); }

// The pass that the alias stands before; the number of points when the pipeline has no such place.
std::size_t place(const Alias &alias, const std::vector<CodegenPoint> &points) {
  for (const char *pass : alias.passes)
    for (std::size_t i = 0; pass && i < points.size(); ++i)
      if (points[i].pass == pass) return alias.after ? i + 1 : i;
  return points.size();
}

void addAliases(std::vector<CodegenPoint> &points) {
  for (const Alias &alias : kAliases)
    if (std::size_t at = place(alias, points); at < points.size()) points[at].aliases.push_back(alias.name.str());
  auto emitter = llvm::find_if(points, isEmitter);
  if (emitter != points.end()) emitter->aliases.push_back("pre-emit2");
}

std::vector<CodegenPoint> listPoints(llvm::TargetMachine &machine) {
  Recorder recorder;
  std::string ignored;
  llvm::raw_string_ostream text(ignored);
  llvm::buffer_ostream stream(text);
  llvm::TargetLibraryInfoImpl libraries(machine.getTargetTriple());
  recorder.add(new llvm::TargetLibraryInfoWrapperPass(libraries)); // as emitMachineCode does: places are counted
  machine.addPassesToEmitFile(recorder, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  addAliases(recorder.points);
  return std::move(recorder.points);
}

std::string spelled(const MachinePass &request) {
  return "'" + request.pass + "@" + (request.where.empty() ? "" : request.where + ":") + request.point +
      (request.instance ? "#" + std::to_string(request.instance) : "") + "'";
}

class Requests {
public:
  Requests(const std::vector<CodegenPoint> &points, std::string chip) : points(points), chip(std::move(chip)) {}

  bool loadPlugins(const std::vector<std::string> &paths, std::string &error) {
    for (const std::string &path : paths) {
      plugins.push_back(Plugin::load(path, error));
      if (!plugins.back()) return false;
    }
    return true;
  }

  bool add(const MachinePass &request, std::string &error) {
    const llvm::PassInfo *pass = findPass(request, error);
    std::size_t index = pass ? findPoint(request, error) : 0;
    if (!error.empty()) return false;
    insertions.push_back({pass, index, request.pass});
    return checkStage(request, insertions.back(), error);
  }

  std::vector<Insertion> insertions;

private:
  const llvm::PassInfo *findPass(const MachinePass &request, std::string &error) {
    std::vector<std::string> known;
    const llvm::PassInfo *found = nullptr;
    for (const Plugin *plugin : plugins)
      for (const auto &entry : plugin->machinePasses()) {
        known.push_back(entry.getKey().str());
        if (!found && entry.getKey() == request.pass) found = entry.getValue();
      }
    if (!found) {
      found = llvm::PassRegistry::getPassRegistry()->getPassInfo(llvm::StringRef(request.pass));
      if (found && !isOfLlvm(found->getTypeInfo())) found = nullptr; // of a plugin of another compilation
    }
    if (!found) {
      llvm::sort(known);
      std::string own = known.empty() ? "the plugins have none" : "the plugins have " + llvm::join(known, ", ");
      for (const CodegenPoint &point : points)
        if (!point.analysis) known.push_back(point.pass);
      error = "no machine pass '" + request.pass + "': " + own + suggestion(request.pass, known);
    } else if (found->isAnalysis()) {
      error = "'" + request.pass +
          "' is registered as an analysis, which LLVM leaves out where nothing asks for it: "
          "insert a pass (RegisterPass's fourth argument is false)";
    } else if (!found->getNormalCtor()) {
      error = "pass '" + request.pass + "' has no default constructor: it cannot be inserted by name";
    }
    return error.empty() ? found : nullptr;
  }

  std::size_t findPoint(const MachinePass &request, std::string &error) {
    std::vector<std::string> known;
    std::vector<std::size_t> found;
    bool analysis = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const CodegenPoint &point = points[i];
      known.insert(known.end(), point.aliases.begin(), point.aliases.end());
      if (llvm::is_contained(point.aliases, request.point)) return alias(request, i, error);
      if (!point.analysis && !point.pass.empty()) known.push_back(point.pass);
      if (point.pass != request.point) continue;
      if (point.analysis) analysis = true;
      else if (!request.instance || point.instance == request.instance) found.push_back(i);
    }
    if (found.empty()) return refuse(request, analysis, known, error), 0;
    if (found.size() > 1) {
      error = spelled(request) + ": '" + request.point + "' runs " + std::to_string(found.size()) + " times for " +
          chip + "; say which one, such as " + request.point + "#1";
      return 0;
    }
    if (request.where == "before") return found[0];
    if (request.where == "after") return found[0] + 1;
    error = spelled(request) + ": a pass goes before:" + request.point + " or after:" + request.point;
    return 0;
  }

  std::size_t alias(const MachinePass &request, std::size_t index, std::string &error) {
    if (!request.where.empty() || request.instance)
      error = spelled(request) + ": '" + request.point + "' is a point of its own: write " + request.pass + "@" +
          request.point;
    return index;
  }

  void refuse(const MachinePass &request, bool analysis, const std::vector<std::string> &known, std::string &error) {
    error = spelled(request) + ": ";
    const auto *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(llvm::StringRef(request.point));
    if (analysis || (info && info->isAnalysis()))
      error += "'" + request.point + "' is an analysis, which runs where others need it: name a pass";
    else if (llvm::is_contained(known, request.point))
      error += "'" + request.point + "' does not run " + std::to_string(request.instance) + " times for " + chip;
    else if (info) error += "pass '" + request.point + "' does not run for " + chip + suggestion(request.point, known);
    else
      error +=
          "code generation for " + chip + " has no pass '" + request.point + "'" + suggestion(request.point, known);
  }

  // Allocators hand the registers that they chose to the passes up to the rewriter in an analysis that nothing can
  // compute again.
  bool losesRegisters(const llvm::Pass &pass, std::size_t index) {
    auto begin = points.begin() + index;
    auto reads = [](const CodegenPoint &point) { return point.needsRegisters; };
    if (std::none_of(points.begin(), begin, reads) || std::none_of(begin, points.end(), reads)) return false;
    llvm::AnalysisUsage usage = usageOf(pass);
    return !usage.getPreservesAll() && !llvm::is_contained(usage.getPreservedSet(), &llvm::VirtRegMapWrapperLegacy::ID);
  }

  // A pass over machine code goes behind instruction selection, one over LLVM IR before it, none behind the emitter.
  bool checkStage(const MachinePass &request, const Insertion &insertion, std::string &error) {
    auto begin = points.begin(), end = points.end();
    std::size_t selected = std::find_if(begin, end, [](const CodegenPoint &p) { return p.machine; }) - begin;
    std::size_t emitted = std::find_if(begin, end, isEmitter) - begin;
    std::unique_ptr<llvm::Pass> pass(insertion.pass->createPass());
    bool machine = worksOnMachineCode(*pass);
    if (insertion.index > emitted) error = spelled(request) + ": the code is emitted there";
    else if (machine && insertion.index <= selected)
      error = spelled(request) + ": '" + request.pass + "' works on machine code, which is made by '" +
          points[selected].pass + "': choose a later point";
    else if (machine && losesRegisters(*pass, insertion.index))
      error = spelled(request) + ": registers are being allocated there, and '" + request.pass +
          "' does not preserve their map: let it preserve all analyses, or choose pre-ra or post-ra";
    else if (!machine && pass->getPassKind() != llvm::PT_Module && insertion.index > selected)
      error = spelled(request) + ": '" + request.pass + "' works on LLVM IR, which '" + points[selected].pass +
          "' has turned into machine code there: choose an earlier point";
    return error.empty();
  }

  const std::vector<CodegenPoint> &points;
  const std::string chip;
  std::vector<const Plugin *> plugins;
};

} // namespace

bool worksOnMachineCode(const llvm::Pass &pass) {
  return pass.getPassKind() == llvm::PT_Function && needs(pass, &llvm::MachineModuleInfoWrapperPass::ID);
}

bool resolveInsertions(const std::vector<MachinePass> &passes, const std::vector<std::string> &plugins,
                       llvm::TargetMachine &machine, std::vector<Insertion> &insertions, Failure &failure) {
  llvm::initializeCodeGen(*llvm::PassRegistry::getPassRegistry());
  const std::vector<CodegenPoint> points = listPoints(machine);
  llvm::StringRef chip = machine.getTargetCPU();
  Requests requests(points, (chip.empty() ? machine.getTargetTriple().str() : chip.str()));
  failure.ofPass = true;
  if (!requests.loadPlugins(plugins, failure.message)) return false;
  for (const MachinePass &pass : passes)
    if (!requests.add(pass, failure.message)) return false;
  failure.ofPass = false;
  insertions = std::move(requests.insertions);
  return true;
}

Outcome<std::vector<CodegenPoint>> codegenPoints(const CodegenOptions &options) {
  return guarded<std::vector<CodegenPoint>>([&](Outcome<std::vector<CodegenPoint>> &out) {
    if (auto machine = createTargetMachine(options, out.failure)) out.value = listPoints(*machine);
  });
}

Outcome<std::vector<std::string>> pluginPasses(const std::string &path) {
  bool loading = false;
  auto outcome = guarded<std::vector<std::string>>([&](Outcome<std::vector<std::string>> &out) {
    initializeTargets();
    llvm::initializeCodeGen(*llvm::PassRegistry::getPassRegistry());
    out.failure.ofPass = loading = true;
    const Plugin *plugin = Plugin::load(path, out.failure.message);
    loading = false;
    if (!plugin) return;
    std::vector<std::string> names;
    if (plugin->hasIrPasses()) names.push_back("");
    for (const auto &entry : plugin->machinePasses()) names.push_back(entry.getKey().str());
    llvm::sort(names);
    out.value = std::move(names);
  });
  if (loading) outcome.failOfPass("plugin '" + path + "' cannot be loaded, it " + describeEnd(outcome.failure.message));
  return outcome;
}

} // namespace flydsl
