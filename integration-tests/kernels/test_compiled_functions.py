"""Compiled functions: launched once when they are made, then called with tensors that are marked, or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, ShapeError


@flyc.kernel
def add_kernel(x: fx.Tensor, n: fx.Constexpr[int]):
    i = fx.block_idx.x
    x[i, 0] = x[i, 0] + fx.Float32(n)


@flyc.jit
def add(x: fx.Tensor, n: fx.Constexpr[int], rows: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    add_kernel(x, n).launch(grid=(rows, 1, 1), block=(1, 1, 1), stream=stream)


def marked(x: np.ndarray) -> Any:
    return flyc.from_dlpack(x).mark_shape_dynamic(0)


WAYS: dict[str, Any] = {
    "bare": lambda x: x,
    "static": flyc.from_dlpack,
    "rows": marked,
    "layout": lambda x: flyc.from_dlpack(x).mark_layout_dynamic(),
}


def test_compiling_launches_once() -> None:
    x = np.zeros((5, 2), np.float32)
    compiled = flyc.compile(add, x, 3, 5)
    assert x[:, 0].tolist() == [3] * 5
    compiled(x, 3, 5, None)
    assert x[:, 0].tolist() == [6] * 5
    flyc.compile(add, x, 3, 5, launch=False)
    assert x[:, 0].tolist() == [6] * 5
    flyc.compile(add, marked(x), 4, 5, None)
    assert x[:, 0].tolist() == [10] * 5


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("called", list(WAYS))
def test_tensors_come_marked_or_not(way: str, called: str) -> None:
    x = np.zeros((5, 2), np.float32)
    compiled = flyc.compile(add, WAYS[way](x), 3, 5, None)
    for more in (x, np.zeros((7, 2), np.float32), np.zeros((4, 6), np.float32)):
        before = more[:, 0].copy()
        for _ in range(2):
            compiled(WAYS[called](more), 3, len(more), None)
        np.testing.assert_array_equal(more[:, 0], before + 6)


def test_compile_time_arguments_are_given_or_left_out() -> None:
    x = np.zeros((5, 2), np.float32)
    compiled = flyc.compile(add, marked(x), 3, 5, None)
    for arguments in ((x, 5, None), (marked(x), 5, None), (x, 3, 5, None)):
        compiled(*arguments)
    assert x[:, 0].tolist() == [12] * 5
    compiled(x, 5, 5, None)  # other code
    assert x[:, 0].tolist() == [17] * 5
    with pytest.raises(
        ArgumentError, match=r"4 arguments \(x, n, rows, stream\), found 1; .* compile-time arguments \(n\)"
    ):
        compiled(x)


def test_promises_and_ranks_hold_for_bare_tensors_too() -> None:
    x = np.zeros((4, 2), np.float32)
    compiled = flyc.compile(add, flyc.from_dlpack(x).mark_shape_dynamic(0, divisibility=4), 3, 4, None)
    with pytest.raises(ShapeError, match="argument 'x': extent 6 of mode 0 is not a multiple of divisibility 4"):
        compiled(np.zeros((6, 2), np.float32), 3, 4, None)
    with pytest.raises(ShapeError, match="argument 'x': a tensor of rank 2 is expected, found one of rank 1"):
        compiled(np.zeros(6, np.float32), 3, 4, None)


@flyc.kernel
def swapped_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    x[i], y[i] = y[i], x[i]


@flyc.jit
def swapped(x: fx.Tensor, y: fx.Tensor):
    swapped_kernel(x, y).launch(grid=1, block=3)


def test_each_tensor_is_made_to_fit_by_itself() -> None:
    x, y = np.arange(3, dtype=np.float32), np.arange(3, 6, dtype=np.float32)
    compiled = flyc.compile(swapped, flyc.from_dlpack(x), y)
    assert (x.tolist(), y.tolist()) == ([3, 4, 5], [0, 1, 2])
    compiled(x, flyc.from_dlpack(y))
    assert (x.tolist(), y.tolist()) == ([0, 1, 2], [3, 4, 5])
    with pytest.raises(
        ArgumentError, match="argument 'x': 'swapped' was compiled for what flyc.from_dlpack gives, found"
    ):
        compiled(3, y)
