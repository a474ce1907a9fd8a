"""NVIDIA's device library, libdevice: where it is, and what links the functions of f64 that a kernel calls from it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from flydsl.base.errors import ToolchainMissingError
from flydsl_cuda.toolkit import find_libdevice

if TYPE_CHECKING:
    from flydsl.backend.toolchain import Toolchain
    from flydsl_cuda.target import CudaTarget

_FUNCTION = re.compile(r"@(__nv_\w+)")
_PACKAGE = Path(__file__).parent


def calls_libdevice(module_text: str) -> bool:
    """Whether a module in LLVM's dialect calls functions of the library."""
    return "@__nv_" in module_text


def linked(module_text: str, target: CudaTarget, toolchain: Toolchain) -> bytes:
    """LLVM bitcode of a module in LLVM's dialect and of what it calls; ToolchainMissingError when that is not there."""
    library = str(_library(module_text))
    quote = "'" if '"' in library else '"'
    options = f"chip={target.chip} features=+ptx{target.oldest_ptx} O=0 l={quote}{library}{quote}"
    pipeline = f"builtin.module(nvvm-attach-target{{{options}}},gpu-module-to-binary{{format=llvm}})"
    (found,) = toolchain.gpu_objects(module_text, pipeline)
    return found.object


def _library(module_text: str) -> Path:
    """The file, if nobody else could have exchanged it."""
    from flydsl.backend.toolchain import distrust

    called = ", ".join(sorted(set(_FUNCTION.findall(module_text))))
    library = find_libdevice()
    if library is None:
        reason = "which is not installed: pip install nvidia-nvvm, or set CUDA_HOME to a toolkit; or compute in f32"
    elif reason := distrust([library], owners={os.stat(_PACKAGE).st_uid}):
        reason = f"and the one found is not used: {reason}"
    else:
        return library
    raise ToolchainMissingError(f"the kernel calls functions of NVIDIA's libdevice ({called}), {reason}")
