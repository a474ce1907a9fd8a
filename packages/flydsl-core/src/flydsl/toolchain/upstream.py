"""A toolchain over MLIR's own Python bindings: pass pipelines and GPU binaries, as far as the package has them.

The bindings have no code generator, linker or disassembler; those methods say so. They also hold the GIL while passes
run. `flydsl.toolchain.native` has none of these limits.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, Unpack

from flydsl.base.errors import Diagnostic, ToolchainError, ToolchainMissingError
from flydsl.plugins.code.installed_code import digest_loaded
from flydsl.toolchain.diagnostics import toolchain_error
from flydsl.toolchain.linker_program import linker_digest, run_linker
from flydsl.toolchain.protocol import GpuObject, RunOptions

_FORMATS = {1: "offload", 2: "assembly", 3: "bin", 4: "fatbin"}
_UNKNOWN_PASS = re.compile(r"'([\w.-]+)' does not refer to a registered pass")
_POSITION = re.compile(r'loc\("(?P<file>[^"]*)":(?P<line>\d+):(?P<column>\d+)')


class UpstreamToolchain:
    """The bindings in `<package>.ir` and `<package>.passmanager`, imported at first use."""

    __slots__ = ("_lld", "_memo", "_package", "_register")

    name = "upstream"

    def __init__(
        self,
        package: str = "mlir",
        *,
        lld: str | Path | None = None,
        memo: Path | None = None,
        register: Callable[[Any], None] | None = None,
    ) -> None:
        """`lld`: a linker program; `memo`: a folder that remembers file digests; `register` is called with a new
        `DialectRegistry` for packages whose contexts do not know their dialects by themselves."""
        self._package, self._lld, self._memo, self._register = package, lld, memo, register

    def version(self) -> str:
        return str(getattr(self._import(""), "__version__", "unknown"))

    def fingerprint(self) -> str:
        libraries = self._library_folder()
        parts = [digest_loaded(sorted(libraries.glob("*.so*")), base=libraries)]
        if self._lld is not None:
            parts.append(linker_digest(self._lld, self._memo))
        return " ".join(["upstream", self._package, *parts])

    def run_pipeline(self, text: str, pipeline: str, **options: Unpack[RunOptions]) -> str:
        if options.get("dump") is not None:
            self._lacks("a callback after each pass", "dump")
        module = self._run(text, pipeline, options.get("verify", True), options.get("allow_unregistered", False))
        generic, locations = options.get("generic", True), options.get("locations", False)
        return str(module.operation.get_asm(print_generic_op_form=generic, enable_debug_info=locations))

    def gpu_objects(self, text: str, pipeline: str) -> list[GpuObject]:
        self._check_translations("gpu_objects")
        gpu = self._import("dialects.gpu")
        module = self._run(text, pipeline)
        return [
            GpuObject(
                str(binary.attributes["sym_name"]).strip('"'),
                str(entry.target),
                bytes(entry.object),
                _FORMATS.get(int(entry.format), str(entry.format)),
            )
            for binary in _binaries(module.operation)
            for entry in map(gpu.ObjectAttr, binary.attributes["objects"])
        ]

    def emit_llvm_ir(self, text: str) -> str:
        self._check_translations("emit_llvm_ir")
        translate = getattr(self._import("dialects.llvm"), "translate_module_to_llvmir", None)
        if translate is None:
            self._lacks("'dialects.llvm.translate_module_to_llvmir'", "emit_llvm_ir")
        with self._errors("the module cannot be translated to LLVM IR"):
            return str(translate(self._parse(text).operation))

    def codegen(self, *_: object, **__: object) -> NoReturn:
        self._lacks("a code generator for LLVM IR", "codegen")

    def run_llvm_passes(self, *_: object, **__: object) -> NoReturn:
        self._lacks("LLVM's pass pipelines", "run_llvm_passes")

    def codegen_with_passes(self, *_: object, **__: object) -> NoReturn:
        self._lacks("a code generator for LLVM IR", "codegen_with_passes")

    def codegen_points(self, *_: object, **__: object) -> NoReturn:
        self._lacks("a code generator for LLVM IR", "codegen_points")

    def llvm_text(self, *_: object, **__: object) -> NoReturn:
        self._lacks("a reader of LLVM IR", "llvm_text")

    def emit_host_object(self, *_: object, **__: object) -> NoReturn:
        self._lacks("a code generator for LLVM IR", "emit_host_object")

    def link(self, objects: Sequence[bytes], *, shared: bool = True, args: Sequence[str] = ()) -> bytes:
        if self._lld is None:
            self._lacks("a linker (name one in FLYDSL_COMPILE_LLD)", "link")
        return run_linker(self._lld, objects, shared=shared, args=args)

    def disassemble(self, *_: object, **__: object) -> NoReturn:
        self._lacks("a disassembler", "disassemble")

    def _lacks(self, what: str, method: str) -> NoReturn:
        raise ToolchainError(
            f"the MLIR package {self._package!r} lacks {what}, which {method!r} needs: use the native toolchain "
            "(FLYDSL_COMPILE_TOOLCHAIN=native, pip install flydsl-mlir)"
        )

    def _check_translations(self, method: str) -> None:
        """Without registered translations the bindings would end the process instead of raising."""
        if not any(self._library_folder().glob("_mlirRegisterEverything*")):
            self._lacks("the module '_mlirRegisterEverything' with the translations to LLVM IR", method)

    def _import(self, submodule: str) -> Any:
        name = f"{self._package}.{submodule}" if submodule else self._package
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise ToolchainMissingError(
                f"the MLIR bindings {name!r} cannot be imported: {error}; install a build of MLIR's Python bindings "
                "and name its package in FLYDSL_COMPILE_MLIR_PACKAGE, or use the native toolchain"
            ) from error

    def _library_folder(self) -> Path:
        spec = None
        with suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(self._package)
        for root in (spec and spec.submodule_search_locations) or ():
            folder = Path(root, "_mlir_libs")
            if folder.is_dir():
                return folder
        raise ToolchainMissingError(
            f"the package {self._package!r} holds no MLIR bindings: it has no '_mlir_libs'; name another one in "
            "FLYDSL_COMPILE_MLIR_PACKAGE"
        )

    def _parse(self, text: str, allow_unregistered: bool = False) -> Any:
        ir = self._import("ir")
        context = ir.Context()
        if allow_unregistered:
            context.allow_unregistered_dialects = True
        context.enable_multithreading(False)
        if self._register is not None:
            registry = ir.DialectRegistry()
            self._register(registry)
            context.append_dialect_registry(registry)
            context.load_all_available_dialects()
        with self._errors("the module does not parse or does not verify"):
            return ir.Module.parse(text, context)

    def _run(self, text: str, pipeline: str, verify: bool = True, allow_unregistered: bool = False) -> Any:
        manager_type = self._import("passmanager").PassManager
        module = self._parse(text, allow_unregistered)
        with module.context:
            manager = self._parse_pipeline(manager_type, pipeline)
            manager.enable_verifier(verify)
            with self._errors("a pass failed"):
                manager.run(module.operation)
        return module

    def _parse_pipeline(self, manager_type: Any, pipeline: str) -> Any:
        text = pipeline.strip()
        if not text.startswith("builtin.module("):
            text = f"builtin.module({text})"
        try:
            return manager_type.parse(text)
        except ValueError as error:
            unknown = _UNKNOWN_PASS.search(str(error))
            if unknown:
                self._lacks(f"the pass {unknown[1]!r}", "run_pipeline")
            raise ToolchainError(f"the pass pipeline is not valid: {str(error).strip()}") from None

    @contextmanager
    def _errors(self, message: str) -> Iterator[None]:
        try:
            yield
        except self._import("ir").MLIRError as error:
            raise toolchain_error(message, _diagnostics(error.error_diagnostics)) from None


def _diagnostics(items: Sequence[Any]) -> Iterator[Diagnostic]:
    for item in items:
        match = _POSITION.search(str(item.location))
        file, line, column = (match["file"], int(match["line"]), int(match["column"])) if match else ("", 0, 0)
        yield Diagnostic(item.severity.name.lower(), item.message, file, line, column)
        yield from _diagnostics(item.notes)


def _binaries(operation: Any) -> Iterator[Any]:
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                if op.operation.name == "gpu.binary":
                    yield op.operation
                yield from _binaries(op.operation)
