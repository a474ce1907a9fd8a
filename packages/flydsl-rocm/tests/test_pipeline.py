"""The pipeline has the documented passes in the documented order."""

from __future__ import annotations

import pytest

from flydsl.base.errors import UnsupportedTargetError
from flydsl.plugins.compile_backend import pass_name
from flydsl_rocm.backend import RocmBackend


def test_fragments_are_in_the_documented_order() -> None:
    assert [pass_name(f) for f in RocmBackend().pipeline_fragments(arch="gfx942")] == [
        *("fly-rewrite-func-signature", "fly-canonicalize", "fly-layout-lowering", "fly-int-swizzle-simplify"),
        *("canonicalize", "fly-convert-atom-call-to-ssa-form", "fly-promote-regmem-to-vectorssa"),
        *("convert-fly-to-rocdl", "rocdl-lower-math", "guard-divisions", "rocdl-reduce-in-waves"),
        *("rocdl-pack-subtractions", "rocdl-expand-shuffles", "rocdl-lower-async-copies"),
        *("rocdl-expand-index-operations", "rocdl-split-addresses", "rocdl-kernel-attributes"),
        *("canonicalize", "gpu.module", "rocdl-attach-target", "convert-scf-to-cf"),
        *("convert-cf-to-llvm", "gpu-to-llvm", "convert-vector-to-llvm", "convert-arith-to-llvm"),
        *("convert-func-to-llvm", "reconcile-unrealized-casts", "gpu-module-to-binary"),
    ]


def test_atoms_of_tensor_moves_are_expanded_before_layouts_are_lowered() -> None:
    fragments = [pass_name(fragment) for fragment in RocmBackend().pipeline_fragments(arch="gfx1250")]
    assert fragments.index("fly-rocdl-expand-ops") == fragments.index("fly-layout-lowering") - 1


def test_kernel_passes_name_the_chip() -> None:
    nested = next(f for f in RocmBackend().pipeline_fragments(arch="gfx1201") if f.startswith("gpu.module"))
    assert nested == ("gpu.module(convert-scf-to-cf,cse,convert-gpu-to-rocdl{chipset=gfx1201},fly-rocdl-cluster-attr)")


def test_attached_target_carries_chip_level_features_and_wave() -> None:
    fragments = RocmBackend().pipeline_fragments(arch="gfx1100", options={"opt_level": 3})
    assert "rocdl-attach-target{chip=gfx1100 O=3 abi=500 wave64=false}" in fragments
    fragments = RocmBackend().pipeline_fragments(arch="gfx1100:wavefrontsize64+")
    assert "rocdl-attach-target{chip=gfx1100 O=2 abi=500 features=+wavefrontsize64}" in fragments


def test_chips_differ_by_passes_and_their_options() -> None:
    def of(arch: str) -> list[str]:
        return RocmBackend().pipeline_fragments(arch=arch)

    assert "rocdl-expand-shuffles{strategy=halves}" in of("gfx1100:wavefrontsize64+")
    assert {"rocdl-relax-barriers", "rocdl-expand-shuffles{strategy=any}"} < set(of("gfx1201:wavefrontsize64+"))
    assert {"rocdl-reduce-in-waves", "rocdl-expand-shuffles", "rocdl-split-addresses"} < set(of("gfx942"))
    assert {"rocdl-expand-shuffles{strategy=any}", "rocdl-split-addresses{offset_bits=31}"} < set(of("gfx1250"))


def test_hints_are_options_of_the_attributes_and_of_the_target() -> None:
    hints = {"waves_per_eu": "2,4", "maxnreg": 64, "fast_fp_math": True}
    fragments = RocmBackend().pipeline_fragments(arch="gfx942", options=hints)
    assert "rocdl-kernel-attributes{waves_per_eu=2 most_waves_per_eu=4 registers=64}" in fragments
    assert "rocdl-attach-target{chip=gfx942 O=2 abi=500 fast=true unsafe-math=true}" in fragments
    fragments = RocmBackend().pipeline_fragments(arch="gfx942", options={"unsafe_fp_math": True, "waves_per_eu": 0})
    assert "rocdl-kernel-attributes" in fragments
    assert "rocdl-attach-target{chip=gfx942 O=2 abi=500 unsafe-math=true}" in fragments


def test_debug_info_adds_the_scope_pass_before_the_binary() -> None:
    fragments = RocmBackend().pipeline_fragments(arch="gfx942", options={"debug_info": True})
    assert fragments[-2] == "ensure-debug-info-scope-on-llvm-func"


def test_module_target_is_an_attribute() -> None:
    assert RocmBackend().gpu_module_targets(arch="gfx942") == [
        '#rocdl.target<triple = "amdgcn-amd-amdhsa", chip = "gfx942">'
    ]


def test_unknown_chip_is_refused_everywhere() -> None:
    backend = RocmBackend()
    assert not backend.supports_arch("sm_90")
    for call in (backend.warp_size, backend.make_target):
        with pytest.raises(UnsupportedTargetError, match="known: gfx90a"):
            call("sm_90")
    with pytest.raises(UnsupportedTargetError):
        backend.pipeline_fragments(arch="sm_90")
