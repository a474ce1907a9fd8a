"""Elements of vectors at indices of run time."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def test_an_index_of_run_time_chooses_an_element(computed):
    def third(i, x):
        return fx.Vector.from_elements([x, x * 2, x * 3])[i]

    call = computed(third, fx.Int32, fx.Float32)
    assert [call(i, 1.5) for i in range(3)] == [1.5, 3.0, 4.5]


def test_indices_of_several_extents_count_in_row_major_order(computed):
    def at(i, x):
        return fx.Vector.from_elements([x + k for k in range(6)]).reshape((2, 3))[1, i]

    call = computed(at, fx.Int64, fx.Int32)
    assert [call(i, 10) for i in range(3)] == [13, 14, 15]


def test_an_index_is_an_integer(emitted):
    with pytest.raises(FrontendError, match="an element of a vector is at an integer"):
        emitted(lambda x: fx.Vector.from_elements([x, x])[x], fx.Float32)
