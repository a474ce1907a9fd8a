"""The compile backend `cpu`: ELF shared objects with one native function per kernel.

A process that finds its code in the cache loads this module, and none of those that its methods import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.plugins import CompileBackend, Options, opt_level
from flydsl_cpu.target import TARGETS, WARP_SIZE, CpuTarget, host_arch, target_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flydsl.backend.toolchain import CodegenTarget, Toolchain
    from flydsl.plugins import KernelReport, LaunchLimits


class CpuBackend(CompileBackend):
    """Compiles for the processor we run on, or for any x86-64 level and aarch64 by name."""

    name = "cpu"

    def default_arch(self) -> str:
        return host_arch()

    def warp_size(self, arch: str) -> int:
        return WARP_SIZE

    def launch_limits(self, arch: str) -> LaunchLimits:
        from flydsl.plugins import LaunchLimits
        from flydsl_cpu.settings import cpu

        return LaunchLimits(shared_bytes=cpu.shared_bytes)

    def supports_arch(self, arch: str) -> bool:
        return arch in TARGETS

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        from flydsl_cpu.pipeline import fragments

        target = target_of(arch)
        return fragments(scales=target.scales, chooses=target.chooses, width=target.width)

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        target_of(arch)
        return []

    def codegen_target(self, *, arch: str, options: Options | None = None) -> CodegenTarget:
        from flydsl.backend.toolchain import CodegenTarget

        target = target_of(arch)
        return CodegenTarget(target.triple, target.chip, target.features, opt_level(options))

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """An ELF shared object that exports every kernel and its `NAME_info`."""
        from flydsl.backend.toolchain import FEW_SEGMENTS, gpu_module_contents, half_conversions, llvm_passes
        from flydsl_cpu.pipeline import native_lowering

        target = target_of(arch)
        made_for = self.codegen_target(arch=arch, options=options)
        if passes := llvm_passes(options):
            ir = toolchain.emit_llvm_ir(_lowered(module_text, toolchain)).encode()
            code = passes.machine_code(ir, made_for, toolchain, optimize=True)
        else:
            code = toolchain.emit_host_object(gpu_module_contents(module_text), made_for, pipeline=native_lowering())
        conversions = half_conversions(code, toolchain, triple=target.triple)
        libraries = [_MATH, _WIDE_INTEGERS] if any(name in code for name in _WIDE_FUNCTIONS) else [_MATH]
        return toolchain.link(
            [code, *conversions, *(_stand_in(n, toolchain, target) for n in libraries)], args=FEW_SEGMENTS
        )

    def emit_llvm_ir(self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None) -> str:
        return toolchain.emit_llvm_ir(_lowered(module_text, toolchain))

    def disassemble(self, code: bytes, *, arch: str, toolchain: Toolchain) -> str:
        from flydsl.backend.toolchain import CodegenTarget

        target = target_of(arch)
        return toolchain.disassemble(code, CodegenTarget(target.triple, target.chip))

    def code_report(
        self, code: bytes, *, kernels: Sequence[str], arch: str, toolchain: Toolchain
    ) -> tuple[KernelReport, ...]:
        """Classes of instructions; registers, spills and occupancy are not known of native code."""
        from flydsl_cpu.code_report import code_reports

        return code_reports(self.disassemble(code, arch=arch, toolchain=toolchain), kernels)


def _lowered(module_text: str, toolchain: Toolchain) -> str:
    """The kernels in the LLVM dialect; host functions are the launcher's business."""
    from flydsl.backend.toolchain import gpu_module_contents
    from flydsl_cpu.pipeline import native_lowering

    return toolchain.run_pipeline(gpu_module_contents(module_text), native_lowering())


def _stand_in(name: str, toolchain: Toolchain, target: CpuTarget) -> bytes:
    """An empty library called `name`: linking it makes the loader of the code object load the real one first."""
    from flydsl.backend.toolchain import CodegenTarget

    key = (name, toolchain.fingerprint(), target.triple)
    if key not in _STAND_INS:
        empty = '"builtin.module"() ({ ^bb0: }) : () -> ()'
        _STAND_INS[key] = toolchain.link(
            [toolchain.emit_host_object(empty, CodegenTarget(target.triple))], shared=True, args=(f"-soname={name}",)
        )
    return _STAND_INS[key]


_MATH, _WIDE_INTEGERS = "libm.so.6", "libgcc_s.so.1"
_WIDE_FUNCTIONS = tuple(
    f"__{name}\0".encode()
    for name in (
        *("divti3", "modti3", "udivti3", "umodti3", "floattisf", "floattidf", "floatuntisf", "floatuntidf"),
        *("fixsfti", "fixdfti", "fixunssfti", "fixunsdfti"),
    )
)
"""What LLVM calls for 128-bit integers."""
_STAND_INS: dict[tuple[str, str, str], bytes] = {}
