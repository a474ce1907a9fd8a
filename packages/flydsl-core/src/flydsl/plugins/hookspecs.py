"""The three hooks of the plugin API: each takes nothing, does no work, and returns manifests."""

from __future__ import annotations

from collections.abc import Sequence

import pluggy

from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest

hookspec = pluggy.HookspecMarker("flydsl")
hookimpl = pluggy.HookimplMarker("flydsl")


@hookspec
def flydsl_compile_backends() -> Sequence[CompileBackendManifest]:  # type: ignore[empty-body]
    """Declare the compile backends of this plugin."""


@hookspec
def flydsl_device_runtimes() -> Sequence[DeviceRuntimeManifest]:  # type: ignore[empty-body]
    """Declare the device runtimes of this plugin."""


@hookspec
def flydsl_tensor_adaptors() -> Sequence[TensorAdaptorManifest]:  # type: ignore[empty-body]
    """Declare the tensor adaptors of this plugin."""
