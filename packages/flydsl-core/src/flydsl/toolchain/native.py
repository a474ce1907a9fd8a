"""The default toolchain: calls `flydsl_mlir` and turns its failures into `ToolchainError`."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import ParamSpec, TypeVar

from flydsl.base.errors import Diagnostic, ToolchainError, ToolchainMissingError
from flydsl.toolchain.protocol import DumpStage, FileType, GpuObject, HostCpu, Instruction

__all__ = ["NativeToolchain"]

P = ParamSpec("P")
R = TypeVar("R")


class NativeToolchain:
    """MLIR, LLVM and lld inside this process; loaded at the first use of a method that needs them."""

    __slots__ = ("_lld",)

    name = "native"

    def __init__(self, *, lld: str | None = None) -> None:
        """`lld`: a linker program (`ld.lld`) to run instead of the linker in the process."""
        self._lld = lld or None

    def version(self) -> str:
        from flydsl_mlir.identity import llvm_version

        return _guard(llvm_version)

    def fingerprint(self) -> str:
        from flydsl_mlir.identity import fingerprint

        return _guard(fingerprint)

    def run_pipeline(
        self, text: str, pipeline: str, *, generic: bool = True, verify: bool = True, locations: bool = False,
        dump: DumpStage | None = None,
    ) -> str:
        return _guard(
            _module().run_pipeline, text, pipeline, generic=generic, verify=verify, locations=locations, dump=dump
        )

    def gpu_objects(self, text: str, pipeline: str) -> list[GpuObject]:
        found = _guard(_module().gpu_objects, text, pipeline)
        return [GpuObject(module, target, code, format) for module, target, format, code in found]

    def emit_llvm_ir(self, text: str) -> str:
        return str(_guard(_module().emit_llvm_ir, text))

    def codegen(
        self, llvm_ir: bytes, *, triple: str, chip: str, features: str = "", opt_level: int = 2,
        filetype: FileType = "obj", optimize: bool = False,
    ) -> bytes:
        return _guard(
            _module().codegen, llvm_ir, triple=triple, chip=chip, features=features, opt_level=opt_level,
            assembly=_is_assembly(filetype), optimize=optimize,
        )

    def emit_host_object(
        self, text: str, *, triple: str | None = None, chip: str = "", features: str = "", opt_level: int = 2,
        filetype: FileType = "obj",
    ) -> bytes:
        if chip == "native":
            host = self.host_cpu()
            chip, features = host.name, ",".join(filter(None, [host.features, features]))
        return _guard(
            _module().emit_host_object, text, triple=triple or "", chip=chip, features=features, opt_level=opt_level,
            assembly=_is_assembly(filetype),
        )

    def link(self, objects: Sequence[bytes], *, shared: bool = True, args: Sequence[str] = ()) -> bytes:
        if self._lld is not None:
            return _run_linker(self._lld, objects, shared=shared, args=args)
        return _guard(_module().link, list(objects), args=list(args), shared=shared)

    def instructions(self, code: bytes, *, triple: str, chip: str, features: str = "") -> list[Instruction]:
        """The decoded instructions of the code sections of an ELF file, in address order."""
        found = _guard(_module().disassemble, code, triple=triple, chip=chip, features=features)
        return [Instruction(*fields) for fields in found]

    def disassemble(self, code: bytes, *, triple: str, chip: str, features: str = "") -> str:
        lines: list[str] = []
        for item in self.instructions(code, triple=triple, chip=chip, features=features):
            if item.label:
                lines.append(f"{item.label}:")
            lines.append(f"  {item.text:<60} // {item.address:012x}: {item.encoding.hex(' ', 4)}")
        return "\n".join(lines) + "\n"

    def host_cpu(self) -> HostCpu:
        """The processor of this machine."""
        return HostCpu(*_module().host_cpu())


def _module() -> ModuleType:
    try:
        import flydsl_mlir

        _ = flydsl_mlir.run_pipeline  # loads the native part
    except ImportError as error:
        raise ToolchainMissingError(f"the native toolchain cannot be loaded: {error}; pip install flydsl-mlir") from error
    return flydsl_mlir


def _guard(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    from flydsl_mlir.errors import MlirError

    try:
        return call(*args, **kwargs)
    except MlirError as error:
        raise ToolchainError(error.message, [Diagnostic(*fields) for fields in error.diagnostics]) from None


def _is_assembly(filetype: str) -> bool:
    if filetype not in ("obj", "asm"):
        raise ToolchainError(f"filetype {filetype!r} is not one of 'obj', 'asm'")
    return filetype == "asm"


def _run_linker(program: str, objects: Sequence[bytes], *, shared: bool, args: Sequence[str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="flydsl-link-") as folder:
        paths = [Path(folder, f"in{i}.o") for i in range(len(objects))]
        for path, content in zip(paths, objects, strict=True):
            path.write_bytes(content)
        output = Path(folder, "out.elf")
        line = [program, "-o", str(output), *(["-shared"] if shared else []), *args, *map(str, paths)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ToolchainMissingError(f"the linker {program!r} cannot be run: {error}") from error
        if done.returncode:
            raise ToolchainError(f"linking failed: {done.stderr.strip()}")
        return output.read_bytes()
