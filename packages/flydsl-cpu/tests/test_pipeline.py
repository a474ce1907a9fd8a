"""The order of the passes, and what targets change of it."""

from __future__ import annotations

import pytest

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.passes.registry import PASSES
from flydsl.plugins.compile_backend import split_pipeline
from flydsl_cpu import plugin
from flydsl_cpu.backend import CpuBackend
from flydsl_cpu.pipeline import LOWERING, NATIVE

OWN = plugin.flydsl_compile_backends()[0].passes


def lowering(arch: str) -> list[str]:
    leading, rest = split_pipeline(CpuBackend().pipeline_fragments(arch=arch), {*PASSES, *OWN})
    assert leading[: len(FLY_PIPELINE)] == list(FLY_PIPELINE)
    assert rest == list(NATIVE[NATIVE.index("convert-scf-to-cf") :]) or rest == list(NATIVE)
    return leading[len(FLY_PIPELINE) : len(FLY_PIPELINE) + len(LOWERING)]


def test_the_rewrites_are_in_the_documented_order() -> None:
    found = [name.partition("{")[0] for name in lowering("x86-64-v4")]
    assert found == [
        *("convert-fly-to-cpu", "cpu-exponentials", "expand-math", "canonicalize", "cpu-extrema"),
        *("cpu-lower-assertions", "cpu-lower-shared-memory", "cpu-expand-index-operations", "cpu-lower-prints"),
        *("cpu-drop-unused-values", "cpu-mark-uniform-results", "cpu-unite-butterflies", "cpu-insert-prefetches"),
        *("cpu-thread-loops", "cpu-move-large-arrays", "guard-divisions", "cpu-lower-intrinsics"),
    ]


@pytest.mark.parametrize(
    ("arch", "exponentials", "loops", "extrema"),
    [
        ("x86-64-v4", "cpu-exponentials{scale=true}", "cpu-thread-loops", True),
        ("x86-64-v3", "cpu-exponentials", "cpu-thread-loops{width=8}", True),
        ("aarch64", "cpu-exponentials", "cpu-thread-loops{width=4}", False),
    ],
)
def test_targets_are_options_of_passes(arch: str, exponentials: str, loops: str, extrema: bool) -> None:
    found = lowering(arch)
    assert exponentials in found
    assert loops in found
    assert ("cpu-extrema" in found) == extrema


def test_every_pass_of_ours_is_in_the_pipeline() -> None:
    assert {name.partition("{")[0] for name in LOWERING} - PASSES.keys() == OWN.keys()
