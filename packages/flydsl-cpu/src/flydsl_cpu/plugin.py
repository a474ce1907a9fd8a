"""Plugin manifests of this distribution; importing it loads nothing else."""

from __future__ import annotations

from flydsl.plugins import CompileBackendManifest, DeviceKind, DeviceRuntimeManifest, hookimpl

HOOKS_READ: tuple[str, ...] = ()
"""What they return is always the same."""


@hookimpl
def flydsl_compile_backends() -> list[CompileBackendManifest]:
    """The backend `cpu`."""
    return [
        CompileBackendManifest(
            name="cpu",
            api_version=4,
            factory="flydsl_cpu.backend:CpuBackend",
            runtime_kind="cpu",
            accelerator=False,
            default_runtime="cpu",
            passes={
                "convert-fly-to-cpu": "flydsl_cpu.lowering.convert_fly_to_cpu:ConvertFlyToCpu",
                "cpu-exponentials": "flydsl_cpu.lowering.exponentials:CpuExponentials",
                "cpu-extrema": "flydsl_cpu.lowering.extrema:CpuExtrema",
                "cpu-ordered-zeros": "flydsl_cpu.lowering.ordered_zeros:CpuOrderedZeros",
                "cpu-thread-loops": "flydsl_cpu.lowering.cpu_thread_loops:CpuThreadLoops",
            },
        )
    ]


@hookimpl
def flydsl_device_runtimes() -> list[DeviceRuntimeManifest]:
    """The runtime `cpu`."""
    return [
        DeviceRuntimeManifest(
            name="cpu",
            api_version=4,
            factory="flydsl_cpu.runtime.device_runtime:CpuRuntime",
            kind="cpu",
            settings="flydsl_cpu.settings:cpu",
            device_kinds=frozenset({DeviceKind.CPU}),
        )
    ]
