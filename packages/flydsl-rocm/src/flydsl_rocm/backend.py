"""The compile backend `rocm`: AMD code objects. Needs neither ROCm nor a device.

A process that finds its code in the cache loads this module, and none of those that its methods import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.plugins import CompileBackend, Options
from flydsl_rocm.target import default_arch, forced_arch, is_known, target_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flydsl.backend.toolchain import CodegenTarget, Toolchain
    from flydsl.plugins import GPUTarget, KernelReport, LaunchLimits


class RocmBackend(CompileBackend):
    """Compiles for CDNA (wave64, MFMA) and RDNA (wave32 or wave64, WMMA) chips."""

    name = "rocm"
    hints = frozenset({"maxnreg", "waves_per_eu"})
    links_bitcode = True

    def default_arch(self) -> str:
        return default_arch()

    def device_arch(self, reported: str) -> str:
        return forced_arch() or reported.partition(":")[0]  # without features, such as `:sramecc+`

    def warp_size(self, arch: str) -> int:
        return target_of(arch).wave

    def max_cluster(self, arch: str) -> int:
        return target_of(arch).max_cluster

    def launch_limits(self, arch: str) -> LaunchLimits:
        from flydsl.plugins import LaunchLimits

        return LaunchLimits(grid_threads=(1 << 32) - 1, shared_bytes=target_of(arch).lds_bytes)

    def supports_arch(self, arch: str) -> bool:
        return is_known(arch)

    def make_target(self, arch: str) -> GPUTarget:
        target_of(arch)  # its error lists the known chips
        return super().make_target(arch)

    def device_libraries(self) -> list[Path]:
        from flydsl_rocm.device_libraries import device_libraries

        return device_libraries()

    def missing_tools(self) -> list[str]:
        from flydsl_rocm.toolkit import toolkit

        reason = toolkit().reason
        return [f"no kernel can call functions of AMD's device libraries, {reason}"] if reason else []

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        from flydsl_rocm.pipeline import fragments

        return fragments(target_of(arch), options)

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        from flydsl_rocm.pipeline import gpu_target

        return [gpu_target(target_of(arch))]

    def codegen_target(self, *, arch: str, options: Options | None = None) -> CodegenTarget:
        from flydsl_rocm.code_object import made_for

        return made_for(target_of(arch), options)

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """A linked code object (ELF) with every kernel of the module."""
        from flydsl_rocm.code_object import emit_code_object

        return emit_code_object(module_text, target_of(arch), toolchain, options)

    def emit_llvm_ir(self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None) -> str:
        from flydsl_rocm.code_object import emit_llvm_ir

        return emit_llvm_ir(module_text, target_of(arch), toolchain, options)

    def disassemble(self, code: bytes, *, arch: str, toolchain: Toolchain) -> str:
        from flydsl_rocm.code_object import disassemble

        return disassemble(code, target_of(arch), toolchain)

    def code_report(
        self, code: bytes, *, kernels: Sequence[str], arch: str, toolchain: Toolchain
    ) -> tuple[KernelReport, ...]:
        """From the disassembly and the metadata in the code object."""
        from flydsl_rocm.report.kernel_report import code_reports

        text = self.disassemble(code, arch=arch, toolchain=toolchain)
        return code_reports(code, text, kernels, target_of(arch))
