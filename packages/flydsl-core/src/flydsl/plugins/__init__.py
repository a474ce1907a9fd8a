"""The plugin boundary: validated manifests of installed distributions, and the one active pair. See README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.dlpack import DeviceKind
from flydsl.plugins.class_names import ClassNames
from flydsl.plugins.compile_backend import BaseBackend, CompileBackend, GpuCompileBackend, GPUTarget, split_pipeline
from flydsl.plugins.device_runtime import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl.plugins.manifests import API_VERSION, CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest
from flydsl.plugins.registration import (
    register_backend,
    register_device_runtime,
    register_plugin,
    register_tensor_adaptor,
    unregister_plugin,
)
from flydsl.plugins.selection import (
    ActivePair,
    active_pair,
    compile_backend_name,
    expr_namespace,
    get_backend,
    python_passes,
    resolve_pair,
)
from flydsl.plugins.stack import claim_runtime, device_runtime, use_pair
from flydsl.plugins.tensor_adaptor import (
    DeviceRef,
    DType,
    ExchangeRead,
    HeaderRead,
    Inline,
    TensorAdaptor,
    TensorDesc,
)

if TYPE_CHECKING:
    from flydsl.plugins.code_report import KernelReport
    from flydsl.plugins.conformance import Conformance
    from flydsl.plugins.hookspecs import hookimpl

__all__ = [
    "API_VERSION",
    "ActivePair",
    "BaseBackend",
    "ClassNames",
    "CompileBackend",
    "CompileBackendManifest",
    "Conformance",
    "CopyKind",
    "DType",
    "DeviceInfo",
    "DeviceKind",
    "DeviceRef",
    "DeviceRuntime",
    "DeviceRuntimeManifest",
    "DeviceStatus",
    "ExchangeRead",
    "GPUTarget",
    "GpuCompileBackend",
    "HeaderRead",
    "Inline",
    "KernelReport",
    "TensorAdaptor",
    "TensorAdaptorManifest",
    "TensorDesc",
    "active_pair",
    "claim_runtime",
    "compile_backend_name",
    "device_runtime",
    "expr_namespace",
    "get_backend",
    "hookimpl",
    "python_passes",
    "register_backend",
    "register_device_runtime",
    "register_plugin",
    "register_tensor_adaptor",
    "resolve_pair",
    "split_pipeline",
    "unregister_plugin",
    "use_pair",
]


def __getattr__(name: str) -> Any:
    if name == "hookimpl":  # on demand: only modules of plugins need it
        from flydsl.plugins.hooks import hookimpl

        return hookimpl
    if name == "Conformance":
        from flydsl.plugins.conformance import Conformance

        return Conformance
    if name == "KernelReport":
        from flydsl.plugins.code_report import KernelReport

        return KernelReport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
