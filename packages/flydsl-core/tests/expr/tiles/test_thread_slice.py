"""The part of one thread: a tree of a tiled operation and a thread number."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import MissingThreadsWarning


def tiled_copy():
    atom = fx.make_copy_atom(fx.UniversalCopy(32), 32)
    return fx.make_tiled_copy_tv(atom, fx.make_layout(4, 1), fx.make_layout(2, 1))


def tiled_mma():
    return fx.make_tiled_mma(fx.make_mma_atom(fx.UniversalFMA(fx.Float32)), fx.make_layout((2, 2, 1), (1, 2, 0)))


@pytest.mark.parametrize("make", [tiled_copy, tiled_mma])
def test_leaves_are_the_whole_and_the_number(emitted, make):
    def use(thread):
        whole = make()
        part = whole.get_slice(thread)
        leaves = part.__fly_leaves__()
        return whole, part, leaves, part.__fly_rebuild__((leaves[0], fx.Int32(3)))

    whole, part, (operation, number), again = emitted(use, fx.Int32).result
    assert type(operation) is type(whole)
    assert operation.payload == whole.payload
    assert number is part.thr_idx
    assert type(again) is type(part)
    assert again.payload == part.payload
    assert int(again.thr_idx) == 3


@flyc.kernel
def copy_forwards_or_backwards(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    part = tiled_copy().get_slice(i)
    if x[0] > 0.0:
        part = tiled_copy().get_slice(3 - i)
    y[i] = fx.Float32(part.thr_idx)


@pytest.mark.parametrize(("first", "expected"), [(-1.0, [0, 1, 2, 3]), (1.0, [3, 2, 1, 0])])
def test_the_number_travels_through_branches(first, expected):
    y = np.zeros(4, np.float32)
    launch(copy_forwards_or_backwards, np.full(4, first, np.float32), y, block=4)
    np.testing.assert_array_equal(y, expected)


def slice_of(make, index):
    @flyc.kernel
    def kernel(y: fx.Tensor):
        y[fx.thread_idx.x] = fx.Float32(make().get_slice(index(fx.thread_idx.x)).thr_idx)

    return kernel


@pytest.mark.parametrize(("make", "what"), [(tiled_copy, "a tiled copy"), (tiled_mma, "a tiled MMA")])
@pytest.mark.parametrize("index", [lambda x: x, fx.Int32], ids=["index", "int32"])
def test_blocks_smaller_than_the_tile_are_told(make, what, index):
    y = np.zeros(4, np.float32)
    with pytest.warns(MissingThreadsWarning, match=f"{what} of 4 threads .* blocks of 3 .* threads 3 to 3") as warned:
        launch(slice_of(make, index), y, block=3)
    assert warned[0].filename == __file__


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", [tiled_copy, tiled_mma])
def test_other_numbers_and_larger_blocks_are_not(make):
    y = np.zeros(8, np.float32)
    launch(slice_of(make, lambda x: x + 1), y, block=3)
    launch(slice_of(make, lambda x: x), y, block=4)
    launch(slice_of(make, lambda x: x), y, block=8)
