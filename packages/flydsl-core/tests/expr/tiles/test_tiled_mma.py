"""Tiled MMAs: arrangements of atoms, partitions and fragments, and products against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl import layout as fl
from flydsl.base.errors import FrontendError


def tiled(permutation=None):
    atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
    return fx.make_tiled_mma(atom, fx.make_layout((2, 4, 1), (4, 1, 0)), permutation)


def test_an_arrangement_repeats_the_atom_over_threads():
    mma = tiled()
    assert mma.tile_size_mnk == (2, 4, 1)
    assert mma.atom.payload == mma.mma_atom.payload == fx.make_mma_atom(fx.UniversalFMA(fx.Float32)).payload
    assert mma.atom_layout.payload == fl.Layout((2, 4, 1), (4, 1, 0))
    assert mma.permutation_mnk is None
    threads = mma.thr_layout_vmnk.payload
    assert [threads((0, m, n, 0)) for m in range(2) for n in range(4)] == list(range(8))


def test_a_permutation_makes_the_tile_larger():
    mma = tiled((4, 8, 2))
    assert str(mma.permutation_mnk.payload) == "[4|8|2]"
    assert mma.tile_size_mnk == (4, 8, 2)


def test_threads_hold_rows_columns_and_elements():
    mma = tiled()
    a, b, c = (layout.payload for layout in (mma.tv_layout_A_tiled, mma.tv_layout_B_tiled, mma.tv_layout_C_tiled))
    for thread in range(8):
        m, n = divmod(thread, 4)
        assert (a((thread, 0)), b((thread, 0)), c((thread, 0))) == (m, n, m + 2 * n)


@pytest.mark.parametrize(
    ("make", "tile"),
    [
        (fx.make_tiled_copy_A, "[2|1]"),
        (fx.make_tiled_copy_B, "[4|1]"),
        (fx.make_tiled_copy_C, "[2|4]"),
    ],
)
def test_tiled_copies_of_operands_have_their_tiles(make, tile):
    copy = make(fx.make_copy_atom(fx.UniversalCopy(32), 32), tiled())
    assert str(copy.tile_mn.payload) == tile


def test_the_arrangement_is_static(emitted):
    def use(n):
        with pytest.raises(FrontendError, match="make_tiled_mma needs a static atom layout, found Layout"):
            fx.make_tiled_mma(fx.make_mma_atom(fx.UniversalFMA(fx.Float32)), fx.make_layout((n, 2, 1), (2, 1, 0)))

    emitted(use, fx.Int32)


def test_partitions_and_fragments_have_the_shape_of_the_operand(emitted):
    def use(thread):
        mma = tiled()
        part = mma.get_slice(thread)
        a = fx.make_rmem_tensor(fx.make_layout((6, 5), (5, 1)), fx.Float32)
        mine = part.partition_A(a)
        shape = fx.tiled_mma_partition_shape(fx.MmaOperand.A, mma, (6, 5))
        return mine, shape, mma.make_fragment_A(mine), mma.make_fragment_A(mine, stages=3), part.tiled_mma

    mine, shape, fragment, staged, whole = emitted(use, fx.Int32).result
    assert [int(leaf) for leaf in fx.get_leaves(shape)] == [1, 3, 5]
    assert fl.size(mine.payload.layout) == fl.size(fragment.payload.layout) == 15
    assert staged.payload.layout.shape == (1, 3, 5, 3)  # the whole part in each stage
    assert fragment.dtype is fx.Float32
    assert type(whole) is fx.TiledMma


@flyc.kernel
def multiply(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    part = tiled().get_slice(fx.thread_idx.x)
    a = fx.make_view(fx.get_iter(a), fx.make_layout((6, 5), (5, 1)))
    b = fx.make_view(fx.get_iter(b), fx.make_layout((8, 5), (5, 1)))
    c = fx.make_view(fx.get_iter(c), fx.make_layout((6, 8), (8, 1)))
    mine_a, mine_b, mine_c = part.partition_A(a), part.partition_B(b), part.partition_C(c)
    left, right, total = part.make_fragment_A(mine_a), part.make_fragment_B(mine_b), part.make_fragment_C(mine_c)
    atom = fx.make_copy_atom(fx.UniversalCopy(32), 32)
    fx.copy(atom, mine_a, left)
    fx.copy(atom, mine_b, right)
    fx.copy(atom, mine_c, total)
    fx.gemm(tiled(), total, left, right, total)
    fx.copy(atom, total, mine_c)


def test_a_product_of_odd_depth_is_that_of_numpy(rng):
    a, b, c = (rng.standard_normal(shape).astype(np.float32) for shape in ((6, 5), (8, 5), (6, 8)))
    expected = c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64).T
    launch(multiply, a, b, c, block=8)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)
