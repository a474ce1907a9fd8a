"""The compile backend `cuda`: machine code of NVIDIA GPUs, or PTX. Needs neither CUDA nor a device.

A process that finds its code in the cache loads this module, and none of those that its methods import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.errors import CompileError
from flydsl.plugins import CompileBackend, Options, opt_level
from flydsl_cuda.hints import NAMES as HINTS
from flydsl_cuda.ptxas import find_ptxas
from flydsl_cuda.settings import cuda
from flydsl_cuda.target import NEWEST_PTX, TRIPLE, WARP_SIZE, CudaTarget, chip_of, default_arch, is_known, target_of
from flydsl_cuda.toolkit import find_libdevice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flydsl.backend.toolchain import CodegenTarget, Toolchain
    from flydsl.plugins import GPUTarget, KernelReport, LaunchLimits


MOST = 3
"""The level at which LLVM optimises before it writes PTX. Below, that is left to the assembler: what LLVM moves out of
loops costs registers, of attention's kernel so many that they spill."""
_ASSEMBLER_LEVELS = ("-O0", "-O1", "-O3", "-O3")


class CudaBackend(CompileBackend):
    """Compiles for sm_80 and newer chips: by LLVM to PTX, by `ptxas`, where there is one, to machine code."""

    name = "cuda"
    hints = HINTS

    def default_arch(self) -> str:
        return default_arch()

    def device_arch(self, reported: str) -> str:
        major, dot, minor = reported.partition(".")  # a compute capability, as frameworks report it
        return chip_of(int(major), int(minor)) if dot and f"{major}{minor}".isdecimal() else reported

    def warp_size(self, arch: str) -> int:
        return WARP_SIZE

    def max_cluster(self, arch: str) -> int:
        return target_of(arch).max_cluster

    def launch_modes(self, arch: str) -> frozenset[str]:
        return frozenset({"cooperative", "use_pdl"} if target_of(arch).capability >= (9, 0) else {"cooperative"})

    def launch_limits(self, arch: str) -> LaunchLimits:
        from flydsl.plugins import LaunchLimits

        grid = ((1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1)
        return LaunchLimits(block=(1024, 1024, 64), grid=grid, shared_bytes=target_of(arch).shared_bytes)

    def supports_arch(self, arch: str) -> bool:
        return is_known(arch)

    def make_target(self, arch: str) -> GPUTarget:
        target_of(arch)  # its error lists the known chips
        return super().make_target(arch)

    def device_libraries(self) -> list[Path]:
        """The assembler and the functions of f64: they are in the code, and others may be installed at any time."""
        return [found for found in (find_ptxas(), find_libdevice()) if found]

    def missing_tools(self) -> list[str]:
        """The assembler, unless the setting says that the driver assembles."""
        if cuda.ptxas or find_ptxas():
            return []
        return ["no ptxas: the driver assembles kernels when they are loaded; pip install 'flydsl-cuda[ptxas]'"]

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        from flydsl_cuda.pipeline import fragments

        return fragments(target_of(arch), options)

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        from flydsl_cuda.pipeline import gpu_target

        return [gpu_target(target_of(arch))]

    def codegen_target(self, *, arch: str, options: Options | None = None) -> CodegenTarget:
        return _made_for(target_of(arch), options, find_ptxas())

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """PTX with machine code in front of it, where there is an assembler."""
        from flydsl.backend.toolchain import gpu_module_contents, llvm_passes
        from flydsl_cuda.assembler_defects import without_defects
        from flydsl_cuda.code_object import CodeObject, shared_blocks
        from flydsl_cuda.libdevice import calls_libdevice, linked
        from flydsl_cuda.ptxas import assemble

        target, ptxas = target_of(arch), find_ptxas()
        lowered = _lowered(module_text, toolchain, options)
        if calls_libdevice(lowered):
            llvm_ir = linked(lowered, target, toolchain)
        else:
            llvm_ir = toolchain.emit_llvm_ir(gpu_module_contents(lowered)).encode()
        made_for = _made_for(target, options, ptxas)
        passes, most = llvm_passes(options), opt_level(options) == MOST
        made = passes.machine_code(llvm_ir, made_for, toolchain, optimize=most, filetype="asm").decode()
        ptx = without_defects(made)
        blocks = shared_blocks(module_text)
        if ptxas is None:
            return CodeObject(ptx, shared_blocks=blocks).to_bytes()
        assembled = assemble(ptx, ptxas, target.chip, _flags(options))
        return CodeObject(ptx, assembled.cubin, assembled.kernels, blocks).to_bytes()

    def emit_llvm_ir(self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None) -> str:
        from flydsl.backend.toolchain import gpu_module_contents

        return toolchain.emit_llvm_ir(gpu_module_contents(_lowered(module_text, toolchain, options)))

    def disassemble(self, code: bytes, *, arch: str, toolchain: Toolchain) -> str:
        """The PTX: LLVM has no disassembler for the machine code, NVIDIA's `nvdisasm` has one."""
        from flydsl_cuda.code_object import CodeObject

        return CodeObject.from_bytes(code).ptx

    def code_report(
        self, code: bytes, *, kernels: Sequence[str], arch: str, toolchain: Toolchain
    ) -> tuple[KernelReport, ...]:
        """What the assembler said of each kernel, and where there is `nvdisasm`, its instructions."""
        from flydsl_cuda.code_object import CodeObject
        from flydsl_cuda.report.kernel_report import code_reports

        return code_reports(CodeObject.from_bytes(code), kernels)


def _lowered(module_text: str, toolchain: Toolchain, options: Options | None) -> str:
    """The module in LLVM's dialect."""
    from flydsl_cuda.pipeline import kernel_lowering

    has_lines = bool((options or {}).get("debug_info"))
    # `emit_llvm_ir`, which reads the text, verifies it.
    return toolchain.run_pipeline(module_text, kernel_lowering(options), locations=has_lines, verify=False)


def _made_for(target: CudaTarget, options: Options | None, ptxas: Path | None) -> CodegenTarget:
    """With the newest PTX that LLVM writes and the assembler reads; for the driver, the oldest that knows the chip."""
    from flydsl.backend.toolchain import CodegenTarget
    from flydsl_cuda.ptxas import newest_ptx

    ptx = min(NEWEST_PTX, newest_ptx(ptxas)) if ptxas else target.oldest_ptx
    if ptx < target.oldest_ptx:
        raise CompileError(
            f"{ptxas} reads PTX {ptx / 10} and is too old for {target.chip}, which needs {target.oldest_ptx / 10}: "
            "pip install 'flydsl-cuda[ptxas]'"
        )
    return CodegenTarget(TRIPLE, target.chip, f"+ptx{ptx}", opt_level(options))


def _flags(options: Options | None) -> list[str]:
    """Flags of the assembler for the options of a compilation."""
    lines = ["-lineinfo"] if (options or {}).get("debug_info") else []
    return [_ASSEMBLER_LEVELS[opt_level(options)], *lines]
