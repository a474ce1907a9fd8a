"""Placeholders describe themselves as the tensors they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.adaptors.abstract import AbstractTensor
from flydsl.adaptors.dtypes import DTYPES
from flydsl.adaptors.resolve import adaptor_for
from flydsl.base.errors import ShapeError

F32 = DTYPES["float32"]


@given(st.lists(st.integers(0, 5), max_size=4))
def test_a_placeholder_looks_like_the_array_it_stands_for(shape: list[int]):
    array = np.zeros(shape, np.float32)
    found, expected = AbstractTensor(tuple(shape), F32).describe(), adaptor_for(np.ndarray).describe(array)
    assert found._replace(pointer=0, device=expected.device) == expected._replace(pointer=0, strides=found.strides)
    if array.size:
        assert found.strides == expected.strides


def test_open_extents_count_as_one():
    assert AbstractTensor((None, 3), F32).describe().shape == (1, 3)
    assert AbstractTensor((None, 3), F32).describe().strides == (3, 1)


@pytest.mark.parametrize("shape", [(-1,), (2.0,), ("n",), (True,)])
def test_extents_are_numbers(shape):
    with pytest.raises(ShapeError, match="extents are numbers from 0"):
        AbstractTensor(shape, F32)


@pytest.mark.parametrize(("shape", "strides"), [((2, 3), (1,)), ((None, 3), (3, 1))])
def test_strides_fit_the_shape(shape, strides):
    with pytest.raises(ShapeError, match="do not fit the shape"):
        AbstractTensor(shape, F32, strides)


def test_its_adaptor_is_found_and_tells_equal_ones_alike():
    adaptor = adaptor_for(AbstractTensor)
    assert adaptor.signature(AbstractTensor((2,), F32)) == adaptor.signature(AbstractTensor((2,), F32))
    assert adaptor.signature(AbstractTensor((2,), F32)) != adaptor.signature(AbstractTensor((3,), F32))


def test_equal_placeholders_are_one_key():
    one, same, other = AbstractTensor((2, None), F32), AbstractTensor((2, None), F32), AbstractTensor((2, 3), F32)
    assert (one == same, hash(one) == hash(same), repr(one) == repr(same)) == (True, True, True)
    assert (one == other, one == "text", repr(one) == repr(other)) == (False, False, False)
