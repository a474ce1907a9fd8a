"""The native toolchain: MLIR pipelines, LLVM code generation and lld in one module.

Importing this package is cheap; LLVM and MLIR are loaded by `load()`, or by the first use of any other function.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str

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
    from flydsl_mlir.errors import Diagnostic, MlirError
    from flydsl_mlir.loading import load
    from flydsl_mlir.toolkit import create_toolkit

__all__ = [
    "Diagnostic",
    "MlirError",
    "codegen",
    "create_toolkit",
    "disassemble",
    "emit_host_object",
    "emit_llvm_ir",
    "gpu_objects",
    "host_cpu",
    "link",
    "llvm_version",
    "load",
    "run_pipeline",
]

_PYTHON = {"Diagnostic": "errors", "MlirError": "errors", "create_toolkit": "toolkit", "load": "loading"}
"""Names of the Python part, by module; a warm start uses only `flydsl_mlir.identity`."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("flydsl_mlir.identity").distribution_version()
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _PYTHON:
        importlib.import_module("flydsl_mlir.loading").load()
    value = getattr(importlib.import_module(f"flydsl_mlir.{_PYTHON.get(name, '_native')}"), name)
    globals()[name] = value
    return value
