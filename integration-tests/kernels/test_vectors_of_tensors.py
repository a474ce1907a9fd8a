"""Vectors that tensors give: their shapes, coordinates, reductions, and how they meet other vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

SHAPE = ((2, 3), 4)


@flyc.kernel
def nested_kernel(x: fx.Tensor, y: fx.Tensor, sums: fx.Tensor):
    tensor = fx.make_view(fx.get_iter(x), fx.make_layout(SHAPE, ((1, 2), 6)))
    out = fx.make_view(fx.get_iter(y), fx.make_layout(SHAPE, ((12, 4), 1)))
    vector = tensor.load()
    assert vector.shape == tensor.shape.unpack() == SHAPE
    assert (vector * 2.0).shape == vector.to(fx.Float16).shape == (vector > 0).shape == SHAPE
    assert (len(vector), vector.numel, vector[(1, 2), 3].dtype) == (24, 24, fx.Float32)
    zeros, full = fx.zeros_like(vector), fx.full(vector.shape, 1.0, fx.Float32)
    assert zeros.shape == full.shape == SHAPE
    result = vector + zeros * full
    if x[0] > 100.0:  # on a path that is not taken
        result = result * 0.0
    assert result.shape == SHAPE
    out.store((result > -100.0).select(result, full))
    kept = vector.reduce("add", reduction_profile=(None, 1))
    assert kept.shape == ((2, 3),)
    for k in fx.range_constexpr(6):
        sums[k] = kept[k]
    sums[6], sums[7] = vector.reduce("add"), vector[(1, 0), 2]
    sums[8], sums[9] = vector[(1, 0), -1], vector[23]


@flyc.jit
def nested(x: fx.Tensor, y: fx.Tensor, sums: fx.Tensor):
    nested_kernel(x, y, sums).launch(grid=1, block=1)


def test_a_vector_has_the_shape_of_its_tensor(rng: np.random.Generator) -> None:
    x = rng.standard_normal(24).astype(np.float32)
    y, sums = np.zeros_like(x), np.zeros(10, np.float32)
    nested(x, y, sums)
    at = x.reshape((2, 3, 4), order="F")
    np.testing.assert_array_equal(y.reshape(2, 3, 4), at)
    np.testing.assert_allclose(sums[:6], at.sum(2).reshape(-1, order="F"), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(sums[6], x.sum(), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(sums[7:], [at[1, 0, 2], at[1, 0, 3], x[23]])


@flyc.kernel
def mixed_kernel(x: fx.Tensor, y: fx.Tensor):
    tensor = fx.make_view(fx.get_iter(x), fx.make_layout((2, 3), (3, 1)))
    out = fx.make_view(fx.get_iter(y), fx.make_layout((2, 3), (3, 1)))
    rows = fx.Vector.from_elements([10.0, 20.0, 30.0, 40.0, 50.0, 60.0], fx.Float32).reshape((2, 3))
    assert rows[1, 0].dtype is fx.Float32
    out.store(tensor.load() + rows)  # by coordinates, whatever the order of either
    fx.make_view(fx.get_iter(y) + 6, fx.make_layout((2, 3), (3, 1))).store(rows)
    column = fx.make_view(fx.get_iter(x), fx.make_layout((2, 1), (3, 1))).load()
    fx.make_view(fx.get_iter(y) + 12, fx.make_layout((2, 3), (3, 1))).store(column.broadcast_to((2, 3)))
    fx.make_view(fx.get_iter(y) + 18, fx.make_layout((2, 3), (3, 1))).store(fx.fma(tensor.load(), rows, rows))


@flyc.jit
def mixed(x: fx.Tensor, y: fx.Tensor):
    mixed_kernel(x, y).launch(grid=1, block=1)


def test_vectors_of_both_orders_meet_by_their_coordinates(rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 3)).astype(np.float32)
    y = np.zeros((4, 2, 3), np.float32)
    mixed(x, y)
    rows = np.arange(10, 70, 10, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(y[:3], [x + rows, rows, np.broadcast_to(x[:, :1], (2, 3))])
    np.testing.assert_allclose(y[3], x.astype(np.float64) * rows + rows, rtol=1e-5, atol=1e-5)


@flyc.kernel
def wrong_kernel(x: fx.Tensor, what: fx.Constexpr[str]):
    vector = fx.make_view(fx.get_iter(x), fx.make_layout(SHAPE, ((1, 2), 6))).load()
    if what == "coordinate":
        x[0] = vector[1, 2, 3]
    elif what == "range":
        x[0] = vector[(2, 0), 0]
    elif what == "shape":
        vector + fx.full((6, 3), 0.0, fx.Float32)
    elif what == "broadcast":
        vector.broadcast_to(((2, 3), 5))
    elif what == "reshape":
        vector.reshape(((2, 2), 4))


@flyc.jit
def wrong(x: fx.Tensor, what: fx.Constexpr[str]):
    wrong_kernel(x, what).launch(grid=1, block=1)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("coordinate", r"is no coordinate of the shape \(\(2, 3\), 4\)"),
        ("range", "index 2 is out of range"),
        ("shape", "needs vectors of one shape"),
        ("broadcast", "does not broadcast to"),
        ("reshape", "cannot take the shape"),
    ],
)
def test_what_does_not_fit_is_an_error(what: str, message: str) -> None:
    x: Any = np.zeros(24, np.float32)
    with pytest.raises((TypeError, ValueError), match=message):
        wrong(x, what)
