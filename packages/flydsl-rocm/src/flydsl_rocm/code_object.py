"""AMD code objects: LLVM IR and linked ELF images of a module's kernels, their text, and the errors in between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flydsl.backend.toolchain import (
    CodegenTarget,
    LlvmPasses,
    Toolchain,
    bitcode_files,
    gpu_module_contents,
    llvm_passes,
    take_bitcode,
)
from flydsl.base.errors import CompileError, ToolchainError, ToolchainMissingError
from flydsl.plugins import Options, opt_level
from flydsl_rocm.features import Feature
from flydsl_rocm.pipeline import BITCODE_FILES, CODE_OBJECT_ABI, kernel_lowering, native_lowering, oldest_abi
from flydsl_rocm.target import TRIPLE, RocmTarget

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOO_MUCH_LDS = re.compile(r"local memory \((\d+)\) exceeds limit \((\d+)\) in function '(\w+)'")
_NO_LIBRARIES = re.compile(r"bitcode path: .* does not exist|\boc[mk]l\.bc does not exist|undefined \w+: __oc[mk]l_")
_ABI = re.compile(r'"amdhsa_code_object_version", i32 (\d+)')
_UNDEFINED = re.compile(r"undefined symbol: (\w+)")
_DEVICE_FUNCTION = re.compile(r"\b__(oc[mk]l)_\w+")


def emit_code_object(module_text: str, target: RocmTarget, toolchain: Toolchain, options: Options | None) -> bytes:
    """A linked code object (ELF) with every kernel of the module."""
    from flydsl_rocm.lowering.matrix_support import check_matrix_instructions
    from flydsl_rocm.toolkit import toolkit

    options = {**(options or {}), "printf": '"gpu.printf"' in module_text}
    check_matrix_instructions(module_text, target)
    kit, (text, bitcode) = toolkit(), take_bitcode(module_text)
    with bitcode_files(bitcode) as files:
        linked = {BITCODE_FILES: files, CODE_OBJECT_ABI: _abi_of(bitcode, target, toolchain)} if files else {}
        pipeline = native_lowering(target, {**options, **linked}, kit.option)
        try:
            return _code_object(text, pipeline, made_for(target, options), toolchain, llvm_passes(options))
        except ToolchainError as error:
            if not _NO_LIBRARIES.search(str(error)):
                raise _explained(error) from error
            lowered = toolchain.run_pipeline(text, kernel_lowering(target, options))
            raise _library_missing(lowered, kit.reason or f"which {str(kit.folder)!r} lacks") from error


def emit_llvm_ir(module_text: str, target: RocmTarget, toolchain: Toolchain, options: Options | None) -> str:
    """The LLVM IR of the module's kernels, as text."""
    options = {**(options or {}), "printf": '"gpu.printf"' in module_text}
    lowered = toolchain.run_pipeline(take_bitcode(module_text)[0], kernel_lowering(target, options))
    return toolchain.emit_llvm_ir(gpu_module_contents(lowered))


def disassemble(code: bytes, target: RocmTarget, toolchain: Toolchain) -> str:
    """The instructions of a code object as text."""
    features = ",".join(
        filter(None, [target.llvm_features, "+real-true16" if Feature.TRUE16 in target.features else ""])
    )
    return _without_padding(toolchain.disassemble(code, CodegenTarget(TRIPLE, target.chip, features)))


def made_for(target: RocmTarget, options: Options | None) -> CodegenTarget:
    """What LLVM generates code for."""
    return CodegenTarget(TRIPLE, target.chip, target.llvm_features, opt_level(options))


def _code_object(text: str, pipeline: str, target: CodegenTarget, toolchain: Toolchain, passes: LlvmPasses) -> bytes:
    """MLIR to bitcode, bitcode to machine code, machine code to a linked image: all in this process."""
    objects = toolchain.gpu_objects(text, pipeline)
    if not objects:
        raise CompileError("the module holds no gpu.module to compile")
    machine_code = [passes.machine_code(o.object, target, toolchain) for o in objects]
    return toolchain.link(machine_code, shared=True, args=("--no-undefined",))


def _abi_of(bitcode: Sequence[bytes], target: RocmTarget, toolchain: Toolchain) -> int:
    """That which bitcode was made for, if it says so: LLVM links no two of them."""
    oldest = oldest_abi(target)
    found = [_ABI.search(toolchain.llvm_text(content)) for content in bitcode]
    abi = next((int(match[1]) for match in found if match), oldest)
    if Feature.GENERIC in target.features and abi < oldest:
        raise CompileError(
            f"bitcode for code objects of version {abi // 100} is linked, and those of {target.chip} have version "
            f"{oldest // 100} at least: make it with -mcode-object-version={oldest // 100}"
        )
    return abi


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
