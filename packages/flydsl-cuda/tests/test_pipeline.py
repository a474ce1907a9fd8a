"""The pipeline's text: fragments in order, and one pipeline for the upstream part."""

from __future__ import annotations

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.plugins.compile_backend import split_pipeline
from flydsl_cuda.pipeline import fragments, gpu_target, kernel_lowering
from flydsl_cuda.target import target_of


def test_fly_passes_come_first_and_code_last() -> None:
    found = fragments(target_of("sm_100a"))
    conversion = [
        *("nvvm-mark-tensor-maps", "convert-fly-to-nvvm", "guard-divisions", "nvvm-expand-shuffles"),
        *("nvvm-split-packed-sums", "nvvm-expand-wide-conversions", "nvvm-widen-pairs"),
        *("nvvm-expand-index-operations", "nvvm-pin-loop-latches", "nvvm-kernel-attributes"),
        *("nvvm-align-parameters", "nvvm-lower-math"),
    ]
    own = {*conversion, "canonicalize", "nvvm-shared-arena", "nvvm-kernel-entries"}
    leading, native = split_pipeline(found, {*own, *(n.split("{")[0] for n in FLY_PIPELINE)})
    arena = "nvvm-shared-arena{limit=232448}"
    assert leading == [*FLY_PIPELINE, *conversion, "canonicalize", arena, "nvvm-kernel-entries"]
    assert native[1:2] == ["nvvm-attach-target{chip=sm_100a features=+ptx86}"]
    assert native[-1] == "gpu-module-to-binary{format=isa}"


def test_products_of_warp_groups_are_ordered_before_their_sums_are_values() -> None:
    found = fragments(target_of("sm_90a"))
    assert found.index("fly-nvvm-wgmma-order") == found.index("fly-convert-atom-call-to-ssa-form{share=true}") - 1
    assert "fly-nvvm-wgmma-order" not in fragments(target_of("sm_90"))


def test_the_upstream_part_is_one_pipeline() -> None:
    assert kernel_lowering().startswith("builtin.module(gpu.module(convert-scf-to-cf,cse,convert-gpu-to-nvvm),")


def test_the_target_attribute_names_chip_and_ptx() -> None:
    assert gpu_target(target_of("sm_80")) == (
        '#nvvm.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80", features = "+ptx80">'
    )


def test_hints_are_options_of_the_attributes() -> None:
    found = fragments(target_of("sm_90a"), {"maxnreg": 64, "min_blocks_per_sm": 2})
    assert "nvvm-kernel-attributes{registers=64 blocks=2}" in found
    assert "nvvm-kernel-attributes" in fragments(target_of("sm_90a"), {"maxnreg": None})
