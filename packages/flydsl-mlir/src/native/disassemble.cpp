// An ELF image in, its decoded instructions out.
#include "context.h"
#include "guard.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace flydsl {
namespace {

std::string text(llvm::Error error) { return llvm::toString(std::move(error)); }

class Decoder {
public:
  bool create(const std::string &tripleName, const std::string &chip, const std::string &features, Failure &failure) {
    initialize();
    triple = llvm::Triple(llvm::Triple::normalize(tripleName));
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) {
      failure.message = "unknown triple '" + tripleName + "': " + error;
      return false;
    }
    registers.reset(target->createMCRegInfo(triple));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(triple, "", ""));
    if (!registers || !instructions || !subtarget || !target->hasMCAsmParser()) {
      failure.message = "no disassembler for triple '" + tripleName + "'";
      return false;
    }
    if (!chip.empty() && !subtarget->isCPUStringValid(chip)) {
      failure.message = "unknown chip '" + chip + "' for triple '" + tripleName + "'";
      return false;
    }
    subtarget.reset(target->createMCSubtargetInfo(triple, chip, features));
    assembler.reset(target->createMCAsmInfo(*registers, triple, options));
    context = std::make_unique<llvm::MCContext>(triple, assembler.get(), registers.get(), subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    analysis.reset(target->createMCInstrAnalysis(instructions.get()));
    if (assembler)
      printer.reset(
          target->createMCInstPrinter(triple, assembler->getAssemblerDialect(), *assembler, *instructions, *registers));
    if (!disassembler || !printer) {
      failure.message = "no disassembler for triple '" + tripleName + "'";
      return false;
    }
    printer->setPrintImmHex(true);
    return true;
  }

  // One instruction at `bytes`; undecodable bytes become one `.byte`/`.long` line.
  std::uint64_t decode(llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address, std::string &line,
                       std::optional<std::uint64_t> &branch) {
    llvm::MCInst instruction;
    std::uint64_t size = 0;
    llvm::raw_string_ostream stream(line);
    if (disassembler->getInstruction(instruction, size, bytes, address, llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        size == 0 || size > bytes.size()) {
      size = std::min<std::uint64_t>(bytes.size(), assembler->getMinInstAlignment());
      stream << "<unknown>";
      return size;
    }
    printer->printInst(&instruction, address, "", *subtarget, stream);
    std::uint64_t target = 0;
    if (analysis && analysis->evaluateBranch(instruction, address, size, target)) branch = target;
    return size;
  }

private:
  llvm::Triple triple;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCAsmInfo> assembler;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

using Labels = std::map<std::uint64_t, std::string>;

// Function-like symbols of one section, by address.
llvm::Error readLabels(const llvm::object::ELFObjectFileBase &file, const llvm::object::SectionRef &section,
                       Labels &labels) {
  for (const llvm::object::ELFSymbolRef symbol : file.symbols()) {
    auto where = symbol.getSection();
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    if (!where || !name || !address) {
      return llvm::joinErrors(llvm::joinErrors(where.takeError(), name.takeError()), address.takeError());
    }
    bool isCode = symbol.getELFType() == llvm::ELF::STT_FUNC || symbol.getELFType() == llvm::ELF::STT_NOTYPE;
    if (*where == section && isCode && !name->empty()) labels[*address] = name->str();
  }
  return llvm::Error::success();
}

void decodeSection(Decoder &decoder, llvm::StringRef name, llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t start,
                   Labels labels, std::vector<Instruction> &out) {
  std::size_t first = out.size();
  std::vector<std::optional<std::uint64_t>> targets;
  for (std::uint64_t offset = 0; offset < bytes.size();) {
    Instruction instruction;
    instruction.address = start + offset;
    instruction.section = name.str();
    std::optional<std::uint64_t> branch;
    std::uint64_t size = decoder.decode(bytes.slice(offset), instruction.address, instruction.text, branch);
    size = std::max<std::uint64_t>(1, size);
    instruction.text = llvm::StringRef(instruction.text).trim().str();
    instruction.bytes.assign(reinterpret_cast<const char *>(bytes.data()) + offset, size);
    if (branch && *branch >= start && *branch < start + bytes.size() && !labels.count(*branch))
      labels[*branch] = "L_" + llvm::utohexstr(*branch, /*LowerCase=*/true);
    targets.push_back(branch);
    out.push_back(std::move(instruction));
    offset += size;
  }
  for (std::size_t i = first; i < out.size(); ++i) {
    if (auto found = labels.find(out[i].address); found != labels.end()) out[i].label = found->second;
    if (auto target = targets[i - first])
      if (auto found = labels.find(*target); found != labels.end()) out[i].text += " <" + found->second + ">";
  }
}

} // namespace

Outcome<std::vector<Instruction>> disassemble(const std::string &object, const std::string &triple,
                                              const std::string &chip, const std::string &features) {
  return guarded<std::vector<Instruction>>([&](Outcome<std::vector<Instruction>> &out) {
    Decoder decoder;
    if (!decoder.create(triple, chip, features, out.failure)) return;
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
    if (!file) return out.fail("the input is not an object file: " + text(file.takeError()));
    auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->get());
    if (!elf) return out.fail("the input is not an ELF file");
    std::vector<Instruction> decoded;
    for (const llvm::object::SectionRef &section : elf->sections()) {
      if (!section.isText() || section.isVirtual() || section.getSize() == 0) continue;
      auto name = section.getName();
      auto contents = section.getContents();
      Labels labels;
      llvm::Error error =
          llvm::joinErrors(llvm::joinErrors(name.takeError(), contents.takeError()), readLabels(*elf, section, labels));
      if (error) return out.fail("the object file is damaged: " + text(std::move(error)));
      decodeSection(decoder, *name, llvm::arrayRefFromStringRef(*contents), section.getAddress(), std::move(labels),
                    decoded);
    }
    out.value = std::move(decoded);
  });
}

} // namespace flydsl
