"""The plugin boundary: validated manifests of installed distributions, and the one active pair. See README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.dlpack import DeviceKind
from flydsl.base.namespace import lazy_names
from flydsl.plugins.active.selection import (
    ActivePair,
    active_pair,
    compile_backend_name,
    expr_namespace,
    get_backend,
    python_passes,
    resolve_pair,
)
from flydsl.plugins.active.stack import claim_runtime, device_runtime, use_pair
from flydsl.plugins.class_names import ClassNames
from flydsl.plugins.compile_backend import (
    BaseBackend,
    CompileBackend,
    GpuCompileBackend,
    GPUTarget,
    Options,
    opt_level,
    split_pipeline,
)
from flydsl.plugins.device_runtime import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl.plugins.manifests import API_VERSION, CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest
from flydsl.plugins.registration import (
    register_backend,
    register_device_runtime,
    register_plugin,
    register_tensor_adaptor,
    unregister_plugin,
)
from flydsl.plugins.tensor_adaptor import (
    CallRecorder,
    DeviceRef,
    DType,
    ExchangeRead,
    HeaderRead,
    Inline,
    Match,
    Matcher,
    TensorAdaptor,
    TensorDesc,
)

if TYPE_CHECKING:
    from flydsl.base.launch_limits import LaunchLimits
    from flydsl.plugins.code_report import KernelReport, widest_accesses
    from flydsl.plugins.conformance import Conformance
    from flydsl.plugins.hookspecs import hookimpl

__all__ = [
    "API_VERSION",
    "ActivePair",
    "BaseBackend",
    "CallRecorder",
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
    "LaunchLimits",
    "Match",
    "Matcher",
    "Options",
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
    "opt_level",
    "python_passes",
    "register_backend",
    "register_device_runtime",
    "register_plugin",
    "register_tensor_adaptor",
    "resolve_pair",
    "split_pipeline",
    "unregister_plugin",
    "use_pair",
    "widest_accesses",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Conformance": "flydsl.plugins.conformance",
        "KernelReport": "flydsl.plugins.code_report",
        "LaunchLimits": "flydsl.base.launch_limits",
        "hookimpl": "flydsl.plugins.scan.hooks",
        "widest_accesses": "flydsl.plugins.code_report",
    },
)
"""Loaded on demand: a process that finds its code in the cache needs none of them."""
