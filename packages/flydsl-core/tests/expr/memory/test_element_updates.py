"""Atomic operations on elements of tensors and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx

UPDATES: dict[str, Callable[[int, int], int]] = {
    "atomic_add": lambda old, value: old + value,
    "atomic_sub": lambda old, value: old - value,
    "atomic_max": max,
    "atomic_min": min,
    "atomic_and": lambda old, value: old & value,
    "atomic_or": lambda old, value: old | value,
    "atomic_xor": lambda old, value: old ^ value,
    "atomic_xchg": lambda old, value: value,
}


@pytest.mark.parametrize("name", UPDATES)
def test_coordinates_are_those_of_the_layout(name: str, rng: np.random.Generator) -> None:
    function = getattr(fx, name)

    @flyc.kernel
    def run(y: fx.Tensor, z: fx.Tensor, old: fx.Tensor):
        i = fx.thread_idx.x
        old[i] = function(y, (i, 1), 6)
        function(z, i, 5)

    y, z = (rng.integers(-99, 99, shape).astype(np.int32) for shape in ((8, 6), (8,)))
    expected_y, expected_z, old = y.copy(), z.copy(), np.zeros(4, np.int32)
    before = y[::2, 2].copy()
    expected_y[::2, 2] = [UPDATES[name](int(one), 6) for one in y[::2, 2]]
    expected_z[::2] = [UPDATES[name](int(one), 5) for one in z[::2]]
    launch(run, y[::2, ::2], z[::2], old, block=4)
    np.testing.assert_array_equal(y, expected_y)
    np.testing.assert_array_equal(z, expected_z)
    np.testing.assert_array_equal(old, before)


def test_slices_arrays_and_floats_have_elements() -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        counts = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 2]).peek()
        if i < 2:
            counts[i] = 0
        fx.barrier()
        fx.atomic_add(counts, i % 2, 1)
        fx.atomic_add(fx.slice(x, (None, 1)), (i % 2,), 0.5)
        fx.atomic_fmax(x, (0, 2), fx.Float32(i))
        fx.barrier()
        if i < 2:
            y[i] = counts[i]

    x, y = np.zeros((2, 3), np.float32), np.zeros(2, np.int32)
    launch(run, x, y, block=8)
    assert x.tolist() == [[0, 2, 7], [0, 2, 0]]
    assert y.tolist() == [4, 4]


def test_an_expected_element_is_exchanged() -> None:
    @flyc.kernel
    def run(y: fx.Tensor, old: fx.Tensor):
        old[0] = fx.atomic_cas(y, (1,), 7, 9)
        old[1] = fx.atomic_cas(y, 0, 7, 9)

    y, old = np.array([5, 0, 7, 0], np.int32), np.zeros(2, np.int32)
    launch(run, y[::2], old, block=1)
    assert (y.tolist(), old.tolist()) == ([5, 0, 9, 0], [7, 5])


def missing_coordinate(x: fx.Tensor) -> None:
    fx.atomic_add(x, 1)


def coordinate_of_a_pointer(x: fx.Tensor) -> None:
    fx.atomic_add(fx.get_iter(x), 0, 1)


def several_elements(x: fx.Tensor) -> None:
    fx.atomic_add(x, (None,), 1)


def outside(x: fx.Tensor) -> None:
    fx.atomic_add(fx.make_rmem_tensor(4, fx.Int32), 4, 1)


def coordinates(x: fx.Tensor) -> None:
    fx.atomic_add(fx.make_view(fx.make_coord(0), fx.make_layout(4, 1)), 1, 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (missing_coordinate, "needs a pointer"),
        (coordinate_of_a_pointer, r"takes \(tensor, coordinate, value\) or \(pointer, value\)"),
        (several_elements, "updates one element"),
        (outside, "index 4 of coordinate 4 is outside the shape 4"),
        (coordinates, "holds coordinates, which are computed"),
    ],
)
def test_wrong_forms_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        launch(flyc.kernel(wrong), np.zeros(4, np.int32), block=1)
