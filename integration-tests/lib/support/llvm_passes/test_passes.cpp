// Passes for tests, good and bad ones.
#include "fly_pass.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <unistd.h>

namespace {

// Notes the number of loads of each function in an attribute of the function.
struct CountLoads : fly::FunctionPass<CountLoads> {
  bool run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    unsigned loads = 0;
    for (llvm::Instruction &instruction : llvm::instructions(function)) loads += llvm::isa<llvm::LoadInst>(instruction);
    function.addFnAttr("loads", std::to_string(loads));
    return true;
  }
};
FLY_IR_PASS(CountLoads, "count-loads")

// Stores of the i32 constant -7 store the index of the thread in its block instead: what a kernel does not say.
struct TraceThreads : fly::FunctionPass<TraceThreads> {
  bool run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    llvm::LoopInfo &loops = analyses.getResult<llvm::LoopAnalysis>(function);
    bool changed = false;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      auto *value = store ? llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand()) : nullptr;
      if (!value || !value->getType()->isIntegerTy(32) || value->getSExtValue() != -7) continue;
      store->setOperand(0, thread(*store, loops));
      changed = true;
    }
    return changed;
  }

  // A processor runs the threads of a block in loops; a GPU says in a register which one it is.
  static llvm::Value *thread(llvm::Instruction &at, llvm::LoopInfo &loops) {
    llvm::IRBuilder<> builder(&at);
    if (at.getModule()->getTargetTriple().isAMDGCN())
      return builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::amdgcn_workitem_id_x, {});
    llvm::Loop *loop = loops.getLoopFor(at.getParent());
    llvm::PHINode *index = loop ? loop->getCanonicalInductionVariable() : nullptr;
    if (!index) fly::fail("no loop over threads in '" + at.getFunction()->getName() + "'");
    return builder.CreateIntCast(index, builder.getInt32Ty(), true);
  }
};
FLY_IR_PASS(TraceThreads, "trace-threads")

// Functions of the module, counted in each one's attribute.
struct CountFunctions : fly::ModulePass<CountFunctions> {
  bool run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    std::string count = std::to_string(llvm::count_if(module, [](auto &f) { return !f.isDeclaration(); }));
    for (llvm::Function &function : module) function.addFnAttr("functions", count);
    return true;
  }
};
FLY_IR_PASS(CountFunctions, "count-functions")

struct BreakIr : fly::FunctionPass<BreakIr> {
  bool run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    function.getEntryBlock().getTerminator()->eraseFromParent();
    return true;
  }
};
FLY_IR_PASS(BreakIr, "break-ir")

void crash() { *reinterpret_cast<volatile int *>(16) = 1; }

struct CrashOnIr : fly::FunctionPass<CrashOnIr> {
  bool run(llvm::Function &, llvm::FunctionAnalysisManager &) { return crash(), true; }
};
FLY_IR_PASS(CrashOnIr, "crash-on-ir")

struct ExitOnIr : fly::FunctionPass<ExitOnIr> {
  bool run(llvm::Function &, llvm::FunctionAnalysisManager &) { _exit(7); }
};
FLY_IR_PASS(ExitOnIr, "exit-on-ir")

struct RefuseIr : fly::FunctionPass<RefuseIr> {
  bool run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    fly::fail("nothing to do in '" + function.getName() + "'");
  }
};
FLY_IR_PASS(RefuseIr, "refuse-ir")

// How many: tests write another number into a copy of the plugin.
[[gnu::used]] volatile const char sled[] = "SLED=03";

// `s_nop 5`, which the compiler does not emit itself, at the start of each function.
struct NopSled : fly::MachinePass<NopSled> {
  bool run(llvm::MachineFunction &function) {
    llvm::MachineBasicBlock &entry = function.front();
    const llvm::MCInstrDesc &nop = function.getSubtarget().getInstrInfo()->get(fly::opcode(function, "S_NOP"));
    int count = (sled[5] - '0') * 10 + sled[6] - '0';
    for (int i = 0; i < count; ++i) llvm::BuildMI(entry, entry.begin(), llvm::DebugLoc(), nop).addImm(5);
    return true;
  }
};
FLY_MACHINE_PASS(NopSled, "nop-sled", "no-operations at the start of functions")

// The same on any target.
struct AnyNop : fly::MachinePass<AnyNop> {
  bool run(llvm::MachineFunction &function) {
    function.getSubtarget().getInstrInfo()->insertNoop(function.front(), function.front().begin());
    return true;
  }
};
FLY_MACHINE_PASS(AnyNop, "any-nop", "a no-operation at the start of functions")

// Exchanges neighbours that do not depend on each other, from the start of each block to its end.
struct SwapNeighbours : fly::MachinePass<SwapNeighbours> {
  bool run(llvm::MachineFunction &function) {
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function)
      for (auto first = block.begin(); first != block.end();) {
        auto second = std::next(first);
        if (second == block.end()) break;
        if (isMovable(*first) && isMovable(*second) && areIndependent(*first, *second)) {
          block.splice(first, &block, second);
          changed = true;
          ++first; // the one behind both
        } else {
          first = second;
        }
      }
    return changed;
  }

  static bool isMovable(const llvm::MachineInstr &instruction) {
    return !instruction.isBundled() && !instruction.isMetaInstruction() && !instruction.isPosition() &&
        !instruction.isTerminator() && !instruction.isCall() && !instruction.isInlineAsm() && !instruction.isPHI() &&
        !instruction.mayLoadOrStore() && !instruction.hasUnmodeledSideEffects() && !instruction.isConvergent();
  }

  // No register that one writes is read or written by the other, and none of both is read for the last time.
  static bool areIndependent(const llvm::MachineInstr &first, const llvm::MachineInstr &second) {
    const llvm::TargetRegisterInfo &registers = *first.getMF()->getSubtarget().getRegisterInfo();
    for (const llvm::MachineOperand &one : first.operands()) {
      if (one.isRegMask()) return false;
      if (!one.isReg() || !one.getReg()) continue;
      for (const llvm::MachineOperand &other : second.operands()) {
        if (other.isRegMask()) return false;
        if (!other.isReg() || !other.getReg() || !registers.regsOverlap(one.getReg(), other.getReg())) continue;
        if (one.isDef() || other.isDef() || one.isKill() || other.isKill()) return false;
      }
    }
    return true;
  }
};
FLY_MACHINE_PASS(SwapNeighbours, "swap-neighbours", "independent neighbours exchanged")

struct CrashOnCode : fly::MachinePass<CrashOnCode> {
  bool run(llvm::MachineFunction &) { return crash(), true; }
};
FLY_MACHINE_PASS(CrashOnCode, "crash-on-code", "a crash")

// An instruction without its operand.
struct CutCode : fly::MachinePass<CutCode> {
  bool run(llvm::MachineFunction &function) {
    llvm::MachineBasicBlock &entry = function.front();
    const llvm::MCInstrDesc &nop = function.getSubtarget().getInstrInfo()->get(fly::opcode(function, "S_NOP"));
    llvm::BuildMI(entry, entry.begin(), llvm::DebugLoc(), nop);
    return true;
  }
};
FLY_MACHINE_PASS(CutCode, "cut-code", "machine code that is not valid")

struct UnknownOpcode : fly::MachinePass<UnknownOpcode> {
  bool run(llvm::MachineFunction &function) { return fly::opcode(function, "S_NIP"); }
};
FLY_MACHINE_PASS(UnknownOpcode, "unknown-opcode", "an instruction that no target has")

} // namespace
