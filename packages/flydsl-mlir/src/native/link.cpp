// Object files in, a linked ELF image out: lld, in this process.
#include "guard.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace flydsl {
namespace {

// A folder of our own, removed at the end.
class TemporaryFolder {
public:
  bool create() { return !llvm::sys::fs::createUniqueDirectory("flydsl-link", path); }
  ~TemporaryFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }

private:
  llvm::SmallString<128> path;
};

bool writeFile(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return false;
  stream << bytes;
  stream.close();
  bool written = !stream.has_error();
  stream.clear_error();
  return written;
}

// lld's state is global: one link at a time, and none after it was left in the middle of one.
std::mutex linkerMutex;
bool linkerBroken = false;

void runLinker(const std::vector<std::string> &line, const std::string &output, Outcome<std::string> &out) {
  std::vector<const char *> argv;
  for (const std::string &word : line)
    argv.push_back(word.c_str());
  std::string said;
  llvm::raw_string_ostream stream(said);
  lld::Result result = lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (!result.canRunAgain) {
    // A fatal error (not a crash) leaves a context that can still be cleared.
    llvm::CrashRecoveryContext recovery;
    bool cleared = !llvm::CrashRecoveryContext::isCrash(result.retCode) &&
                   recovery.RunSafely([] { lld::CommonLinkerContext::destroy(); });
    linkerBroken = !cleared;
  }
  if (result.retCode != 0)
    return out.fail("linking failed: " + llvm::StringRef(said).trim().str());
  auto image = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!image)
    return out.fail("linking failed: no output was written");
  out.value = (*image)->getBuffer().str();
}

} // namespace

Outcome<std::string> link(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared) {
  std::lock_guard<std::mutex> lock(linkerMutex);
  if (linkerBroken) {
    Outcome<std::string> out;
    out.fail("the linker in this process crashed before and cannot be used again");
    return out;
  }
  bool entered = false;
  auto outcome = guarded<std::string>([&](Outcome<std::string> &out) {
    TemporaryFolder folder;
    if (!folder.create())
      return out.fail("no temporary folder can be made");
    std::string output = folder.file("out.elf");
    // One thread: an error in a thread of lld's own would end the process.
    std::vector<std::string> line{"ld.lld", "-o", output};
    if (shared)
      line.push_back("-shared");
    line.insert(line.end(), args.begin(), args.end());
    line.push_back("--threads=1");
    for (std::size_t i = 0; i < objects.size(); ++i) {
      line.push_back(folder.file("in" + std::to_string(i) + ".o"));
      if (!writeFile(line.back(), objects[i]))
        return out.fail("the temporary folder cannot be written");
    }
    entered = true;
    runLinker(line, output, out);
    entered = false;
  });
  linkerBroken |= entered;
  return outcome;
}

} // namespace flydsl
