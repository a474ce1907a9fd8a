"""The compile backend `rocm`: AMD code objects. Needs neither ROCm nor a device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flydsl.base.bitcode import bitcode_files, take_bitcode
from flydsl.base.errors import CompileError, ToolchainError, ToolchainMissingError
from flydsl.plugins.compile_backend import CompileBackend, Options, opt_level
from flydsl.toolchain.gpu_module_text import gpu_module_contents
from flydsl.toolchain.llvm_passes import LlvmPasses, llvm_passes
from flydsl.toolchain.protocol import CodegenTarget, Toolchain
from flydsl_rocm.hints import NAMES as HINTS
from flydsl_rocm.pipeline import (
    BITCODE_FILES,
    CODE_OBJECT_ABI,
    DEFAULT_ABI,
    fragments,
    gpu_target,
    kernel_lowering,
    native_lowering,
)
from flydsl_rocm.target import TRIPLE, RocmTarget, default_arch, forced_arch, is_known, target_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flydsl.plugins.code_report import KernelReport
    from flydsl.plugins.compile_backend import GPUTarget

_TOO_MUCH_LDS = re.compile(r"local memory \((\d+)\) exceeds limit \((\d+)\) in function '(\w+)'")
_NO_LIBRARIES = re.compile(r"bitcode path: .* does not exist|\boc[mk]l\.bc does not exist|undefined \w+: __oc[mk]l_")
_ABI = re.compile(r'"amdhsa_code_object_version", i32 (\d+)')
_UNDEFINED = re.compile(r"undefined symbol: (\w+)")
_DEVICE_FUNCTION = re.compile(r"\b__(oc[mk]l)_\w+")


class RocmBackend(CompileBackend):
    """Compiles for CDNA (wave64, MFMA) and RDNA (wave32 or wave64, WMMA) chips."""

    name = "rocm"
    hints = HINTS
    links_bitcode = True

    def default_arch(self) -> str:
        return default_arch()

    def device_arch(self, reported: str) -> str:
        return forced_arch() or reported

    def warp_size(self, arch: str) -> int:
        return target_of(arch).wave

    def max_cluster(self, arch: str) -> int:
        return target_of(arch).max_cluster

    def supports_arch(self, arch: str) -> bool:
        return is_known(arch)

    def make_target(self, arch: str) -> GPUTarget:
        target_of(arch)  # its error lists the known chips
        return super().make_target(arch)

    def device_libraries(self) -> list[Path]:
        from flydsl_rocm.toolkit import device_libraries

        return device_libraries()

    def missing_tools(self) -> list[str]:
        from flydsl_rocm.toolkit import toolkit

        reason = toolkit().reason
        return [f"no kernel can call functions of AMD's device libraries, {reason}"] if reason else []

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        return fragments(target_of(arch), options)

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        return [gpu_target(target_of(arch))]

    def codegen_target(self, *, arch: str, options: Options | None = None) -> CodegenTarget:
        return _made_for(target_of(arch), options)

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """A linked code object (ELF) with every kernel of the module."""
        from flydsl_rocm.lowering.matrix_support import check_matrix_instructions
        from flydsl_rocm.toolkit import toolkit

        target, options = target_of(arch), {**(options or {}), "printf": '"gpu.printf"' in module_text}
        check_matrix_instructions(module_text, target)
        kit, (text, bitcode) = toolkit(), take_bitcode(module_text)
        with bitcode_files(bitcode) as files:
            linked = {BITCODE_FILES: files, CODE_OBJECT_ABI: _abi_of(bitcode, toolchain)} if files else {}
            pipeline = native_lowering(target, {**options, **linked}, kit.option)
            try:
                return _code_object(text, pipeline, _made_for(target, options), toolchain, llvm_passes(options))
            except ToolchainError as error:
                if not _NO_LIBRARIES.search(str(error)):
                    raise _explained(error) from error
                lowered = toolchain.run_pipeline(text, kernel_lowering(target, options))
                raise _library_missing(lowered, kit.reason or f"which {str(kit.folder)!r} lacks") from error

    def emit_llvm_ir(self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None) -> str:
        target, options = target_of(arch), {**(options or {}), "printf": '"gpu.printf"' in module_text}
        lowered = toolchain.run_pipeline(take_bitcode(module_text)[0], kernel_lowering(target, options))
        return toolchain.emit_llvm_ir(gpu_module_contents(lowered))

    def disassemble(self, code: bytes, *, arch: str, toolchain: Toolchain) -> str:
        target = target_of(arch)
        features = ",".join(filter(None, [target.features, "+real-true16" if target.chip.startswith("gfx1") else ""]))
        return _without_padding(toolchain.disassemble(code, CodegenTarget(TRIPLE, target.chip, features)))

    def code_report(
        self, code: bytes, *, kernels: Sequence[str], arch: str, toolchain: Toolchain
    ) -> tuple[KernelReport, ...]:
        """From the disassembly and the metadata in the code object."""
        from flydsl_rocm.report.kernel_report import code_reports

        text = self.disassemble(code, arch=arch, toolchain=toolchain)
        return code_reports(code, text, kernels, target_of(arch))


def _made_for(target: RocmTarget, options: Options | None) -> CodegenTarget:
    return CodegenTarget(TRIPLE, target.chip, target.features, opt_level(options))


def _code_object(text: str, pipeline: str, target: CodegenTarget, toolchain: Toolchain, passes: LlvmPasses) -> bytes:
    """MLIR to bitcode, bitcode to machine code, machine code to a linked image: all in this process."""
    objects = toolchain.gpu_objects(text, pipeline)
    if not objects:
        raise CompileError("the module holds no gpu.module to compile")
    machine_code = [passes.machine_code(o.object, target, toolchain) for o in objects]
    return toolchain.link(machine_code, shared=True, args=("--no-undefined",))


def _abi_of(bitcode: Sequence[bytes], toolchain: Toolchain) -> int:
    """That which bitcode was made for, if it says so: LLVM links no two of them."""
    found = [_ABI.search(toolchain.llvm_text(content)) for content in bitcode]
    return next((int(match[1]) for match in found if match), DEFAULT_ABI)


def _explained(error: ToolchainError) -> ToolchainError:
    """The error, or one that says what the device lacks."""
    if too_much := _TOO_MUCH_LDS.search(str(error)):
        needed, limit, kernel = too_much.groups()
        return ToolchainError(
            f"kernel {kernel!r} needs {needed} bytes of shared memory for a block, which has {limit}: allocate less",
            kernel=kernel,
        )
    if missing := _UNDEFINED.search(str(error)):
        return ToolchainError(
            f"the kernel calls {missing[1]!r}, which nothing defines; give the external function the bitcode that "
            "does: link_extern(..., bitcode_path=...)"
        )
    return error


def _library_missing(lowered: str, reason: str) -> ToolchainMissingError:
    """Which device libraries a kernel calls, and why they are not there."""
    names = ", ".join(sorted(set(_DEVICE_FUNCTION.findall(lowered))))
    return ToolchainMissingError(f"the kernel calls functions of AMD's device libraries ({names}), {reason}")


def _without_padding(text: str) -> str:
    """Without the filler that the assembler puts behind a kernel's last instruction for the prefetcher."""
    kept: list[str] = []
    ended = False
    for line in text.splitlines():
        if ended and line.split("//")[0].strip() in ("s_nop 0", "s_code_end"):
            continue
        ended = line.strip().startswith("s_endpgm") or (ended and not line.strip())
        kept.append(line)
    return "\n".join(kept) + "\n"
