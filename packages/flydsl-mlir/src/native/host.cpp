// The machine we run on and the LLVM we run with: strings out.
#include "api.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

namespace flydsl {

HostCpu hostCpu() {
  std::vector<std::string> features;
  for (const auto &entry : llvm::sys::getHostCPUFeatures())
    features.push_back((entry.second ? "+" : "-") + entry.first().str());
  std::sort(features.begin(), features.end());
  std::string joined;
  for (const std::string &feature : features) joined += (joined.empty() ? "" : ",") + feature;
  return {llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str(), joined};
}

std::string llvmVersion() { return LLVM_VERSION_STRING; }

} // namespace flydsl
