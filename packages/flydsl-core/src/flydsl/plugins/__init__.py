"""The plugin boundary: installed distributions in, validated manifests and the one active pair out. See README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.plugins.compat import API_VERSION
from flydsl.plugins.compile_backend import BaseBackend, CompileBackend, GpuCompileBackend, GPUTarget, split_pipeline
from flydsl.plugins.device_runtime import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, Inline, TensorAdaptor, TensorDesc

if TYPE_CHECKING:
    from flydsl.plugins.hookspecs import hookimpl

__all__ = [
    "API_VERSION",
    "BaseBackend",
    "CompileBackend",
    "CompileBackendManifest",
    "CopyKind",
    "DType",
    "DeviceInfo",
    "DeviceRef",
    "DeviceRuntime",
    "DeviceRuntimeManifest",
    "DeviceStatus",
    "GPUTarget",
    "GpuCompileBackend",
    "Inline",
    "TensorAdaptor",
    "TensorAdaptorManifest",
    "TensorDesc",
    "hookimpl",
    "split_pipeline",
]


def __getattr__(name: str) -> Any:
    if name == "hookimpl":  # on demand: pluggy is the dearest import of this package
        from flydsl.plugins.hookspecs import hookimpl

        return hookimpl
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
