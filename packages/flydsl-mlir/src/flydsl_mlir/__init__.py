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
        llvm_text,
        llvm_version,
        run_pipeline,
    )
    from flydsl_mlir.errors import Diagnostic, MlirError, PassError
    from flydsl_mlir.loading import begin_loading, load
    from flydsl_mlir.passes import (
        CodegenPoint,
        MachinePass,
        codegen_points,
        codegen_with_passes,
        plugin_passes,
        run_ir_passes,
    )
    from flydsl_mlir.toolkit import create_toolkit

__all__ = [
    "CodegenPoint",
    "Diagnostic",
    "MachinePass",
    "MlirError",
    "PassError",
    "begin_loading",
    "codegen",
    "codegen_points",
    "codegen_with_passes",
    "create_toolkit",
    "disassemble",
    "emit_host_object",
    "emit_llvm_ir",
    "gpu_objects",
    "host_cpu",
    "link",
    "llvm_text",
    "llvm_version",
    "load",
    "plugin_passes",
    "run_ir_passes",
    "run_pipeline",
]

_PYTHON = {
    **dict.fromkeys(("Diagnostic", "MlirError", "PassError"), "errors"),
    **dict.fromkeys(("CodegenPoint", "MachinePass", "codegen_points"), "passes"),
    **dict.fromkeys(("codegen_with_passes", "plugin_passes", "run_ir_passes"), "passes"),
    **dict.fromkeys(("begin_loading", "load"), "loading"),
    "create_toolkit": "toolkit",
}
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
