// The Python face: converts values, releases the GIL, raises `flydsl_mlir.MlirError`.
#include "api.h"
#include <dlfcn.h>
#include <unistd.h>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::string toString(nb::bytes bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes toBytes(const std::string &value) { return nb::bytes(value.data(), value.size()); }

// Names in damaged files need not be UTF-8.
nb::str toText(const std::string &value) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace"));
}

[[noreturn]] void raise(const flydsl::Failure &failure) {
  nb::object module = nb::module_::import_("flydsl_mlir.errors");
  nb::list diagnostics;
  for (const flydsl::Diagnostic &d : failure.diagnostics)
    diagnostics.append(module.attr("Diagnostic")(d.severity, toText(d.message), toText(d.file), d.line, d.column));
  nb::object type = module.attr(failure.ofPass ? "PassError" : "MlirError");
  nb::object error = type(toText(failure.message), diagnostics);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

// Without the GIL in its scope. A thread that comes back while the interpreter ends waits for the end of the process:
// Python before 3.14 would end the thread instead, through this destructor, and so all with std::terminate.
class ReleasedGil {
public:
  ReleasedGil() : state(PyEval_SaveThread()) {}
  ReleasedGil(const ReleasedGil &) = delete;
  ReleasedGil &operator=(const ReleasedGil &) = delete;
  ~ReleasedGil() {
    while (isFinalizing && isFinalizing()) pause();
    PyEval_RestoreThread(state);
  }

private:
  using Question = int (*)();
  static Question question() {
    void *found = dlsym(RTLD_DEFAULT, "Py_IsFinalizing"); // of Python 3.13 on
    return reinterpret_cast<Question>(found ? found : dlsym(RTLD_DEFAULT, "_Py_IsFinalizing"));
  }
  static inline const Question isFinalizing = question();
  PyThreadState *state;
};

template <typename Work>
auto run(Work work) {
  auto outcome = [&] {
    ReleasedGil released;
    return work();
  }();
  if (!outcome.value) raise(outcome.failure);
  return std::move(*outcome.value);
}

nb::str pyRunPipeline(const std::string &text, const std::string &pipeline, bool generic, bool verify, bool locations,
                      bool allowUnregistered, nb::object dump) {
  std::vector<flydsl::Stage> stages;
  flydsl::Outcome<std::string> outcome;
  {
    ReleasedGil released;
    outcome = flydsl::runPipeline(text, pipeline, generic, verify, locations, allowUnregistered,
                                  dump.is_none() ? nullptr : &stages);
  }
  for (const flydsl::Stage &stage : stages) dump(stage.pass, toText(stage.text));
  if (!outcome.value) raise(outcome.failure);
  return toText(*outcome.value);
}

nb::list pyGpuObjects(const std::string &text, const std::string &pipeline, bool verify) {
  nb::list result;
  for (const flydsl::GpuObject &o : run([&] { return flydsl::gpuObjects(text, pipeline, verify); }))
    result.append(nb::make_tuple(toText(o.module), toText(o.target), o.format, toBytes(o.bytes)));
  return result;
}

nb::object pyEmitLlvmIr(const std::string &text, bool bitcode) {
  std::string ir = run([&] { return flydsl::emitLlvmIr(text, bitcode); });
  return bitcode ? nb::object(toBytes(ir)) : nb::object(toText(ir));
}

nb::bytes pyEmitHostObject(const std::string &text, const std::string &pipeline, const std::string &triple,
                           const std::string &chip, const std::string &features, int optLevel, bool assembly) {
  flydsl::CodegenOptions options{triple, chip, features, optLevel, assembly, /*optimize=*/true, /*pic=*/true};
  return toBytes(run([&] { return flydsl::emitHostObject(text, pipeline, options); }));
}

nb::bytes pyCodegen(nb::bytes ir, const std::string &triple, const std::string &chip, const std::string &features,
                    int optLevel, bool assembly, bool optimize) {
  flydsl::CodegenOptions options{triple, chip, features, optLevel, assembly, optimize, /*pic=*/true};
  std::string input = toString(ir);
  return toBytes(run([&] { return flydsl::codegen(input, options); }));
}

flydsl::CodegenOptions optionsOf(const std::string &triple, const std::string &chip, const std::string &features,
                                 int optLevel, bool assembly = false, bool optimize = false) {
  return {triple, chip, features, optLevel, assembly, optimize, /*pic=*/true};
}

nb::bytes pyRunIrPasses(nb::bytes ir, const std::string &pipeline, const std::vector<std::string> &plugins,
                        const std::string &triple, const std::string &chip, const std::string &features, int optLevel) {
  std::string input = toString(ir);
  flydsl::CodegenOptions options = optionsOf(triple, chip, features, optLevel);
  return toBytes(run([&] { return flydsl::runIrPasses(input, options, pipeline, plugins); }));
}

nb::str pyLlvmText(nb::bytes ir) {
  std::string input = toString(ir);
  return toText(run([&] { return flydsl::llvmText(input); }));
}

using PyMachinePass = std::tuple<std::string, std::string, std::string, int>;

nb::bytes pyCodegenWithPasses(nb::bytes ir, const std::vector<PyMachinePass> &requests,
                              const std::vector<std::string> &plugins, const std::string &triple,
                              const std::string &chip, const std::string &features, int optLevel, bool assembly,
                              bool optimize, nb::object dump) {
  std::string input = toString(ir);
  flydsl::CodegenOptions options = optionsOf(triple, chip, features, optLevel, assembly, optimize);
  std::vector<flydsl::MachinePass> passes;
  for (const auto &[pass, point, where, instance] : requests) passes.push_back({pass, point, where, instance});
  std::vector<flydsl::Stage> stages;
  flydsl::Outcome<std::string> outcome;
  {
    ReleasedGil released;
    outcome = flydsl::codegenWithPasses(input, options, passes, plugins, dump.is_none() ? nullptr : &stages);
  }
  for (const flydsl::Stage &stage : stages) dump(stage.pass, toText(stage.text));
  if (!outcome.value) raise(outcome.failure);
  return toBytes(*outcome.value);
}

nb::list pyCodegenPoints(const std::string &triple, const std::string &chip, const std::string &features,
                         int optLevel) {
  flydsl::CodegenOptions options = optionsOf(triple, chip, features, optLevel);
  nb::list result;
  for (const flydsl::CodegenPoint &p : run([&] { return flydsl::codegenPoints(options); }))
    result.append(nb::make_tuple(p.pass, p.instance, p.name, p.machine, p.analysis, p.aliases));
  return result;
}

std::vector<std::string> pyPluginPasses(const std::string &path) {
  return run([&] { return flydsl::pluginPasses(path); });
}

nb::bytes pyLink(std::vector<nb::bytes> objects, const std::vector<std::string> &args, bool shared) {
  std::vector<std::string> inputs;
  for (const nb::bytes &object : objects) inputs.push_back(toString(object));
  return toBytes(run([&] { return flydsl::link(inputs, args, shared); }));
}

nb::list pyDisassemble(nb::bytes object, const std::string &triple, const std::string &chip,
                       const std::string &features) {
  std::string input = toString(object);
  nb::list result;
  for (const flydsl::Instruction &i : run([&] { return flydsl::disassemble(input, triple, chip, features); }))
    result.append(nb::make_tuple(toText(i.section), i.address, toBytes(i.bytes), toText(i.label), toText(i.text)));
  return result;
}

nb::tuple pyHostCpu() {
  flydsl::HostCpu cpu = flydsl::hostCpu();
  return nb::make_tuple(cpu.triple, cpu.name, cpu.features);
}

} // namespace

NB_MODULE(_native, m) {
  m.def("run_pipeline", &pyRunPipeline, "text"_a, "pipeline"_a, nb::kw_only(), "generic"_a = true, "verify"_a = true,
        "locations"_a = false, "allow_unregistered"_a = false, "dump"_a = nb::none());
  m.def("gpu_objects", &pyGpuObjects, "text"_a, "pipeline"_a, nb::kw_only(), "verify"_a = true);
  m.def("emit_llvm_ir", &pyEmitLlvmIr, "text"_a, nb::kw_only(), "bitcode"_a = false);
  m.def("emit_host_object", &pyEmitHostObject, "text"_a, nb::kw_only(), "pipeline"_a = "", "triple"_a = "",
        "chip"_a = "", "features"_a = "", "opt_level"_a = 2, "assembly"_a = false);
  m.def("codegen", &pyCodegen, "ir"_a, nb::kw_only(), "triple"_a, "chip"_a = "", "features"_a = "", "opt_level"_a = 2,
        "assembly"_a = false, "optimize"_a = false);
  m.def("run_ir_passes", &pyRunIrPasses, "ir"_a, "pipeline"_a, nb::kw_only(), "plugins"_a = std::vector<std::string>(),
        "triple"_a, "chip"_a = "", "features"_a = "", "opt_level"_a = 2);
  m.def("llvm_text", &pyLlvmText, "ir"_a);
  m.def("codegen_with_passes", &pyCodegenWithPasses, "ir"_a, "passes"_a, nb::kw_only(),
        "plugins"_a = std::vector<std::string>(), "triple"_a, "chip"_a = "", "features"_a = "", "opt_level"_a = 2,
        "assembly"_a = false, "optimize"_a = false, "dump"_a = nb::none());
  m.def("codegen_points", &pyCodegenPoints, nb::kw_only(), "triple"_a, "chip"_a = "", "features"_a = "",
        "opt_level"_a = 2);
  m.def("plugin_passes", &pyPluginPasses, "path"_a);
  m.def("link", &pyLink, "objects"_a, nb::kw_only(), "args"_a = std::vector<std::string>(), "shared"_a = true);
  m.def("disassemble", &pyDisassemble, "object"_a, nb::kw_only(), "triple"_a, "chip"_a = "", "features"_a = "");
  m.def("host_cpu", &pyHostCpu);
  m.def("llvm_version", &flydsl::llvmVersion);
}
