"""Reductions and scans of waves on CDNA: moves between lanes without shared memory, and their values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

Op = fx.ReductionOp
CDNA = ("gfx90a", "gfx942", "gfx950")
LDS = re.compile(r"\bds_(?:swizzle|bpermute|permute)_b32\b")


@flyc.kernel
def both_kernel(x: fx.Tensor, y: fx.Tensor, op: fx.Constexpr, width: fx.Constexpr):
    i = fx.thread_idx.x
    y[0, i] = fx.coop.warp_reduce(x[i], op, width=width)
    y[1, i] = fx.coop.warp_inclusive_scan(x[i], op, width=width)
    y[2, i] = fx.coop.warp_exclusive_scan(x[i], op, width=width)


@flyc.jit
def both(x: fx.Tensor, y: fx.Tensor, op: fx.Constexpr, width: fx.Constexpr = None):
    both_kernel(x, y, op, width).launch(grid=1, block=128)


@flyc.kernel
def reduce_kernel(x: fx.Tensor, width: fx.Constexpr, universal: fx.Constexpr[bool]):
    functions = fx.coop.universal if universal else fx.coop
    x[fx.thread_idx.x] = functions.warp_reduce(x[fx.thread_idx.x], Op.ADD, width=width)


@flyc.jit
def reduce(x: fx.Tensor, width: fx.Constexpr = None, universal: fx.Constexpr[bool] = False):
    reduce_kernel(x, width, universal).launch(grid=1, block=128)


def code(function: Any, *arguments: Any, arch: str) -> str:
    text: str = function.trace(*arguments, arch=arch).lower().compile().disassemble()
    return text


@pytest.mark.parametrize("arch", CDNA[:2])
@pytest.mark.parametrize("width", [None, 32, 16, 8, 4, 2])
def test_32_bits_move_between_lanes_without_shared_memory(arch: str, width: int | None) -> None:
    x = np.zeros(128, np.float32)
    text = code(both, x, np.zeros((3, 128), np.float32), Op.ADD, width, arch=arch)
    assert len(LDS.findall(text)) == (width == 32), text
    assert "dpp" in text


@pytest.mark.parametrize("arch", CDNA)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_wave_is_reduced_within_rows_and_then_across(arch: str, dtype: type[np.generic]) -> None:
    text = code(reduce, np.zeros(128, dtype), arch=arch)
    for part in ("row_shr:1 ", "row_bcast:15", "row_bcast:31", "v_readlane_b32"):
        assert part in text, text
    assert not LDS.search(text)


def test_other_types_and_universal_forms_exchange_through_shared_memory() -> None:
    assert LDS.search(code(reduce, np.zeros(128, np.int16), arch="gfx942"))
    assert LDS.search(code(reduce, np.zeros(128, np.float32), 8, True, arch="gfx942"))


@pytest.mark.parametrize("arch", CDNA)
@pytest.mark.parametrize("width", [None, 32, 16, 8, 4, 2, 1])
def test_the_values_are_those_of_numpy(
    hipsim: HipsimBench, arch: str, width: int | None, rng: np.random.Generator
) -> None:
    hipsim.use(arch)
    x = rng.integers(-(1 << 31), 1 << 31, 128).astype(np.int32)
    rows = x.reshape(-1, width or 64)
    for op, function, identity in ((Op.ADD, np.add, 0), (Op.MAX, np.maximum, -(1 << 31)), (Op.MUL, np.multiply, 1)):
        y = np.zeros((3, 128), np.int32)
        both(x, y, op, width)
        with np.errstate(over="ignore"):
            scanned = np.stack([function.accumulate(row, dtype=np.int32) for row in rows])
        before = np.concatenate([np.full((len(rows), 1), identity, np.int32), scanned[:, :-1]], axis=1)
        np.testing.assert_array_equal(y[0], np.repeat(scanned[:, -1], rows.shape[1]))
        np.testing.assert_array_equal(y[1], scanned.reshape(-1))
        np.testing.assert_array_equal(y[2], before.reshape(-1))


def test_the_target_s_functions_have_the_names_of_all() -> None:
    from flydsl_rocm.coop import warp

    assert fx.coop.warp.rocdl is warp
    assert set(fx.coop.warp.rocdl.__all__) == set(fx.coop.warp.__all__)
