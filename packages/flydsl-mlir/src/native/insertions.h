// Where passes are put into code generation: requests by name, checked against the pipeline of a target.
#pragma once

#include "api.h"

#include "llvm/Target/TargetMachine.h"

#include <string>
#include <vector>

namespace llvm {
class Pass;
class PassInfo;
} // namespace llvm

namespace flydsl {

/// A request that was checked: a new instance of `pass` goes before the pass that is added as number `index`.
struct Insertion {
  const llvm::PassInfo *pass;
  std::size_t index;
  std::string label;
};

/// Whether a pass works on the machine code of a function.
bool worksOnMachineCode(const llvm::Pass &pass);

/// Where `passes`, of the plugins or of LLVM, go; false, with the reason in `failure`, for one that cannot be inserted.
bool resolveInsertions(const std::vector<MachinePass> &passes, const std::vector<std::string> &plugins,
                       llvm::TargetMachine &machine, std::vector<Insertion> &insertions, Failure &failure);

} // namespace flydsl
