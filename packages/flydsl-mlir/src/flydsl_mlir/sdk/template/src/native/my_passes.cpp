// Passes of my_passes: one over LLVM IR, one over machine code.
#include "fly_pass.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

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

// Puts three instructions that do nothing at the start of each function.
struct NopSled : fly::MachinePass<NopSled> {
  bool run(llvm::MachineFunction &function) {
    llvm::MachineBasicBlock &entry = function.front();
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    for (int count = 0; count < 3; ++count) instructions.insertNoop(entry, entry.begin());
    return true;
  }
};
FLY_MACHINE_PASS(NopSled, "nop-sled", "no-operations at the start of each function")
