"""Arguments of @jit functions for AMD GPUs: records, pointers and containers become plain kernel parameters."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx


@fx.struct
class Affine:
    scale: fx.Float32
    shift: fx.Float16


@flyc.kernel
def affine_kernel(parts, out: fx.Pointer, n: fx.Int64):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < n:
        out[i] = parts["x"][i] * parts["affine"].scale + parts["affine"].shift


@flyc.jit
def affine(parts, out: fx.Pointer, n: fx.Int64, stream: fx.Stream = fx.Stream(None)):
    affine_kernel(parts, out, n).launch(grid=4, block=64, stream=stream)


@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
def test_records_pointers_and_containers_compile(arch):
    parts = {"x": np.zeros(9, np.float32), "affine": Affine(2.0, 1.0)}
    pointer = flyc.from_c_void_p(fx.Float32, 4096)
    artifact = affine.trace(parts, pointer, 9, arch=arch).lower().compile()
    assert [slot.kind for slot in artifact.slots] == [
        "pointer",
        "struct",
        "scalar",
        "scalar",
        "pointer",
        "scalar",
        "stream",
    ]
    text = artifact.disassemble()
    assert "global_load" in text
    assert "global_store" in text


def test_hints_reach_the_backend():
    parts = {"x": np.zeros(9, np.float32), "affine": Affine(2.0, 1.0)}
    pointer = flyc.from_c_void_p(fx.Float32, 4096)
    codes = []
    for level in (0, 3):
        affine.compile_hints["opt_level"] = level
        codes.append(affine.trace(parts, pointer, 9).lower().compile().device)
    affine.compile_hints.clear()
    assert codes[0] != codes[1]
