"""What this distribution gives to FlyDSL: manifests out, nothing else is imported."""

from __future__ import annotations

from flydsl.plugins import CompileBackendManifest, DeviceKind, DeviceRuntimeManifest, TensorAdaptorManifest, hookimpl


@hookimpl
def flydsl_compile_backends() -> list[CompileBackendManifest]:
    """The backend `acme`."""
    return [
        CompileBackendManifest(
            name="acme",
            api_version=4,
            factory="flydsl_acme.backend:AcmeBackend",
            runtime_kind="acme",
            default_runtime="acme",
            expr_namespaces={"acme": "flydsl.expr:acme"},
            dialects=("flydsl_acme.dialect:ACME",),
            passes={"acme-tag": "flydsl_acme.passes:AcmeTag"},
        )
    ]


@hookimpl
def flydsl_device_runtimes() -> list[DeviceRuntimeManifest]:
    """The runtime `acme`."""
    return [
        DeviceRuntimeManifest(
            name="acme",
            api_version=4,
            kind="acme",
            factory="flydsl_acme.runtime.device_runtime:AcmeRuntime",
            device_kinds=frozenset({DeviceKind.CPU}),
        )
    ]


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """`AcmeArray`."""
    return [
        TensorAdaptorManifest(
            name="acme",
            api_version=4,
            factory="flydsl_acme.adaptor:AcmeAdaptor",
            claims=lambda cls: cls.__module__ == "flydsl_acme.adaptor" and cls.__name__ == "AcmeArray",
        )
    ]
