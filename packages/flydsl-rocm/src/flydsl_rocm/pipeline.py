"""The ROCDL pass pipeline: Fly passes, then MLIR's passes down to a code object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flydsl.backend.pipeline import FLY_PIPELINE, with_options
from flydsl.backend.toolchain import llvm_passes
from flydsl.plugins import opt_level
from flydsl_rocm.features import Feature
from flydsl_rocm.hints import occupancy
from flydsl_rocm.target import TRIPLE, RocmTarget

BITCODE_FILES = "bitcode_files"
"""The option with the files that are linked into the kernels."""
CODE_OBJECT_ABI, DEFAULT_ABI = "code_object_abi", 500
"""The option with the version of code objects, as `abi=` has it, and what it is by default: ROCm 5 to 7 load that; 600
adds nothing to it that is used here, and needs ROCm 6.2."""
GENERIC_ABI = 600
CLUSTER_PASS = "fly-rocdl-cluster-attr"
"""In the pipeline's text for upstream's sake; here `rocdl-kernel-attributes` does its work, on the kernel before MLIR
sees it.
"""
EXPANSION = "fly-rocdl-expand-ops"
_LAYOUT_LOWERING = next(name for name in FLY_PIPELINE if name.startswith("fly-layout-lowering"))


def fragments(target: RocmTarget, options: Mapping[str, Any] | None = None) -> list[str]:
    """The whole pipeline, in order."""
    return [
        *_fly_passes(target),
        *conversion(target, options),
        "canonicalize",
        f"gpu.module({','.join([*_kernel_lowering(target), CLUSTER_PASS])})",
        *_module_lowering(target, options or {}),
        'gpu-module-to-binary{format=fatbin opts=""}',
    ]


def conversion(target: RocmTarget, options: Mapping[str, Any] | None = None) -> list[str]:
    """From Fly to ROCDL, in Python: each pass is a file of `flydsl_rocm.passes`, and runs by its name in `fly-opt`."""
    return [
        "convert-fly-to-rocdl",
        "rocdl-lower-math",
        "guard-divisions",
        *_exchanges(target),
        "rocdl-lower-async-copies",
        "rocdl-expand-index-operations",
        # beside a scalar base, offsets are unsigned numbers of 32 bits, or signed ones
        with_options("rocdl-split-addresses", {"offset_bits": 31 if Feature.SIGNED_OFFSETS in target.features else 0}),
        with_options("rocdl-kernel-attributes", occupancy(options or {})),
    ]


def native_lowering(target: RocmTarget, options: Mapping[str, Any], toolkit: str) -> str:
    """The upstream part as one pipeline that ends in LLVM bitcode, optimised unless a user's pipeline does that.

    `options["printf"]` says that kernels print, `toolkit` is the text of the option of that name.
    """
    if llvm_passes(options).pipeline:  # it takes the place of LLVM's own
        options = {**options, "opt_level": 0}
    binary = f"gpu-module-to-binary{{format=offloading toolkit={toolkit}}}"
    return f"{kernel_lowering(target, options)[:-1]},{binary})"


def kernel_lowering(target: RocmTarget, options: Mapping[str, Any]) -> str:
    """The upstream part up to the LLVM dialect, with the pass for the `ub.poison` that lowered vectors leave behind."""
    kernel = f"gpu.module({','.join(_kernel_lowering(target, prints=bool(options.get('printf'))))})"
    module = _module_lowering(target, options)
    module.insert(module.index("reconcile-unrealized-casts"), "convert-ub-to-llvm")
    return f"builtin.module({','.join([kernel, *module])})"


def oldest_abi(target: RocmTarget) -> int:
    """The version of code objects that is made unless it is chosen: generic targets came with version 6."""
    return GENERIC_ABI if Feature.GENERIC in target.features else DEFAULT_ABI


def gpu_target(target: RocmTarget) -> str:
    """The attribute of a gpu.module that is compiled for `target`."""
    features = f', features = "{target.llvm_features}"' if target.llvm_features else ""
    flags = "" if target.wave == 64 else ", flags = {no_wave64}"
    return f'#rocdl.target<triple = "{TRIPLE}", chip = "{target.chip}"{features}{flags}>'


def _fly_passes(target: RocmTarget) -> list[str]:
    """The core's passes; where there are tensor moves, their atoms are expanded before layouts are lowered."""
    if Feature.TENSOR_MOVES not in target.features:
        return list(FLY_PIPELINE)
    count = FLY_PIPELINE.index(_LAYOUT_LOWERING)
    return [*FLY_PIPELINE[:count], EXPANSION, *FLY_PIPELINE[count:]]


def _exchanges(target: RocmTarget) -> list[str]:
    """The passes over what threads tell each other: CDNA has moves between lanes of a wave of 64, and packed floats;
    elsewhere barriers cost more."""
    if Feature.ROW_BROADCASTS in target.features:
        return ["rocdl-reduce-in-waves", "rocdl-pack-subtractions", "rocdl-expand-shuffles"]
    strategy = "halves" if target.wave == 64 and Feature.HALF_WAVE_PERMUTE in target.features else "any"
    return ["rocdl-relax-barriers", f"rocdl-expand-shuffles{{strategy={strategy}}}"]


def _kernel_lowering(target: RocmTarget, *, prints: bool = False) -> list[str]:
    runtime = " runtime=HIP" if prints else ""
    return ["convert-scf-to-cf", "cse", f"convert-gpu-to-rocdl{{chipset={target.chipset or target.chip}{runtime}}}"]


def _module_lowering(target: RocmTarget, options: Mapping[str, Any]) -> list[str]:
    attach = [
        f"chip={target.chip}",
        f"O={opt_level(options)}",
        f"abi={options.get(CODE_OBJECT_ABI, oldest_abi(target))}",
    ]
    if target.llvm_features:
        attach.append(f"features={target.llvm_features}")
    if target.wave == 32:
        attach.append("wave64=false")
    if files := options.get(BITCODE_FILES):
        attach.append(f"l={','.join(map(str, files))}")
    if options.get("fast_fp_math"):
        attach.append("fast=true")
    if options.get("unsafe_fp_math") or options.get("fast_fp_math"):
        attach.append("unsafe-math=true")
    lowering = [
        f"rocdl-attach-target{{{' '.join(attach)}}}",
        "convert-scf-to-cf",
        "convert-cf-to-llvm",
        "gpu-to-llvm{use-bare-pointers-for-host=true use-bare-pointers-for-kernels=true}",
        "convert-vector-to-llvm",
        "convert-arith-to-llvm",
        "convert-func-to-llvm",
        "reconcile-unrealized-casts",
    ]
    if options.get("debug_info"):
        lowering.append("ensure-debug-info-scope-on-llvm-func")
    return lowering
