"""The native toolchain: MLIR text, LLVM IR and objects in, the same one stage further out; loads MLIR at first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from flydsl_mlir.errors import Diagnostic, MlirError

if TYPE_CHECKING:
    from flydsl_mlir._native import (
        codegen,
        disassemble,
        emit_host_object,
        emit_llvm_ir,
        gpu_objects,
        host_cpu,
        link,
        llvm_version,
        run_pipeline,
    )

__all__ = [
    "Diagnostic",
    "MlirError",
    "codegen",
    "disassemble",
    "emit_host_object",
    "emit_llvm_ir",
    "gpu_objects",
    "host_cpu",
    "link",
    "llvm_version",
    "run_pipeline",
]

__version__ = "0.1.0"

_MISSING = (
    "flydsl_mlir cannot load its native module: {reason}; it needs the shared libraries of LLVM and MLIR 22 "
    "(Debian and Ubuntu, from apt.llvm.org where the distribution has an older one: apt install libmlir-22 libllvm22)"
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        native = importlib.import_module("flydsl_mlir._native")
    except ImportError as error:
        raise ImportError(_MISSING.format(reason=error)) from error
    value = getattr(native, name)
    globals()[name] = value
    return value
