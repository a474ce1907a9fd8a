// LLVM passes as plugins: LLVM IR passes of the new pass manager, and machine passes that are inserted by name.
//
// A plugin is one shared library, built without RTTI against the LLVM that runs it (`python -m flydsl_mlir.sdk build`
// does). It runs in `@flyc.jit` functions, in `fly-llc`, and in `opt` and `llc` of the same LLVM:
//
//   #include "fly_pass.h"
//
//   struct CountLoads : fly::FunctionPass<CountLoads> {
//     bool run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) { return false; }
//   };
//   FLY_IR_PASS(CountLoads, "count-loads")
//
//   struct NopSled : fly::MachinePass<NopSled> {
//     bool run(llvm::MachineFunction &function) { return false; }
//   };
//   FLY_MACHINE_PASS(NopSled, "nop-sled", "no-operations at the start of each function")
//
// `run` says whether it changed anything. `fly::fail` gives up with a message, which the user of the pass sees.
#pragma once

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdint>
#include <type_traits>

#if LLVM_VERSION_MAJOR != 22
#error "fly_pass.h is for LLVM 22, and these headers are of another version"
#endif
#ifdef __GXX_RTTI
#error "compile with -fno-rtti, as LLVM is: a plugin with RTTI cannot be loaded"
#endif

/// What the plugin was built from, for tools that build it again when that changes.
#ifndef FLY_PASS_SOURCES
#define FLY_PASS_SOURCES ""
#endif

// Hidden: plugins whose passes have equal names stay apart in one process.
namespace [[gnu::visibility("hidden")]] fly {

/// Ends the compilation with `message`; the program that compiles goes on.
[[noreturn]] inline void fail(const llvm::Twine &message) { llvm::reportFatalUsageError(message); }

/// An LLVM IR pass over functions: `bool run(llvm::Function &, llvm::FunctionAnalysisManager &)`.
template <typename Pass>
struct FunctionPass : llvm::PassInfoMixin<Pass> {
  using Unit = llvm::Function;
};

/// An LLVM IR pass over modules: `bool run(llvm::Module &, llvm::ModuleAnalysisManager &)`.
template <typename Pass>
struct ModulePass : llvm::PassInfoMixin<Pass> {
  using Unit = llvm::Module;
};

/// A pass over the machine code of functions, at whatever point it is inserted: `bool run(llvm::MachineFunction &)`.
template <typename Derived>
class MachinePass : public llvm::MachineFunctionPass {
public:
  static inline char ID = 0;
  MachinePass() : MachineFunctionPass(ID) {}
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    return static_cast<Derived *>(this)->run(function);
  }
  /// For passes that keep blocks and branches as they are, which is most; others override it.
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
};

/// The opcode with the name that MIR has for it, such as `S_NOP`: the numbers are not in LLVM's public headers.
inline unsigned opcode(const llvm::MachineFunction &function, llvm::StringRef name) {
  const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
  for (unsigned number = 0; number < instructions.getNumOpcodes(); ++number)
    if (instructions.getName(number) == name) return number;
  fail("target '" + function.getTarget().getTargetTriple().getArchName() + "' has no instruction '" + name + "'");
}

/// The name that MIR has for the opcode of `instruction`.
inline llvm::StringRef opcodeName(const llvm::MachineInstr &instruction) {
  return instruction.getMF()->getSubtarget().getInstrInfo()->getName(instruction.getOpcode());
}

/// The physical register with the name that LLVM has for it, in capitals: `SGPR4`, `VGPR0`.
inline llvm::MCRegister physicalRegister(const llvm::MachineFunction &function, llvm::StringRef name) {
  const llvm::TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
  for (unsigned number = 1; number < registers.getNumRegs(); ++number)
    if (name == registers.getName(number)) return llvm::MCRegister(number);
  fail("target '" + function.getTarget().getTargetTriple().getArchName() + "' has no register '" + name + "'");
}

namespace detail {

/// The LLVM that the plugin was built with, as an ELF note: loaders read it before they run any code of the plugin.
struct Note {
  std::uint32_t nameSize, textSize, type;
  char name[8];
  char text[sizeof(LLVM_VERSION_STRING " " FLY_PASS_SOURCES)];
};
[[gnu::section(".note.fly_pass"), gnu::used, gnu::aligned(4)]] static const Note note = {
    8, sizeof(Note::text), 1, "FlyPass", LLVM_VERSION_STRING " " FLY_PASS_SOURCES};

/// What LLVM's pass managers take: `run` gives back the analyses that are still valid.
template <typename Pass>
struct Adaptor : llvm::PassInfoMixin<Adaptor<Pass>> {
  llvm::PreservedAnalyses run(typename Pass::Unit &unit, llvm::AnalysisManager<typename Pass::Unit> &analyses) {
    return Pass().run(unit, analyses) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static inline llvm::StringRef title;
  static llvm::StringRef name() { return title; } // what messages call it: the name in pipelines
  static bool isRequired() { return true; } // of functions marked `optnone` too
};

/// The list of this plugin's IR passes, of objects with static storage, whichever of its files they are in.
struct IrPass {
  using Add = bool (*)(llvm::FunctionPassManager *, llvm::ModulePassManager *);

  IrPass(llvm::StringRef name, llvm::StringRef &title, Add add) : name(name), add(add), next(first()) {
    title = name;
    first() = this;
  }
  static IrPass *&first() {
    static IrPass *head = nullptr;
    return head;
  }
  static bool addNamed(llvm::StringRef name, llvm::FunctionPassManager *functions, llvm::ModulePassManager *modules) {
    IrPass *pass = first();
    while (pass && pass->name != name) pass = pass->next;
    if (pass && !pass->add(functions, modules))
      fail("pass '" + name + "' is over modules: name it outside of function(...)");
    return pass;
  }

  llvm::StringRef name;
  Add add;
  IrPass *next;
};

/// Adds `Pass` to one of the managers, the other is null; false for a pass over modules and a manager of functions.
template <typename Pass>
bool addIrPass(llvm::FunctionPassManager *functions, llvm::ModulePassManager *modules) {
  if constexpr (std::is_same_v<typename Pass::Unit, llvm::Module>) {
    if (modules) modules->addPass(Adaptor<Pass>());
    return modules;
  } else {
    if (functions) functions->addPass(Adaptor<Pass>());
    else modules->addPass(llvm::createModuleToFunctionPassAdaptor(Adaptor<Pass>()));
    return true;
  }
}

inline void registerIrPasses(llvm::PassBuilder &builder) {
  using Nested = llvm::ArrayRef<llvm::PassBuilder::PipelineElement>;
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager &passes, Nested) {
    return IrPass::addNamed(name, nullptr, &passes);
  });
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::FunctionPassManager &passes, Nested) {
    return IrPass::addNamed(name, &passes, nullptr);
  });
}

} // namespace detail
} // namespace fly

// The entry point that LLVM calls; weak, so that each file of a plugin may include this header.
extern "C" [[gnu::weak, gnu::visibility("default")]] llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "fly", LLVM_VERSION_STRING, fly::detail::registerIrPasses, nullptr};
}

#define FLY_PASS_JOIN_(a, b) a##b
#define FLY_PASS_JOIN(a, b) FLY_PASS_JOIN_(a, b)

/// Names a `fly::FunctionPass` or `fly::ModulePass` in pipelines: `function(NAME)`, `NAME,instcombine`.
#define FLY_IR_PASS(TYPE, NAME) \
  static const fly::detail::IrPass FLY_PASS_JOIN(flyIrPass, __COUNTER__)(NAME, fly::detail::Adaptor<TYPE>::title, \
                                                                         fly::detail::addIrPass<TYPE>);

/// Names a `fly::MachinePass`, which is then inserted as `NAME@POINT`; TITLE is what `-debug-pass=Structure` shows.
#define FLY_MACHINE_PASS(TYPE, NAME, TITLE) \
  static const llvm::RegisterPass<TYPE> FLY_PASS_JOIN(flyMachinePass, __COUNTER__)(NAME, TITLE);
