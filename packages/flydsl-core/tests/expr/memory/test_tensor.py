"""Tensors: elements, parts, whole loads and stores, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def run(body, *arrays):
    """Run a body for two tensors whose shapes are known while tracing."""
    shapes = [array.shape for array in arrays]

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        row_major = [fx.make_ordered_layout(shape, tuple(reversed(range(len(shape))))) for shape in shapes]
        body(*(fx.make_view(fx.get_iter(t), layout) for t, layout in zip((x, y), row_major, strict=True)))

    launch(kernel, *arrays, block=1)


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def test_elements_are_read_and_written_by_coordinate():
    def body(x, y):
        for i in fx.range_constexpr(3):
            for j in fx.range_constexpr(5):
                y[j, i] = x[i, j] + 1.0

    x, y = random(3, 5), np.zeros((5, 3), np.float32)
    run(body, x, y)
    np.testing.assert_array_equal(y, x.T + np.float32(1))


def test_a_free_mode_is_a_tensor_of_the_rest():
    def body(x, y):
        row = x[1, None]
        y[None, 0].store(row.load() * 2.0)

    x, y = random(3, 4), np.zeros((4, 2), np.float32)
    run(body, x, y)
    np.testing.assert_array_equal(y[:, 0], x[1] * 2)
    assert (y[:, 1] == 0).all()


def test_registers_like_a_tensor_hold_its_elements():
    def body(x, y):
        registers = fx.make_fragment_like(x)
        registers.store(x.load())
        registers.fill(2.0)
        registers[1] = 5.0
        y.store(registers.load())

    y = np.zeros(4, np.float32)
    run(body, random(4), y)
    assert y.tolist() == [2, 5, 2, 2]


def test_a_view_gives_memory_another_layout():
    def body(x, y):
        view = fx.make_view(fx.get_iter(x), fx.make_layout((3, 2), (1, 3)))
        y[0] = view[2, 1]

    x, y = random(6), np.zeros(1, np.float32)
    run(body, x, y)
    assert y[0] == x[5]


def test_properties_of_a_tensor():
    seen = []

    def body(x, y):
        seen.append((x.dtype, fx.rank(x.layout), x.has_storage, x.leading_dim))

    run(body, random(3, 5), random(1))
    assert seen == [(fx.Float32, 2, True, 1)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda x, y: x[7, 0], "7"),
        (lambda x, y: x[0, 0, 0], "mode|coordinate|rank"),
        (lambda x, y: bool(x), "truth|bool|condition"),
        (lambda x, y: list(x), "iterate"),
        (lambda x, y: x + y, "load"),
    ],
)
def test_what_a_tensor_is_not(body, message):
    with pytest.raises((FrontendError, ValueError, TypeError), match=message):
        run(body, np.zeros((3, 5), np.float32), np.zeros(1, np.float32))
