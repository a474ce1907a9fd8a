// Images and records in, modules with kernels and globals out: the building half of the C interface.
#include "engine/core/module.h"

#include "build.h"
#include "engine/core/message.h"
#include "engine/core/registry.h"
#include "engine/scalar/dual.h"
#include "register_banks.h"

#include <atomic>
#include <mutex>
#include <sys/mman.h>

namespace flysim {
namespace {

std::atomic<FlySimLoadFn> loader{nullptr};

std::vector<std::string> split_lines(const char *text) {
  std::vector<std::string> lines;
  for (const char *at = text; at && *at;) {
    const char *end = std::strchr(at, '\n');
    lines.emplace_back(at, end ? end - at : std::strlen(at));
    at = end ? end + 1 : nullptr;
  }
  return lines;
}

bool inside(uint32_t offset, const uint32_t *ranges, uint64_t n) {
  for (uint64_t k = 0; k < n; ++k)
    if (offset >= ranges[2 * k] && offset < ranges[2 * k + 1]) return true;
  return n == 0;
}

std::string missing(const Program &program, const FlySimRecord &record, size_t k, const char *why) {
  char at[32];
  std::snprintf(at, sizeof at, " at %#x", record.address);
  const std::string text = k < program.texts.size() ? program.texts[k] : program.names[record.opcode];
  return "the simulator cannot execute '" + text + "'" + at + ": " + why;
}

// Clamping an integer needs a function of its own; float results are clamped after any function.
const Opcode *opcode_of(const Program &program, const FlySimRecord &record) {
  const std::string &name = program.names[record.opcode];
  if ((record.flags & FLYSIM_CLAMP) && program.arch == "gfx1250")
    if (const Opcode *other = find_opcode(name + " e5m3")) return other; // another format of 8 bits, not saturation
  if (record.flags & FLYSIM_CLAMP)
    if (const Opcode *clamped = find_opcode(name + " clamp")) return clamped;
  const Opcode *found = find_opcode(name);
  if (!found && name.starts_with("v_dual_")) found = find_opcode("v_" + name.substr(7));
  if (found && (record.flags & FLYSIM_CLAMP) && !found->signature.empty() && std::strchr("uwqi", found->signature[0]))
    return nullptr;
  return found;
}

// The instruction of a record; why there is none, if so.
std::string build_at(Program &program, size_t bank, size_t k) {
  FlySimRecord &record = program.records[bank * program.stride + k];
  Inst &inst = program.code[bank * program.stride + k];
  inst.record = &record;
  inst.run = run_unsupported;
  try {
    const Opcode *opcode = opcode_of(program, record);
    if (!opcode) return "it has no such instruction";
    choose_banks(record, *opcode, program.banks[bank]);
    inst = build_instruction(program, record, *opcode);
    return "";
  } catch (const Fault &fault) {
    return fault.what();
  }
}

// Dual instructions, targets of branches and the last instruction of the bank that begins at `first`.
void finish_bank(Program &program, size_t first) {
  const size_t last = first + program.stride - 1;
  for (size_t k = first; k + 1 < last; ++k)
    if (program.records[k].flags & FLYSIM_DUAL) join_dual(program, k);
  program.code[last].record = &program.records[last];
  program.code[last].run = run_unsupported;
  for (size_t k = first; k < last; ++k)
    for (const FlySimOperand &operand : program.records[k].operands)
      if (operand.kind == FLYSIM_LABEL && operand.value / 4 < program.index_of.size() &&
          program.index_of[operand.value / 4] != ~0u)
        program.code[k].target = &program.code[first + program.index_of[operand.value / 4]];
}

} // namespace

} // namespace flysim

using namespace flysim;

extern "C" {

void flysim_set_loader(FlySimLoadFn function) { loader = function; }

int flysim_module_load(const void *image, uint64_t size, const char *arch, FlySimModule **out, char *message,
                       uint64_t message_size) {
  FlySimLoadFn function = loader.load();
  if (!function)
    return report(FLYSIM_ERROR, "no loader of code objects is installed: call flydsl_hipsim.install()", message,
                  message_size);
  return function(image, size, arch, out, message, message_size);
}

void flysim_module_unload(FlySimModule *module) { delete module; }

int flysim_module_kernel(FlySimModule *module, const char *name, FlySimKernel **out) {
  auto found = module->kernels.find(name);
  if (found == module->kernels.end()) return FLYSIM_NOT_FOUND;
  *out = found->second.get();
  return FLYSIM_OK;
}

int flysim_module_global(FlySimModule *module, const char *name, void **address, uint64_t *size) {
  auto found = module->globals.find(name);
  if (found == module->globals.end()) return FLYSIM_NOT_FOUND;
  if (address) *address = module->program.image + found->second.first;
  if (size) *size = found->second.second;
  return FLYSIM_OK;
}

int flysim_kernel_info(FlySimKernel *kernel, FlySimKernelInfo *info) {
  const FlySimKernelDesc &d = kernel->desc;
  const FlySimKernelInfo full{info->struct_size,
                              d.kernarg_size,
                              d.n_args,
                              d.static_lds,
                              d.private_bytes,
                              d.wave_size,
                              d.max_workgroup,
                              d.vgprs,
                              d.sgprs,
                              kernel->arg_offsets.data(),
                              kernel->arg_sizes.data()};
  std::memcpy(info, &full, std::min<size_t>(info->struct_size, sizeof full));
  return FLYSIM_OK;
}

FlySimModule *flysim_module_create(const char *arch, uint64_t image_size) {
  auto module = std::make_unique<FlySimModule>();
  Program &program = module->program;
  program.arch = arch;
  program.gfx9 = program.arch.starts_with("gfx9");
  program.gfx1250 = program.arch == "gfx1250";
  program.image_size = (image_size + 4095) & ~4095ull;
  void *place = mmap(nullptr, program.image_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return nullptr;
  program.image = static_cast<uint8_t *>(place);
  flysim_memory_add(place, program.image_size, FLYSIM_MEMORY_CODE);
  return module.release();
}

void *flysim_module_image(FlySimModule *module) { return module->program.image; }

int flysim_module_code(FlySimModule *module, const FlySimRecord *records, uint64_t count, const char *names,
                       const uint32_t *ranges, uint64_t n_ranges, const char *texts, char *message,
                       uint64_t message_size) {
  Program &program = module->program;
  program.names = split_lines(names);
  program.texts = split_lines(texts);
  uint64_t end = 0;
  for (uint64_t k = 0; k < count; ++k) end = std::max<uint64_t>(end, records[k].address + 4ull);
  if (end > program.image_size)
    return report(FLYSIM_BAD_IMAGE, "the code object is damaged: code outside of its segments", message, message_size);
  program.index_of.assign(end / 4, ~0u);
  for (size_t k = 0; k < count; ++k)
    if (k == 0 || records[k - 1].address != records[k].address) program.index_of[records[k].address / 4] = uint32_t(k);
  program.banks = register_banks(program.arch, program.names, records, count);
  program.stride = count + 1;
  for (size_t bank = 0; bank < program.banks.size(); ++bank) {
    program.records.insert(program.records.end(), records, records + count);
    program.records.push_back(FlySimRecord{});
  }
  program.code.resize(program.records.size());
  for (size_t bank = 0; bank < program.banks.size(); ++bank)
    for (size_t k = 0; k < count; ++k) {
      const std::string why = build_at(program, bank, k);
      if (!why.empty() && inside(records[k].address, ranges, n_ranges))
        return report(FLYSIM_BAD_IMAGE, missing(program, records[k], k, why.c_str()), message, message_size);
    }
  for (size_t bank = 0; bank < program.banks.size(); ++bank) finish_bank(program, bank * program.stride);
  return FLYSIM_OK;
}

int flysim_module_add_kernel(FlySimModule *module, const char *name, const FlySimKernelDesc *desc) {
  if (desc->entry / 4 >= module->program.index_of.size() || module->program.index_of[desc->entry / 4] == ~0u)
    return FLYSIM_BAD_IMAGE;
  auto kernel = std::make_unique<FlySimKernel>();
  kernel->module = module;
  kernel->name = name;
  kernel->desc = *desc;
  kernel->arg_offsets.assign(desc->arg_offsets, desc->arg_offsets + desc->n_args);
  kernel->arg_sizes.assign(desc->arg_sizes, desc->arg_sizes + desc->n_args);
  module->kernels[name] = std::move(kernel);
  return FLYSIM_OK;
}

void flysim_module_add_format(FlySimModule *module, const char *line) { module->program.formats.add(line); }

int flysim_module_add_global(FlySimModule *module, const char *name, uint64_t offset, uint64_t size) {
  module->globals[name] = {offset, size};
  return FLYSIM_OK;
}

} // extern "C"
