"""The default toolchain: calls `flydsl_mlir` and turns its failures into `ToolchainError`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from flydsl.base.errors import Diagnostic, LlvmPassError, ToolchainError, ToolchainMissingError
from flydsl.base.process.fork_locks import forks_wait
from flydsl.plugins.code.installed_code import process_mark
from flydsl.toolchain.native_content import identity, known_content

if TYPE_CHECKING:
    from pathlib import Path

    from flydsl.base.files.file_memo import FileMemo
    from flydsl.toolchain.protocol import (
        CodegenPoint,
        CodegenTarget,
        DumpStage,
        FileType,
        GpuObject,
        HostCpu,
        Instruction,
        MachinePass,
        RunOptions,
    )


class NativeToolchain:
    """MLIR, LLVM and lld inside this process; loaded at the first use of a method that needs them.

    A process that finds its code in the cache asks for the fingerprint only, and has no use for the types of results.
    """

    __slots__ = ("_known", "_lld", "_llvm_dir", "_memo")

    name = "native"

    def __init__(
        self, *, llvm_dir: str | Path | None = None, lld: str | Path | None = None, memo: Path | None = None
    ) -> None:
        """`llvm_dir`: prefix of another LLVM 22 to load; `lld`: a linker program (`ld.lld`) to run instead of the
        linker in the process; `memo`: a folder that remembers file digests."""
        self._llvm_dir, self._lld, self._memo = llvm_dir, lld, memo
        self._known: FileMemo | None = None

    def begin_loading(self) -> None:
        """Load LLVM and MLIR in the background, for calls that follow; these tell what is missing."""
        with suppress(ImportError):
            import flydsl_mlir

            flydsl_mlir.begin_loading(self._llvm_dir)

    def version(self) -> str:
        return str(identity().llvm_version())

    def fingerprint(self) -> str:
        content, self._known = known_content(self._llvm_dir, self._memo, self._known)
        marks = process_mark(content.module_ns) + process_mark(content.libraries_ns)
        parts = [content.version, content.digest + marks]
        if self._lld is not None:
            from flydsl.toolchain.linker_program import linker_digest  # here: warm starts do without

            parts.append(linker_digest(self._lld, self._memo))
        return " ".join(["flydsl-mlir", *parts, *content.libraries])

    def run_pipeline(self, text: str, pipeline: str, **options: Unpack[RunOptions]) -> str:
        return str(self._call("run_pipeline", text, pipeline, **options))

    def gpu_objects(self, text: str, pipeline: str) -> list[GpuObject]:
        from flydsl.toolchain.protocol import GpuObject

        objects = self._call("gpu_objects", text, pipeline, verify=False)  # what is serialised is verified all the same
        return [GpuObject(module, target, code, format) for module, target, format, code in objects]

    def emit_llvm_ir(self, text: str) -> str:
        return str(self._call("emit_llvm_ir", text))

    def codegen(
        self, llvm_ir: bytes, target: CodegenTarget, *, filetype: FileType = "obj", optimize: bool = False
    ) -> bytes:
        options = {"assembly": _is_assembly(filetype), "optimize": optimize}
        return bytes(self._call("codegen", llvm_ir, **target._asdict(), **options))

    def run_llvm_passes(
        self,
        llvm_ir: bytes,
        target: CodegenTarget,
        pipeline: str,
        *,
        plugins: Sequence[Path] = (),
        options: Sequence[str] = (),
    ) -> bytes:
        chosen = {"plugins": plugins, "llvm_dir": self._llvm_dir, **self._resolved(target)._asdict()}
        return bytes(self._call("run_ir_passes", llvm_ir, pipeline, **chosen, **_given(options)))

    def codegen_with_passes(
        self,
        llvm_ir: bytes,
        target: CodegenTarget,
        passes: Sequence[MachinePass],
        *,
        plugins: Sequence[Path] = (),
        filetype: FileType = "obj",
        optimize: bool = False,
        dump: DumpStage | None = None,
        options: Sequence[str] = (),
    ) -> bytes:
        how = {"assembly": _is_assembly(filetype), "optimize": optimize, "dump": dump, "llvm_dir": self._llvm_dir}
        chosen = {**self._resolved(target)._asdict(), **_given(options)}
        return bytes(self._call("codegen_with_passes", llvm_ir, passes, plugins=plugins, **how, **chosen))

    def codegen_points(self, target: CodegenTarget) -> list[CodegenPoint]:
        from flydsl.toolchain.protocol import CodegenPoint

        return [CodegenPoint(*fields) for fields in self._call("codegen_points", **self._resolved(target)._asdict())]

    def llvm_text(self, llvm_ir: bytes) -> str:
        return str(self._call("llvm_text", llvm_ir))

    def emit_host_object(
        self, text: str, target: CodegenTarget | None = None, *, pipeline: str = "", filetype: FileType = "obj"
    ) -> bytes:
        from flydsl.toolchain.protocol import HOST

        chosen = self._resolved(target or HOST)._asdict()
        is_assembly = _is_assembly(filetype)
        return bytes(self._call("emit_host_object", text, pipeline=pipeline, **chosen, assembly=is_assembly))

    def link(self, objects: Sequence[bytes], *, shared: bool = True, args: Sequence[str] = ()) -> bytes:
        if self._lld is not None:
            from flydsl.toolchain.linker_program import run_linker

            return run_linker(self._lld, objects, shared=shared, args=args)
        return bytes(self._call("link", list(objects), args=list(args), shared=shared))

    def instructions(self, code: bytes, target: CodegenTarget) -> list[Instruction]:
        """The decoded instructions of the code sections of an ELF file, in the order of the file."""
        from flydsl.toolchain.protocol import Instruction

        chosen = {"triple": target.triple, "chip": target.chip, "features": target.features}
        return [Instruction(*fields) for fields in self._call("disassemble", code, **chosen)]

    def disassemble(self, code: bytes, target: CodegenTarget) -> str:
        lines: list[str] = []
        for item in self.instructions(code, target):
            if item.label:
                lines.append(f"{item.label}:")
            lines.append(f"  {item.text:<60} // {item.address:012x}: {item.encoding.hex(' ', 4)}")
        return "\n".join(lines) + "\n"

    def host_cpu(self) -> HostCpu:
        """The processor of this machine."""
        from flydsl.toolchain.protocol import HostCpu

        return HostCpu(*self._call("host_cpu"))

    def _resolved(self, target: CodegenTarget) -> CodegenTarget:
        """The target with the processor of this machine in place of `native`."""
        if target.chip != "native":
            return target
        host = self.host_cpu()
        features = ",".join(filter(None, [host.features, target.features]))
        return target._replace(chip=host.name, features=features)

    @forks_wait()
    def _call(self, function: str, *args: object, **kwargs: object) -> Any:
        try:
            import flydsl_mlir

            flydsl_mlir.load(self._llvm_dir)
        except ImportError as error:
            raise ToolchainMissingError(
                f"the native toolchain cannot be loaded: {error}; pip install flydsl-mlir"
            ) from error
        from flydsl.toolchain.interruptible import interruptible  # here: warm starts do without

        try:
            return interruptible(partial(getattr(flydsl_mlir, function), *args, **kwargs))
        except flydsl_mlir.PassError as error:
            raise LlvmPassError(error.message, [Diagnostic(*fields) for fields in error.diagnostics]) from None
        except flydsl_mlir.MlirError as error:
            from flydsl.toolchain.diagnostics import toolchain_error

            raise toolchain_error(error.message, (Diagnostic(*fields) for fields in error.diagnostics)) from None


def _given(options: Sequence[str]) -> dict[str, Sequence[str]]:
    return {"llvm_options": options} if options else {}


def _is_assembly(filetype: str) -> bool:
    if filetype not in ("obj", "asm"):
        raise ToolchainError(f"filetype {filetype!r} is not one of 'obj', 'asm'")
    return filetype == "asm"
