"""Decorators, stages and backends: `import flydsl.compiler as flyc`."""

from __future__ import annotations

from typing import Any

from flydsl.base.other_versions import SearchPath
from flydsl.base.startup.collector import CollectorPause
from flydsl.base.startup.deferred_methods import deferred_methods

with CollectorPause(), deferred_methods():
    from flydsl.adaptors.abstract import AbstractNumber, AbstractTensor
    from flydsl.compiler import protocol as protocol
    from flydsl.compiler.aot.compiled import CompiledFunction
    from flydsl.compiler.call.pointer import from_c_void_p
    from flydsl.compiler.call.registry import JitArgumentRegistry
    from flydsl.compiler.call.tensor_argument import from_dlpack
    from flydsl.compiler.compile import compile
    from flydsl.compiler.interpret import interpret
    from flydsl.compiler.jit import JitFunction, jit
    from flydsl.compiler.kernel import KernelFunction, kernel
    from flydsl.compiler.mlir_compiler import MlirCompiler
    from flydsl.compiler.stages.artifact import Artifact, Loaded
    from flydsl.compiler.stages.pipeline import Lowered, Traced
    from flydsl.plugins.active.selection import (
        active_pair,
        backend_class,
        compile_backend_name,
        get_backend,
        plugin_word,
    )
    from flydsl.plugins.active.stack import use_pair
    from flydsl.plugins.compile_backend import BaseBackend, CompileBackend, GpuCompileBackend, GPUTarget
    from flydsl.plugins.registration import register_backend, register_device_runtime

__all__ = [
    "AbstractNumber",
    "AbstractTensor",
    "Artifact",
    "BaseBackend",
    "CompileBackend",
    "CompiledFunction",
    "GPUTarget",
    "GpuCompileBackend",
    "JitArgumentRegistry",
    "JitFunction",
    "KernelFunction",
    "Loaded",
    "Lowered",
    "MlirCompiler",
    "Traced",
    "active_pair",
    "compile",
    "compile_backend_name",
    "from_c_void_p",
    "from_dlpack",
    "get_backend",
    "interpret",
    "jit",
    "kernel",
    "register_backend",
    "register_device_runtime",
    "use_pair",
]
__path__ = SearchPath(__path__, __name__)


def __getattr__(name: str) -> Any:
    """What a plugin adds, such as `flyc.from_acme`, or a backend's class under its own name: `flyc.AcmeBackend`."""
    return backend_class(name) if name.endswith("Backend") else plugin_word(__name__, name)
