"""Decorators, stages and backends (`import flydsl.compiler as flyc`): functions in, launched kernels out."""

from __future__ import annotations

from typing import Any

from flydsl.compiler.jit import CompiledFunction, JitFunction, compile, jit
from flydsl.compiler.kernel import KernelFunction, kernel
from flydsl.compiler.stages import Artifact, Loaded, Lowered, Traced
from flydsl.compiler.tensor_argument import from_dlpack
from flydsl.plugins.compile_backend import BaseBackend, CompileBackend, GpuCompileBackend, GPUTarget
from flydsl.plugins.registration import register_backend, register_device_runtime
from flydsl.plugins.selection import active_pair, compile_backend_name, get_backend, use_pair

__all__ = [
    "Artifact",
    "BaseBackend",
    "CompileBackend",
    "CompiledFunction",
    "GPUTarget",
    "GpuCompileBackend",
    "JitFunction",
    "KernelFunction",
    "Loaded",
    "Lowered",
    "Traced",
    "active_pair",
    "compile",
    "compile_backend_name",
    "from_dlpack",
    "get_backend",
    "jit",
    "kernel",
    "register_backend",
    "register_device_runtime",
    "use_pair",
]


def __getattr__(name: str) -> Any:
    """A backend's class under its own name, such as `flyc.AcmeBackend`, from the plugin that brings it."""
    if not name.endswith("Backend"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from flydsl.plugins.selection import backend_class

    return backend_class(name)
