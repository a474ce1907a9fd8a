"""Plugin manifests of this distribution; importing it loads nothing else."""

from __future__ import annotations

from flydsl.plugins import CompileBackendManifest, DeviceKind, DeviceRuntimeManifest, hookimpl

HOOKS_READ: tuple[str, ...] = ()
"""What they return is always the same."""
PLUGIN_API = 4
"""With tensor maps, flags of launches, and doors."""


@hookimpl
def flydsl_compile_backends() -> list[CompileBackendManifest]:
    """The backend `cuda`."""
    return [
        CompileBackendManifest(
            name="cuda",
            api_version=PLUGIN_API,
            factory="flydsl_cuda.backend:CudaBackend",
            runtime_kind="cuda",
            settings="flydsl_cuda.settings:cuda",
            default_runtime="cuda",
            conformance="flydsl_cuda.conformance:CUDA",
            tensor_alignment=16,  # bytes of the widest access, which must be aligned
            expr_namespaces={"nvvm": "flydsl.expr:nvvm"},
            dialects=("flydsl_cuda.dialect:FLY_NVVM",),
            passes={
                "fly-nvvm-wgmma-order": "flydsl_cuda.passes.wgmma_order:FlyNvvmWgmmaOrder",
                "nvvm-mark-tensor-maps": "flydsl_cuda.passes.mark_tensor_maps:MarkTensorMaps",
                "convert-fly-to-nvvm": "flydsl_cuda.passes.convert_fly_to_nvvm:ConvertFlyToNvvm",
                "nvvm-expand-shuffles": "flydsl_cuda.passes.expand_shuffles:ExpandShuffles",
                "nvvm-split-packed-sums": "flydsl_cuda.passes.split_packed_sums:SplitPackedSums",
                "nvvm-expand-wide-conversions": "flydsl_cuda.passes.expand_wide_conversions:ExpandWideConversions",
                "nvvm-widen-pairs": "flydsl_cuda.passes.widen_pairs:WidenPairs",
                "nvvm-expand-index-operations": "flydsl_cuda.passes.expand_index_operations:ExpandIndexOperations",
                "nvvm-pin-loop-latches": "flydsl_cuda.passes.pin_loop_latches:PinLoopLatches",
                "nvvm-kernel-attributes": "flydsl_cuda.passes.kernel_attributes:KernelAttributes",
                "nvvm-align-parameters": "flydsl_cuda.passes.align_parameters:AlignParameters",
                "nvvm-lower-math": "flydsl_cuda.passes.lower_math:LowerMath",
                "nvvm-shared-arena": "flydsl_cuda.passes.shared_arena:NvvmSharedArena",
                "nvvm-kernel-entries": "flydsl_cuda.passes.kernel_entries:NvvmKernelEntries",
            },
        )
    ]


@hookimpl
def flydsl_device_runtimes() -> list[DeviceRuntimeManifest]:
    """The runtime `cuda`."""
    kinds = frozenset({DeviceKind.CUDA, DeviceKind.CUDA_HOST})
    factory = "flydsl_cuda.runtime.device_runtime:CudaRuntime"
    return [
        DeviceRuntimeManifest(name="cuda", factory=factory, kind="cuda", device_kinds=kinds, api_version=PLUGIN_API)
    ]
