"""The `Toolchain` protocol: MLIR pipelines, code generation and linking.

Every method may be called from several threads at once, raises `ToolchainError` for input that the tool rejects and
`ToolchainMissingError` for a tool that is not installed, and never ends the process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypedDict, Unpack, runtime_checkable

from flydsl.base.settings import DEFAULT_OPT_LEVEL

DumpStage = Callable[[str, str], None]
"""Called with the name of a pass and the module's text after it."""

FileType = Literal["obj", "asm"]

FEW_SEGMENTS = ("--no-rosegment", "-z", "noseparate-code", "-z", "norelro")
"""Arguments of `link` for shared objects that are loaded by the thousand: a process may have so many memory maps."""


class RunOptions(TypedDict, total=False):
    """How to run a pipeline: the output `generic` (yes) and with `locations` (no), `verify` between passes (yes),
    unknown dialects let through by `allow_unregistered` (no), and `dump` called after each pass."""

    generic: bool
    verify: bool
    locations: bool
    allow_unregistered: bool
    dump: DumpStage | None


class CodegenTarget(NamedTuple):
    """The target of machine code, in LLVM's terms, and how well it is optimised.

    An empty triple or chip is any processor of this machine's architecture, the chip `native` the one of this machine.
    """

    triple: str = ""
    chip: str = ""
    features: str = ""
    opt_level: int = DEFAULT_OPT_LEVEL


HOST = CodegenTarget()


class GpuObject(NamedTuple):
    """One object of a `gpu.binary`: the module's name, the target attribute's text, the payload and its format
    (`offload` = LLVM bitcode, `isa` = assembly text, `bin` and `fatbin` = a linked code object)."""

    module: str
    target: str
    object: bytes
    format: str = "bin"


class Instruction(NamedTuple):
    """One decoded machine instruction; `label` is the symbol or branch target at its address, or empty."""

    section: str
    address: int
    encoding: bytes
    label: str
    text: str


class MachinePass(NamedTuple):
    """`name`, a pass, inserted `where` ("before" or "after") the pass `point`; at an alias when `where` is empty.

    `instance` counts from 1 for a `point` that runs several times; 0 is the only one.
    """

    name: str
    point: str
    where: str = ""
    instance: int = 0


class CodegenPoint(NamedTuple):
    """A pass of code generation: number `instance` of those called `name`; `title` is for readers.

    A pass without a name and an analysis are no points to insert at. `aliases` are names for the place before it.
    """

    name: str
    instance: int
    title: str
    is_machine_pass: bool
    is_analysis: bool
    aliases: tuple[str, ...] = ()


class HostCpu(NamedTuple):
    """The processor we run on, in LLVM's terms; `features` reads `+avx2,-amx-tile,...`."""

    triple: str
    name: str
    features: str


@runtime_checkable
class Toolchain(Protocol):
    """A provider of MLIR, LLVM and a linker."""

    @property
    def name(self) -> str:
        """Short name for messages, such as `native`."""
        ...

    def version(self) -> str:
        """Version of LLVM and MLIR, such as `22.1.8`."""
        ...

    def fingerprint(self) -> str:
        """What identifies the tools' exact content; a part of every cache key, so cheap and without loading them."""
        ...

    def run_pipeline(self, text: str, pipeline: str, **options: Unpack[RunOptions]) -> str:
        """The module after `pipeline` (`builtin.module(a,b{opt=1},gpu.module(c))`); input is always verified."""
        ...

    def gpu_objects(self, text: str, pipeline: str) -> list[GpuObject]:
        """The objects of every `gpu.binary` after `pipeline`, which ends in `gpu-module-to-binary`, where modules are
        verified; they are not between passes."""
        ...

    def emit_llvm_ir(self, text: str) -> str:
        """The LLVM IR text of an LLVM-dialect module."""
        ...

    def codegen(
        self, llvm_ir: bytes, target: CodegenTarget, *, filetype: FileType = "obj", optimize: bool = False
    ) -> bytes:
        """Machine code for LLVM IR text or bitcode; `optimize` runs the middle end first."""
        ...

    def run_llvm_passes(
        self,
        llvm_ir: bytes,
        target: CodegenTarget,
        pipeline: str,
        *,
        plugins: Sequence[Path] = (),
        options: Sequence[str] = (),
    ) -> bytes:
        """Bitcode after the pass pipeline (as `opt -passes=` takes it); LlvmPassError when a pass or plugin is bad.

        `options` are LLVM's, as `--name=value`; they must not reach other calls.
        """
        ...

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
        """`codegen` with further passes; `dump` gets the code before and after each. LlvmPassError as above."""
        ...

    def codegen_points(self, target: CodegenTarget) -> list[CodegenPoint]:
        """The passes of code generation, in the order in which they run."""
        ...

    def llvm_text(self, llvm_ir: bytes) -> str:
        """LLVM IR as text."""
        ...

    def emit_host_object(
        self, text: str, target: CodegenTarget = HOST, *, pipeline: str = "", filetype: FileType = "obj"
    ) -> bytes:
        """Position-independent, optimised machine code for a module that `pipeline`, if any, takes to the LLVM dialect;
        it is verified before and after the whole pipeline, not between its passes."""
        ...

    def link(self, objects: Sequence[bytes], *, shared: bool = True, args: Sequence[str] = ()) -> bytes:
        """The ELF image that lld links from `objects`."""
        ...

    def disassemble(self, code: bytes, target: CodegenTarget) -> str:
        """Assembly text, with labels, of the code sections of an ELF file."""
        ...
