"""The NVVM pass pipeline: Fly passes, then MLIR's passes down to LLVM's dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flydsl.backend.pipeline import FLY_PIPELINE, with_options
from flydsl_cuda.hints import fewest_blocks, most_registers
from flydsl_cuda.target import TRIPLE, CudaTarget

ORDER = "fly-nvvm-wgmma-order"
"""In front of the first pass that keeps accumulators in values."""
_SSA_FORM = next(name for name in FLY_PIPELINE if name.startswith("fly-convert-atom-call-to-ssa-form"))
_KERNEL_LOWERING = "gpu.module(convert-scf-to-cf,cse,convert-gpu-to-nvvm)"
_LINES = (
    "ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly}"  # ptxas takes no more in optimised code
)
_MODULE_LOWERING = (
    "convert-nvvm-to-llvm",
    "convert-vector-to-llvm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-ub-to-llvm",
    "reconcile-unrealized-casts",
)


def fragments(target: CudaTarget, options: Mapping[str, Any] | None = None) -> list[str]:
    """The whole pipeline, in order, with the passes that attach a target and make code where MLIR does that."""
    attach = f"nvvm-attach-target{{chip={target.chip} features=+ptx{target.oldest_ptx}}}"
    upstream = [_KERNEL_LOWERING, attach, *_MODULE_LOWERING, "gpu-module-to-binary{format=isa}"]
    arena = f"nvvm-shared-arena{{limit={target.shared_bytes}}}"
    return [*_fly_passes(target), *conversion(options), "canonicalize", arena, "nvvm-kernel-entries", *upstream]


def conversion(options: Mapping[str, Any] | None = None) -> list[str]:
    """From Fly to NVVM, in Python: each pass is a file of `flydsl_cuda.passes`, and runs by its name in `fly-opt`."""
    given = options or {}
    return [
        "nvvm-mark-tensor-maps",
        "convert-fly-to-nvvm",
        "guard-divisions",
        "nvvm-expand-shuffles",
        "nvvm-split-packed-sums",
        "nvvm-expand-wide-conversions",
        "nvvm-widen-pairs",
        "nvvm-expand-index-operations",  # it reads the size of the block, which the attributes of kernels replace
        "nvvm-pin-loop-latches",
        with_options("nvvm-kernel-attributes", {"registers": most_registers(given), "blocks": fewest_blocks(given)}),
        "nvvm-align-parameters",
        "nvvm-lower-math",
    ]


def _fly_passes(target: CudaTarget) -> list[str]:
    """The core's passes; where warp groups multiply, their instructions are ordered in between."""
    if not target.warp_group_products:
        return list(FLY_PIPELINE)
    count = FLY_PIPELINE.index(_SSA_FORM)
    return [*FLY_PIPELINE[:count], ORDER, *FLY_PIPELINE[count:]]


def kernel_lowering(options: Mapping[str, Any] | None = None) -> str:
    """The upstream part up to LLVM's dialect, with lines for the option `debug_info`."""
    lines = [_LINES] if (options or {}).get("debug_info") else []
    return f"builtin.module({','.join([_KERNEL_LOWERING, *_MODULE_LOWERING, *lines])})"


def gpu_target(target: CudaTarget) -> str:
    """The attribute of a gpu.module that is compiled for `target`."""
    return f'#nvvm.target<triple = "{TRIPLE}", chip = "{target.chip}", features = "+ptx{target.oldest_ptx}">'
