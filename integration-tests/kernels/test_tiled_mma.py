"""Tiled matrix products against NumPy in float64: atom layouts, permutations, orders, borders."""

from __future__ import annotations

import numpy as np
import pytest
from support.matmul import copied_matmul_of, matmul_of

import flydsl.compiler as flyc
import flydsl.expr as fx


def float_fma():
    return fx.UniversalFMA(fx.Float32)


def product_of(matmul, m, n, k, dtype=np.float32, seed=0):
    """A random product by `matmul`, and by NumPy in float64."""
    rng = np.random.default_rng(seed)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (n, k)))
    c = np.full((m, n), np.nan, dtype)
    matmul(a, b, c)
    return c, a.astype(np.float64) @ b.astype(np.float64).T


ARRANGEMENTS = {
    "one thread": (((1, 1, 1), (1, 1, 1)), None, (3, 2, 4)),
    "threads along m and n": (((8, 4, 1), (1, 8, 1)), None, (2, 3, 5)),
    "threads along n first": (((4, 8, 1), (8, 1, 1)), None, (2, 2, 3)),
    "two values a thread by permutation": (((4, 4, 1), (1, 4, 1)), (8, 8, None), (1, 2, 4)),
    "interleaved rows": (((4, 2, 1), (1, 4, 1)), "interleaved", (2, 1, 4)),
}


@pytest.mark.parametrize("name", ARRANGEMENTS)
def test_a_product_with_borders_equals_numpy(name):
    layout, permutation, repeat = ARRANGEMENTS[name]
    if permutation == "interleaved":
        permutation = fx.make_tile(fx.make_layout((4, 2), (2, 1)), None, None)
    result, expected = product_of(matmul_of(float_fma, layout, permutation, repeat), 37, 29, 23)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


ORDERS = [None, {"traversal_layout": fx.make_layout((3, 6), (6, 1))}] + [
    {"traversal_order": order} for order in ("nkm", *fx.GemmTraversalOrder)
]


@pytest.mark.parametrize("order", ORDERS)
def test_every_traversal_order_gives_the_product(order):
    matmul = matmul_of(float_fma, ((4, 2, 1), (2, 1, 1)), None, (2, 3, 3), order)
    result, expected = product_of(matmul, 11, 13, 7)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_random_sizes(seed):
    m, n, k = (int(extent) for extent in np.random.default_rng(seed).integers(1, 70, 3))
    matmul = matmul_of(float_fma, ((8, 8, 1), (8, 1, 1)), (16, 16, None), (1, 1, 8))
    result, expected = product_of(matmul, m, n, k, seed=seed)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("dtype", "element", "tolerance"),
    [(np.float64, fx.Float64, 1e-12), (np.float16, fx.Float16, 0), (np.int32, fx.Int32, 0)],
)
def test_element_types(dtype, element, tolerance):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((19, 9), (21, 9)))
    c = np.full((19, 21), -1, dtype)
    matmul_of(lambda: fx.UniversalFMA(element), ((4, 4, 1), (4, 1, 1)), None, (1, 2, 2))(a, b, c)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, rtol=tolerance)


@pytest.mark.parametrize("permutation", [None, (8, 16, 4)])
@pytest.mark.parametrize("stages", [None, 2])
def test_tiled_copies_of_the_operands_fill_and_empty_its_fragments(permutation, stages):
    matmul = copied_matmul_of(float_fma, ((4, 8, 1), (8, 1, 1)), permutation, (2, 1, 4), stages)
    result, expected = product_of(matmul, 32, 48, 32)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@flyc.kernel
def dot_of_one_thread(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
    sums = fx.make_rmem_tensor(1, fx.Float32)
    sums[0] = 0.0
    for i in range(fx.get_scalar(a.shape[0])):
        pair = [fx.make_rmem_tensor(1, fx.Float32) for _ in range(2)]
        for register, t in zip(pair, (a, b), strict=True):
            register[0] = t[i]
        fx.mma_atom_call(atom, sums, *pair, sums)
    c[0] = sums[0]


def test_one_atom_call_is_a_multiply_add():
    @flyc.jit
    def dot(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
        dot_of_one_thread(a, b, c).launch(grid=1, block=1)

    a, b = (np.random.default_rng(seed).standard_normal(77).astype(np.float32) for seed in (1, 2))
    c = np.zeros(1, np.float32)
    dot(a, b, c)
    np.testing.assert_allclose(c[0], a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4)


@flyc.kernel
def partition_shapes(c: fx.Tensor):
    atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
    tiled_mma = fx.make_tiled_mma(atom, fx.make_layout((4, 2, 1), (2, 1, 1)), (8, None, None))
    assert tiled_mma.tile_size_mnk == (8, 2, 1)
    assert tiled_mma.mma_atom.shape_mnk == (1, 1, 1)
    a = fx.tiled_mma_partition_shape(fx.MmaOperand.A, tiled_mma, (16, 6))
    part = fx.tiled_mma_partition(fx.MmaOperand.C, tiled_mma, c, fx.thread_idx.x)
    frag = fx.mma_make_fragment(fx.MmaOperand.C, tiled_mma, part)
    assert [int(fx.size(fx.get_(a, mode))) for mode in range(3)] == [1, 4, 6]
    assert [int(fx.size(fx.get_(frag.shape, mode))) for mode in range(3)] == [1, 4, 3]


def test_parts_have_the_shapes_that_the_tile_says():
    @flyc.jit
    def launch(c: fx.Tensor):
        partition_shapes(fx.make_view(fx.get_iter(c), fx.make_layout((16, 6), (6, 1)))).launch(grid=1, block=8)

    launch(np.zeros((16, 6), np.float32))
