"""One run of `fly-llc`: LLVM IR through a pipeline, then through code generation."""

from __future__ import annotations

import platform
import sys
from functools import cached_property
from pathlib import Path

from flydsl.plugins.active.selection import get_backend
from flydsl.plugins.registry import registry
from flydsl.toolchain.llvm_passes import parse_machine_passes
from flydsl.toolchain.protocol import CodegenTarget, FileType, Toolchain
from flydsl.tools.llc.command_line import Options
from flydsl.tools.llc.looks import Looks
from flydsl.tools.llc.source import is_bitcode, triple_of
from flydsl.tools.passes_cli import listing


class Compilation:
    """The steps of a run; each result is text or bytes to write."""

    def __init__(self, options: Options, toolchain: Toolchain, source: bytes) -> None:
        self._options, self._toolchain, self._source = options, toolchain, source
        self._plugins = tuple(Path(plugin) for plugin in options.plugins)

    @cached_property
    def target(self) -> CodegenTarget:
        """As the command line says; the triple else by the IR, else by the chip's backend, else of this machine."""
        options = self._options
        known = _target_of_chip(options.chip)
        triple = options.triple or self._triple_of_source() or (known.triple if known else "")
        chip, features = options.chip, options.features
        if known is not None and known.triple == triple:  # the name may hold features, which the backend spells out
            chip, features = known.chip, ",".join(filter(None, [known.features, features]))
        return CodegenTarget(triple, chip, features, options.opt_level)

    def run(self) -> str | bytes:
        """What was asked for: LLVM IR, assembly, an object or a linked image."""
        options, ir = self._options, self._source
        if options.ir_pipeline:
            ir = self._toolchain.run_llvm_passes(ir, self.target, options.ir_pipeline, plugins=self._plugins)
        if options.file_type == "llvm":
            return self._toolchain.llvm_text(ir)
        if options.file_type == "bitcode":
            return self._bitcode(ir)
        code = self._machine_code(ir, "asm" if options.file_type == "asm" else "obj")
        if options.link:
            return self._toolchain.link([code], shared=True, args=[*self._strictness(), *options.link_arguments])
        return code.decode() if options.file_type == "asm" else code

    def points(self) -> str:
        """A table of the points of code generation: a line each, in the order in which they run."""
        return "\n".join([*listing(self._toolchain.codegen_points(self.target)), ""])

    def _strictness(self) -> list[str]:
        """On this machine a program may bring what an image lacks; on a device nothing does."""
        is_host = self.target.triple.partition("-")[0] in ("", platform.machine())
        return [] if is_host else ["--no-undefined"]

    def _triple_of_source(self) -> str:
        binary = is_bitcode(self._source)
        return triple_of(self._toolchain.llvm_text(self._source) if binary else self._source.decode("latin-1"))

    def _bitcode(self, ir: bytes) -> bytes:
        return ir if is_bitcode(ir) else self._toolchain.run_llvm_passes(ir, self.target, "verify")

    def _machine_code(self, ir: bytes, file_type: FileType) -> bytes:
        options = self._options
        requests = parse_machine_passes(",".join(options.machine_passes))
        if not (options.print_before or options.print_after):
            if not requests:
                return self._toolchain.codegen(ir, self.target, filetype=file_type)
            return self._toolchain.codegen_with_passes(
                ir, self.target, requests, plugins=self._plugins, filetype=file_type
            )
        looks = Looks(self._toolchain.codegen_points(self.target), options.print_before, options.print_after)
        code = self._toolchain.codegen_with_passes(
            ir,
            self.target,
            [*requests, *looks.requests],
            plugins=self._plugins,
            filetype=file_type,
            dump=looks.record,
        )
        print("\n".join(looks.texts()), file=sys.stderr)
        return code


def _target_of_chip(chip: str) -> CodegenTarget | None:
    """The target of the installed backend that knows the chip, if one does."""
    for name in registry.tables.backends if chip else ():
        backend = get_backend(name)
        if backend.supports_arch(chip) and (target := backend.codegen_target(arch=chip)) is not None:
            return target
    return None
