// Object files in, a linked ELF image out: lld, in this process.
#include "link.h"
#include "guard.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

LLD_HAS_DRIVER(elf)

namespace flydsl {
namespace {

constexpr const char *kOutput = "out.elf";

// A folder of our own, removed at the end.
class TemporaryFolder {
public:
  bool create() { return !llvm::sys::fs::createUniqueDirectory("flydsl-link", path); }
  ~TemporaryFolder() {
    if (!path.empty()) llvm::sys::fs::remove_directories(path);
  }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }

  /// `text` without the folder's name, which says nothing to a reader and differs every time.
  std::string hide(llvm::StringRef text) const {
    std::string clean;
    std::string prefix = (path + "/").str();
    for (std::size_t at; (at = text.find(prefix)) != llvm::StringRef::npos; text = text.drop_front(at + prefix.size()))
      clean += text.take_front(at);
    return clean + text.str();
  }

private:
  llvm::SmallString<128> path;
};

bool writeFile(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error) return false;
  stream << bytes;
  stream.close();
  bool written = !stream.has_error();
  stream.clear_error();
  return written;
}

// lld's state is global: there is one thread for it, and no use of it in this process after a crash.
std::atomic<bool> linkerBroken{false};

// lld takes any other text as a linker script, which may read any file.
bool isObject(llvm::StringRef bytes) {
  return bytes.starts_with("\x7f"
                           "ELF") ||
      bytes.starts_with("!<arch>\n");
}

void takeImage(const TemporaryFolder &folder, Outcome<std::string> &out) {
  auto image = llvm::MemoryBuffer::getFile(folder.file(kOutput), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!image) return out.fail("linking failed: no output was written");
  out.value = (*image)->getBuffer().str();
}

// The way after a crash: LLVM's own program, one process a link.
void runProgram(const std::vector<std::string> &line, const TemporaryFolder &folder, Outcome<std::string> &out) {
  auto program = llvm::sys::findProgramByName("ld.lld", {FLYDSL_LLVM_BINDIR});
  if (!program) program = llvm::sys::findProgramByName("ld.lld-22");
  if (!program)
    return out.fail("the linker in this process crashed before, and no program ld.lld was found: install lld-22");
  std::string log = folder.file("log");
  std::vector<llvm::StringRef> words(line.begin(), line.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  if (llvm::sys::ExecuteAndWait(*program, words, std::nullopt, redirects) == 0) return takeImage(folder, out);
  auto said = llvm::MemoryBuffer::getFile(log);
  out.fail("linking failed: " + folder.hide(said ? (*said)->getBuffer().trim() : "the program ld.lld said nothing"));
}

void runLinker(const std::vector<std::string> &line, const TemporaryFolder &folder, Outcome<std::string> &out) {
  std::vector<const char *> argv;
  for (const std::string &word : line) argv.push_back(word.c_str());
  std::string said;
  llvm::raw_string_ostream stream(said);
  lld::Result result = lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (!result.canRunAgain) {
    // A fatal error, unlike a crash, leaves a state that can still be cleared.
    llvm::CrashRecoveryContext recovery;
    linkerBroken = llvm::CrashRecoveryContext::isCrash(result.retCode) ||
        !recovery.RunSafely([] { lld::CommonLinkerContext::destroy(); });
  }
  if (result.retCode != 0)
    return out.fail("linking failed: " +
                    (said.empty() ? "the linker crashed" : folder.hide(llvm::StringRef(said).trim())));
  takeImage(folder, out);
}

void linkInFolder(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared,
                  Outcome<std::string> &out) {
  TemporaryFolder folder;
  if (!folder.create()) return out.fail("no temporary folder can be made");
  std::vector<std::string> line{"ld.lld", "-o", folder.file(kOutput)};
  if (shared) line.push_back("-shared");
  line.insert(line.end(), args.begin(), args.end());
  // One thread: an error in a thread of lld's own would end the process.
  line.push_back("--threads=1");
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (!isObject(objects[i]))
      return out.fail("linking failed: input " + std::to_string(i) + " is not an ELF object or an archive");
    line.push_back(folder.file("in" + std::to_string(i) + ".o"));
    if (!writeFile(line.back(), objects[i])) return out.fail("the temporary folder cannot be written");
  }
  linkerBroken ? runProgram(line, folder, out) : runLinker(line, folder, out);
}

} // namespace

void linkObjects(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared,
                 Outcome<std::string> &out) {
  std::string crash;
  bool finished = runGuardedOnKeptThread([&] { linkInFolder(objects, args, shared, out); }, crash);
  if (finished) return;
  linkerBroken = true;
  out.fail("the linker crashed: " + crash);
}

Outcome<std::string> link(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared) {
  Outcome<std::string> out;
  linkObjects(objects, args, shared, out);
  return out;
}

} // namespace flydsl
