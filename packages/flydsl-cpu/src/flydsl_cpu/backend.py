"""Fly kernels in, ELF shared objects with one native function per kernel out: the compile backend `cpu`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flydsl.base.errors import CompileError
from flydsl.plugins.compile_backend import CompileBackend, Options
from flydsl.toolchain.half_conversions import half_conversions
from flydsl_cpu.pipeline import NATIVE, fragments
from flydsl_cpu.target import TARGETS, CpuTarget, host_arch, target_of

if TYPE_CHECKING:
    from flydsl.toolchain.protocol import Toolchain

__all__ = ["CpuBackend"]

_WARP_SIZE = 32


class CpuBackend(CompileBackend):
    """Compiles for the processor we run on, or for any x86-64 level and aarch64 by name."""

    name = "cpu"

    def default_arch(self) -> str:
        return host_arch()

    def warp_size(self, arch: str) -> int:
        return _WARP_SIZE

    def supports_arch(self, arch: str) -> bool:
        return arch in TARGETS

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        target_of(arch)
        return fragments()

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        target_of(arch)
        return []

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """An ELF shared object that exports every kernel and its `NAME_info`."""
        target = target_of(arch)
        level = int((options or {}).get("opt_level", 2))
        lowered = toolchain.run_pipeline(_kernels(module_text), f"builtin.module({','.join(NATIVE)})")
        code = toolchain.emit_host_object(
            lowered, triple=target.triple, chip=target.chip, features=target.features, opt_level=level
        )
        conversions = half_conversions(code, toolchain, triple=target.triple)
        return toolchain.link([code, *conversions, _math_library(toolchain, target)], shared=True)

    def disassemble(self, code: bytes, *, arch: str, toolchain: Toolchain) -> str:
        target = target_of(arch)
        return toolchain.disassemble(code, triple=target.triple, chip=target.chip)


def _math_library(toolchain: Toolchain, target: CpuTarget) -> bytes:
    """An empty library with the name of libm: linking it makes the loader of the code object load libm first."""
    key = (toolchain.fingerprint(), target.triple)
    if key not in _MATH_LIBRARIES:
        empty = '"builtin.module"() ({ ^bb0: }) : () -> ()'
        _MATH_LIBRARIES[key] = toolchain.link(
            [toolchain.emit_host_object(empty, triple=target.triple)], shared=True, args=("-soname=libm.so.6",)
        )
    return _MATH_LIBRARIES[key]


_MATH_LIBRARIES: dict[tuple[str, str], bytes] = {}
_TOKEN = r'"(?:[^"\\]|\\.)*"|\(\{|\}\)|\}, \{'


def _kernels(text: str) -> str:
    """The content of every gpu.module as one module; host functions are the launcher's business."""
    bodies = []
    position = 0
    while (found := text.find('"gpu.module"', position)) >= 0:
        start, position = _region(text, found)
        bodies.append(text[start : position - 2])
    if not bodies:
        raise CompileError("the module holds no gpu.module to compile")
    return f'"builtin.module"() ({{{"".join(bodies)}}}) : () -> ()\n'


def _region(text: str, start: int) -> tuple[int, int]:
    """Begin and end of the first region behind `start`: after its `({`, and after its `})`."""
    depth, begin = 0, -1
    for token in re.compile(_TOKEN).finditer(text, start):  # compiled here: warm starts do without
        if token.group() == "({":
            depth += 1
            begin = token.end() if begin < 0 else begin
        elif token.group() == "})":
            depth -= 1
            if depth == 0:
                return begin, token.end()
    raise CompileError("the text of a gpu.module does not end")
