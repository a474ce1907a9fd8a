"""Tiled copies: which elements each thread has, and that all threads together copy everything once."""

from __future__ import annotations

import numpy as np
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def tiled():
    atom = fx.make_copy_atom(fx.UniversalCopy(32), 32)
    return fx.make_tiled_copy_tv(atom, fx.make_layout((4, 2), (2, 1)), fx.make_layout((1, 3), (1, 1)))


@flyc.kernel
def copy_tile(x: fx.Tensor, y: fx.Tensor):
    layout = fx.make_layout((4, 6), (6, 1))
    x, y = (fx.make_view(fx.get_iter(t), layout) for t in (x, y))
    mine = tiled().get_slice(fx.thread_idx.x)
    source, destination = mine.partition_S(x), mine.partition_D(y)
    registers = fx.make_fragment_like(source)
    fx.copy(tiled(), source, registers)
    fx.copy(tiled(), registers, destination)


def test_all_threads_together_copy_the_tile():
    x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    y = np.zeros_like(x)
    launch(copy_tile, x, y, block=8)
    np.testing.assert_array_equal(y, x)


def test_the_layout_gives_every_element_to_one_thread(emitted):
    copy = emitted(tiled).result
    layout = copy.layout_tv_tiled.payload
    assert str(copy.tile_mn.payload) == "[4|6]"
    assert sorted(layout((t, v)) for t in range(8) for v in range(3)) == list(range(24))
