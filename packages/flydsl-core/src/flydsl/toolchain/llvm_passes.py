"""A user's LLVM passes in one compilation: what backends hand LLVM IR to instead of the toolchain's code generator."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from flydsl.base.errors import ArgumentError
from flydsl.toolchain.protocol import CodegenTarget, FileType, MachinePass, Toolchain

if TYPE_CHECKING:
    from flydsl.toolchain.protocol import CodegenPoint

OPTION = "llvm_passes"
"""The compile option that holds the passes, when there are any."""

DumpCode = Callable[[str, str, str], None]
"""Called with the name of a stage, the suffix of its file and its text."""

_REQUEST = re.compile(
    r"(?P<name>[^@\s]+)@(?:(?P<where>before|after):)?(?P<point>[^\s:#@]+)(?:#(?P<instance>[1-9]\d*))?"
)


class _Given(TypedDict, total=False):
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LlvmPasses:
    """`pipeline` takes the place of LLVM's own optimisation of device code; `machine` passes are put into code
    generation. Plugins are shared libraries with passes for one or the other. `options` of LLVM are for both, and for
    no other compilation of this process."""

    pipeline: str = ""
    plugins: tuple[Path, ...] = ()
    machine: tuple[MachinePass, ...] = ()
    machine_plugins: tuple[Path, ...] = ()
    dump: DumpCode | None = None
    options: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pipeline or self.machine or self.options)

    def machine_code(
        self,
        llvm_ir: bytes,
        target: CodegenTarget,
        toolchain: Toolchain,
        *,
        optimize: bool = False,
        filetype: FileType = "obj",
    ) -> bytes:
        """An object, or assembly, for LLVM IR (text or bitcode) that is linked with its device libraries.

        Without a pipeline `optimize` asks for the default one of the target's level.
        """
        if not self:
            return toolchain.codegen(llvm_ir, target, filetype=filetype, optimize=optimize)
        if self.pipeline:
            self._dump("llvm_before_passes", llvm_ir, toolchain)
            llvm_ir = toolchain.run_llvm_passes(llvm_ir, target, self.pipeline, plugins=self.plugins, **self._given())
            self._dump("llvm_after_passes", llvm_ir, toolchain)
        optimize = optimize and not self.pipeline
        if not self.machine and not self.options:
            return toolchain.codegen(llvm_ir, target, filetype=filetype, optimize=optimize)
        return toolchain.codegen_with_passes(
            llvm_ir,
            target,
            self.machine,
            plugins=self.machine_plugins,
            filetype=filetype,
            optimize=optimize,
            dump=self._machine_dump(),
            **self._given(),
        )

    def _given(self) -> _Given:
        """The options as toolchains take them, which need not know of any."""
        return {"options": self.options} if self.options else {}

    def _dump(self, stage: str, llvm_ir: bytes, toolchain: Toolchain) -> None:
        if self.dump is not None:
            self.dump(stage, "ll", toolchain.llvm_text(llvm_ir))

    def _machine_dump(self) -> Callable[[str, str], None] | None:
        dump = self.dump
        if dump is None:
            return None
        return lambda stage, text: dump(stage, "mir", text)


NO_PASSES = LlvmPasses()


def llvm_passes(options: Mapping[str, Any] | None) -> LlvmPasses:
    """The passes that compile options ask for."""
    passes: LlvmPasses = (options or {}).get(OPTION, NO_PASSES)
    return passes


def parse_machine_passes(text: str) -> tuple[MachinePass, ...]:
    """The passes that `my-pass@after:si-insert-waitcnts, other@before:machine-cp#2, trace@pre-emit` asks for."""
    return tuple(_parse_machine_pass(part.strip()) for part in text.split(",") if part.strip())


def _parse_machine_pass(text: str) -> MachinePass:
    match = _REQUEST.fullmatch(text)
    if match is None:
        raise ArgumentError(
            f"a machine pass is NAME@before:PASS, NAME@after:PASS (PASS#2 is the second of that name) or NAME@ALIAS "
            f"such as NAME@pre-emit, found {text!r}"
        )
    return MachinePass(match["name"], match["point"], match["where"] or "", int(match["instance"] or 0))


def insertion_points(points: list[CodegenPoint]) -> list[CodegenPoint]:
    """The passes of code generation that a pass can be named before or after, or that an alias stands before."""
    return [point for point in points if (point.name and not point.is_analysis) or point.aliases]
