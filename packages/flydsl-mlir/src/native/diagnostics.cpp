// Messages of MLIR and LLVM in, `Diagnostic` records out.
#include "diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace flydsl {
namespace {

constexpr int kMaxNesting = 2048; // a chain of 400 `elif`; the guard catches what needs more stack
constexpr std::size_t kMaxMessage = 2000;

const char *severityName(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Note: return "note";
  case mlir::DiagnosticSeverity::Warning: return "warning";
  case mlir::DiagnosticSeverity::Error: return "error";
  case mlir::DiagnosticSeverity::Remark: return "remark";
  }
  return "error";
}

const char *severityName(llvm::DiagnosticSeverity severity) {
  switch (severity) {
  case llvm::DS_Error: return "error";
  case llvm::DS_Warning: return "warning";
  case llvm::DS_Remark: return "remark";
  case llvm::DS_Note: return "note";
  }
  return "error";
}

std::string shortened(std::string text) {
  if (text.size() <= kMaxMessage) return text;
  std::size_t end = kMaxMessage;
  while (end > 0 && (text[end] & 0xC0) == 0x80) // not inside a UTF-8 sequence
    --end;
  return text.substr(0, end) + " ...";
}

void append(std::vector<Diagnostic> &into, mlir::Diagnostic &diagnostic) {
  Diagnostic record{severityName(diagnostic.getSeverity()), shortened(diagnostic.str()), "", 0, 0};
  if (auto place = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>()) {
    record.file = place.getFilename().str();
    record.line = static_cast<int>(place.getLine());
    record.column = static_cast<int>(place.getColumn());
  }
  into.push_back(std::move(record));
  for (mlir::Diagnostic &note : diagnostic.getNotes()) append(into, note);
}

class Collector : public llvm::DiagnosticHandler {
public:
  explicit Collector(std::vector<Diagnostic> &into) : into(into) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() > llvm::DS_Warning) return true; // optimisation remarks are many, and nobody reads them here
    Diagnostic record{severityName(info.getSeverity()), "", "", 0, 0};
    llvm::raw_string_ostream stream(record.message);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (llvm::StringRef rest = record.message; rest.consume_front("<unknown>:0:0: ")) record.message = rest.str();
    if (const auto *unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
      if (llvm::DiagnosticLocation place = unsupported->getLocation(); place.isValid()) {
        record.file = place.getRelativePath().str();
        record.line = static_cast<int>(place.getLine());
        record.column = static_cast<int>(place.getColumn());
      }
    into.push_back(std::move(record));
    return true;
  }

private:
  std::vector<Diagnostic> &into;
};

} // namespace

MlirCollector::MlirCollector(mlir::MLIRContext *context, std::vector<Diagnostic> &into)
    : handler(context, [&into](mlir::Diagnostic &diagnostic) {
        append(into, diagnostic);
        return mlir::success();
      }) {}

void collectDiagnostics(llvm::LLVMContext &context, std::vector<Diagnostic> &into) {
  context.setDiagnosticHandler(std::make_unique<Collector>(into));
}

Diagnostic fromSourceDiagnostic(const llvm::SMDiagnostic &diagnostic) {
  return {"error", diagnostic.getMessage().str(), diagnostic.getFilename().str(), std::max(0, diagnostic.getLineNo()),
          diagnostic.getColumnNo() + 1};
}

void quoteSource(llvm::StringRef text, std::vector<Diagnostic> &diagnostics) {
  for (Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.file != kSourceName || diagnostic.line <= 0) continue;
    llvm::StringRef rest = text;
    for (int line = 1; line < diagnostic.line; ++line) rest = rest.split('\n').second;
    if (llvm::StringRef line = rest.split('\n').first.trim(); !line.empty())
      diagnostic.message += "\n    " + shortened(line.str());
  }
}

bool hasError(const std::vector<Diagnostic> &diagnostics) {
  return llvm::any_of(diagnostics, [](const Diagnostic &d) { return d.severity == "error"; });
}

bool nestsTooDeep(llvm::StringRef text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0, end = text.size(); i < end; ++i) {
    char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"' || c == '\n') quoted = false;
      continue;
    }
    if (c == ';' || text.substr(i, 2) == "//") // comments of LLVM IR and of MLIR
      i = std::min(text.find('\n', i), end);
    else if (c == '"') quoted = true;
    else if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    else if (c == ')' || c == ']' || c == '}' || (c == '>' && i && text[i - 1] != '-')) depth = std::max(0, depth - 1);
    if (depth > kMaxNesting) return true;
  }
  return false;
}

} // namespace flydsl
