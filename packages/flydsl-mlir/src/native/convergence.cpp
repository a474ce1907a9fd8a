// What a GPU's threads have to run together is marked for LLVM, as clang marks all code of such targets.
#include "translate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace flydsl {
namespace {

// Text that has yet to meet its target has no triple, but kernels of GPUs have conventions of their own.
bool isKernel(const llvm::Function &function) {
  switch (function.getCallingConv()) {
  case llvm::CallingConv::AMDGPU_KERNEL:
  case llvm::CallingConv::PTX_Kernel:
  case llvm::CallingConv::SPIR_KERNEL: return true;
  default: return false;
  }
}

bool isConvergent(const llvm::CallBase &call) {
  if (const auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return !assembly->getAsmString().empty();
  const llvm::Function *callee = call.getCalledFunction();
  return !callee || !callee->isIntrinsic(); // intrinsics say it themselves
}

} // namespace

void markConvergent(llvm::Module &module) {
  if (llvm::none_of(module, isKernel)) return;
  for (llvm::Function &function : module) {
    if (function.isIntrinsic()) continue;
    function.setConvergent();
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && isConvergent(*call)) call->setConvergent();
  }
}

} // namespace flydsl
