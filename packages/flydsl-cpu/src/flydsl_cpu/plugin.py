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
            dialects=("flydsl_cpu.dialect:CPU",),
            passes={
                "convert-fly-to-cpu": "flydsl_cpu.passes.convert_fly_to_cpu:ConvertFlyToCpu",
                "cpu-exponentials": "flydsl_cpu.passes.exponentials:CpuExponentials",
                "cpu-extrema": "flydsl_cpu.passes.extrema:CpuExtrema",
                "cpu-lower-assertions": "flydsl_cpu.passes.lower_assertions:LowerAssertions",
                "cpu-lower-shared-memory": "flydsl_cpu.passes.lower_shared_memory:LowerSharedMemory",
                "cpu-expand-index-operations": "flydsl_cpu.passes.expand_index_operations:ExpandIndexOperations",
                "cpu-lower-prints": "flydsl_cpu.passes.lower_prints:LowerPrints",
                "cpu-drop-unused-values": "flydsl_cpu.passes.drop_unused_values:DropUnusedValues",
                "cpu-mark-uniform-results": "flydsl_cpu.passes.mark_uniform_results:MarkUniformResults",
                "cpu-unite-butterflies": "flydsl_cpu.passes.unite_butterflies:UniteButterflies",
                "cpu-insert-prefetches": "flydsl_cpu.passes.insert_prefetches:InsertPrefetches",
                "cpu-thread-loops": "flydsl_cpu.passes.thread_loops:ThreadLoops",
                "cpu-move-large-arrays": "flydsl_cpu.passes.move_large_arrays:MoveLargeArrays",
                "cpu-lower-intrinsics": "flydsl_cpu.passes.lower_intrinsics:LowerIntrinsics",
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
