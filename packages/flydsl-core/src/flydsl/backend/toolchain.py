"""From text to code: the toolchain that a backend is handed, LLVM's targets, passes of users, bitcode, libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.bitcode import bitcode_files, take_bitcode
from flydsl.base.namespace import lazy_names
from flydsl.toolchain.gpu_module_text import gpu_module_contents
from flydsl.toolchain.llvm_passes import LlvmPasses, llvm_passes
from flydsl.toolchain.protocol import FEW_SEGMENTS, CodegenTarget, Toolchain

if TYPE_CHECKING:  # loaded when they are asked for
    from flydsl.base.files.trusted_path import distrust
    from flydsl.toolchain.half_conversions import half_conversions

__all__ = [
    "FEW_SEGMENTS",
    "CodegenTarget",
    "LlvmPasses",
    "Toolchain",
    "bitcode_files",
    "distrust",
    "gpu_module_contents",
    "half_conversions",
    "llvm_passes",
    "take_bitcode",
]

__getattr__ = lazy_names(
    __name__,
    {
        "distrust": "flydsl.base.files.trusted_path",
        "half_conversions": "flydsl.toolchain.half_conversions",
    },
)
