// Shared objects with LLVM passes, loaded once for each content.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace llvm {
class PassBuilder;
class PassInfo;
} // namespace llvm

namespace flydsl {

class Plugin {
public:
  /// The plugin with the content that the file `path` has now; null, with the reason in `error`. A content that was
  /// loaded before is not loaded again, and plugins do not see each other: two may have passes of one name.
  static const Plugin *load(const std::string &path, std::string &error);

  /// Passes of the legacy pass manager, by argument.
  const llvm::StringMap<const llvm::PassInfo *> &machinePasses() const { return passes; }

  /// Whether it has passes for pipelines of LLVM IR.
  bool hasIrPasses() const { return callbacks != nullptr; }
  void registerIrPasses(llvm::PassBuilder &builder) const;

  const std::string name;

private:
  explicit Plugin(llvm::StringRef path);
  bool open(llvm::StringRef content, std::string &error);
  bool readInfo(std::string &error);

  void *handle = nullptr;
  void (*callbacks)(llvm::PassBuilder &) = nullptr;
  llvm::StringMap<const llvm::PassInfo *> passes;
};

/// Whether `address` is in LLVM itself, and not in a plugin.
bool isOfLlvm(const void *address);

/// How a pass or plugin ended, from what its guard says, which takes the input or LLVM for the cause.
std::string describeEnd(const std::string &guarded);

/// The known name that `name` may have been meant to be, as `; did you mean 'x'?`, or nothing.
std::string suggestion(llvm::StringRef name, llvm::ArrayRef<std::string> known);

} // namespace flydsl
