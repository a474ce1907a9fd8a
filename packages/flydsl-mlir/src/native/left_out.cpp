// What lld and LLVM's pass builder refer to, and a build with LLVM inside does without: defined here, it draws no
// library in.
#include "llvm/Plugins/PassPlugin.h"

// Polly, an extension that Debian's LLVM is built with: passes for loops, in a library that no wheel needs.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING, [](llvm::PassBuilder &) {}, nullptr};
}

// The targets of LLVM that no plugin of ours compiles for. lld initialises all that LLVM was built with.
#define LEFT_OUT(TARGET) \
  extern "C" void LLVMInitialize##TARGET##TargetInfo() {} \
  extern "C" void LLVMInitialize##TARGET##Target() {} \
  extern "C" void LLVMInitialize##TARGET##TargetMC() {} \
  extern "C" void LLVMInitialize##TARGET##AsmPrinter() {} \
  extern "C" void LLVMInitialize##TARGET##AsmParser() {} \
  extern "C" void LLVMInitialize##TARGET##Disassembler() {}

LEFT_OUT(ARM)
LEFT_OUT(AVR)
LEFT_OUT(BPF)
LEFT_OUT(Hexagon)
LEFT_OUT(Lanai)
LEFT_OUT(LoongArch)
LEFT_OUT(M68k)
LEFT_OUT(Mips)
LEFT_OUT(MSP430)
LEFT_OUT(PowerPC)
LEFT_OUT(RISCV)
LEFT_OUT(Sparc)
LEFT_OUT(SPIRV)
LEFT_OUT(SystemZ)
LEFT_OUT(VE)
LEFT_OUT(WebAssembly)
LEFT_OUT(XCore)
LEFT_OUT(Xtensa)
