"""Plugin manifests of this distribution; importing it loads nothing else."""

from __future__ import annotations

from flydsl.plugins import CompileBackendManifest, DeviceKind, DeviceRuntimeManifest, hookimpl

HOOKS_READ: tuple[str, ...] = ()
"""What they return is always the same."""


@hookimpl
def flydsl_compile_backends() -> list[CompileBackendManifest]:
    """The backend `rocm`."""
    return [
        CompileBackendManifest(
            name="rocm",
            api_version=4,
            factory="flydsl_rocm.backend:RocmBackend",
            runtime_kind="rocm",
            settings="flydsl_rocm.settings:rocm",
            default_runtime="hip",
            expr_namespaces={name: f"flydsl.expr:{name}" for name in ("rocdl", "tdm_ops")},
            warp_functions="flydsl_rocm.coop:warp",
            words={"flydsl.extension.coop.warp.rocdl": "flydsl_rocm.coop:warp"},
            dialects=("flydsl_rocm.dialect:FLY_ROCDL", "flydsl_rocm.rocdl_dialect:ROCDL"),
            passes={
                "convert-fly-to-rocdl": "flydsl_rocm.passes.convert_fly_to_rocdl:ConvertFlyToRocdl",
                "rocdl-lower-math": "flydsl_rocm.passes.lower_math:LowerMath",
                "rocdl-reduce-in-waves": "flydsl_rocm.passes.reduce_in_waves:ReduceInWaves",
                "rocdl-pack-subtractions": "flydsl_rocm.passes.pack_subtractions:PackSubtractions",
                "rocdl-relax-barriers": "flydsl_rocm.passes.relax_barriers:RelaxBarriers",
                "rocdl-expand-shuffles": "flydsl_rocm.passes.expand_shuffles:ExpandShuffles",
                "rocdl-lower-async-copies": "flydsl_rocm.passes.lower_async_copies:LowerAsyncCopies",
                "rocdl-expand-index-operations": "flydsl_rocm.passes.expand_index_operations:ExpandIndexOperations",
                "rocdl-split-addresses": "flydsl_rocm.passes.split_addresses:SplitAddresses",
                "rocdl-kernel-attributes": "flydsl_rocm.passes.kernel_attributes:KernelAttributes",
                "fly-rocdl-cluster-attr": "flydsl_rocm.passes.cluster_attr:FlyRocdlClusterAttr",
                "fly-rocdl-expand-ops": "flydsl_rocm.passes.expand_ops:FlyRocdlExpandOps",
                "convert-fly-ktrace-to-rocdl": "flydsl_rocm.passes.convert_fly_ktrace:ConvertFlyKtraceToRocdl",
            },
        )
    ]


@hookimpl
def flydsl_device_runtimes() -> list[DeviceRuntimeManifest]:
    """The runtime `hip`."""
    return [
        DeviceRuntimeManifest(
            name="hip",
            api_version=4,
            factory="flydsl_rocm.runtime.device_runtime:HipRuntime",
            kind="rocm",
            device_kinds=frozenset({DeviceKind.ROCM, DeviceKind.ROCM_HOST}),
            words={
                "flydsl.runtime.device.check_smem_capacity": "flydsl_rocm.shared_memory:check_smem_capacity",
                "flydsl.runtime.device.get_rocm_arch": "flydsl_rocm.target:get_rocm_arch",
                "flydsl.runtime.device.get_warp_size": "flydsl_rocm.target:get_warp_size",
                "flydsl.runtime.device.is_rdna_arch": "flydsl_rocm.target:is_rdna_arch",
                "flydsl.utils.smem_allocator.SMEM_CAPACITY_MAP": "flydsl_rocm.shared_memory:SMEM_CAPACITY_MAP",
                "flydsl.utils.smem_allocator.check_smem_capacity": "flydsl_rocm.shared_memory:check_smem_capacity",
            },
        )
    ]
