"""Kernels that state a block size, in launches of that and of other sizes; lanes that no thread has."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.targets import Target

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def sum_kernel(x: fx.Tensor, y: fx.Tensor, size: fx.Constexpr):
    i = fx.thread_idx.x
    y[i] = fx.coop.BlockReduce[fx.Int32, size](x[i], fx.ReductionOp.ADD)


@flyc.jit
def known(x: fx.Tensor, y: fx.Tensor, size: fx.Constexpr, block: fx.Constexpr):
    sum_kernel(x, y, size).launch(grid=1, block=block)


@flyc.jit
def at_run_time(x: fx.Tensor, y: fx.Tensor, size: fx.Constexpr, n: fx.Int32):
    sum_kernel(x, y, size).launch(grid=1, block=n)


@flyc.kernel(known_block_size=[64])
def numbers_kernel(y: fx.Tensor):
    y[fx.thread_idx.x] = fx.block_dim.x


@flyc.jit
def numbers(y: fx.Tensor, blocks: fx.Int32, n: fx.Int32):
    numbers_kernel(y).launch(grid=blocks, block=n)


@pytest.mark.parametrize(("size", "block"), [(64, 128), (128, 64), ((8, 8), 64)], ids=str)
def test_a_known_launch_of_another_size_is_refused_by_both_numbers(target: Target, size: Any, block: int) -> None:
    x, y = np.ones(block, np.int32), np.full(block, -1, np.int32)
    text = str(size).replace("(8, 8)", "(8, 8, 1)")
    message = f"for blocks of {text} threads, and the kernel is launched with blocks of {block}"
    with pytest.raises(ValueError, match=re.escape(message)):
        known(x, y, size, block)
    assert (y == -1).all()


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_launch_of_run_time_is_compared_when_it_is_made(target: Target, interpreted: bool) -> None:
    run = flyc.interpret(at_run_time) if interpreted else at_run_time
    for block in (64, 100):
        x, y = np.arange(block, dtype=np.int32), np.full(block, -1, np.int32)
        run(x, y, block, block)
        assert (y == x.sum()).all()
    x, y = np.ones(128, np.int32), np.full(128, -1, np.int32)
    with pytest.raises(RuntimeError, match=r"for blocks of \D*64.*launched with blocks of \D*128"):
        run(x, y, 64, 128)
    assert (y == -1).all()


def test_a_declared_block_size_is_compared_too(target: Target) -> None:
    y = np.zeros(64, np.int32)
    numbers(y, 1, 64)
    assert (y == 64).all()
    with pytest.raises(RuntimeError, match=r"for blocks of \D*64.*launched with blocks of \D*32"):
        numbers(y, 1, 32)
    numbers(y, 0, 32)  # no work and no error


@flyc.kernel
def segments_kernel(x: fx.Tensor, y: fx.Tensor, op: fx.Constexpr):
    i = fx.thread_idx.x
    y[0, i] = fx.coop.warp_reduce(x[i], op)
    y[1, i] = fx.coop.warp_reduce(x[i], op, width=8)
    y[2, i] = fx.coop.warp_scan_with_aggregate(x[i], op, width=16)[2]
    y[3, i] = fx.coop.warp_tail_segmented_reduce(x[i], i % 5 == 4, op, width=8)
    y[4, i] = fx.coop.warp_reduce(x[i], op, width=16, valid_items=11)


@flyc.jit
def segments(x: fx.Tensor, y: fx.Tensor, op: fx.Constexpr, n: fx.Int32):
    segments_kernel(x, y, op).launch(grid=1, block=n)


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize("block", [1, 7, 20, 33, 100])
def test_lanes_without_threads_take_no_part(
    target: Target, block: int, interpreted: bool, rng: np.random.Generator
) -> None:
    for op, function in ((fx.ReductionOp.ADD, np.add), (fx.ReductionOp.MAX, np.maximum)):
        x, y = rng.integers(-99, -1, block).astype(np.int32), np.zeros((5, block), np.int32)
        (flyc.interpret(segments) if interpreted else segments)(x, y, op, block)
        for row, width, valid in ((0, target.wave, 64), (1, 8, 8), (2, 16, 16), (4, 16, 11)):
            groups = np.arange(block) // width
            expected = [function.reduce(x[groups == group][:valid]) for group in groups]
            np.testing.assert_array_equal(y[row], expected)
        ends = [min(i + (4 - i % 5), i // 8 * 8 + 7, block - 1) for i in range(block)]
        np.testing.assert_array_equal(y[3], [function.reduce(x[i : end + 1]) for i, end in enumerate(ends)])
