"""Tensors with a layout of their own: what is static, what is marked dynamic, and promises that do not hold."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
from flydsl.base.errors import ShapeError, UnsupportedTensorError
from flydsl.compiler.call.tensor_argument import check_writable


def marked(shape=(8, 64), **options):
    return flyc.from_dlpack(np.zeros(shape, np.float32), **options)


def test_the_layout_is_static_until_it_is_marked():
    assert str(marked().layout) == "(8,64):(64,1)"
    assert str(marked(use_32bit_stride=True).mark_layout_dynamic(divisibility=4).layout) == "(?,?{div=4}):(?{div=4},1)"
    assert str(marked().mark_shape_dynamic(0).layout) == "(?,64):(64,1)"
    assert str(marked().mark_stride_dynamic([0], 8).layout) == "(8,64):(?{i64 div=8},1)"


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (lambda x: x.mark_shape_dynamic(5), "mode 5 does not exist in a tensor of rank 2"),
        (lambda x: x.mark_shape_dynamic([0, -2]), "name mode 0 twice"),
        (lambda x: x.mark_shape_dynamic(0, 3), "extent 8 of mode 0 is not a multiple of divisibility 3"),
        (lambda x: x.mark_stride_dynamic("x"), "dims are mode numbers, found 'x'"),
        (lambda x: x.mark_layout_dynamic(0), "leading_dim 0 has stride 64, and the leading mode has stride 1"),
        (lambda x: x.mark_layout_dynamic(divisibility=0), "divisibility is a positive integer, found 0"),
    ],
)
def test_a_mark_that_does_not_hold_changes_nothing_and_shows_the_line(mark, message):
    x = marked()
    with pytest.raises(ShapeError, match=message) as error:
        mark(x)
    assert str(x.layout) == "(8,64):(64,1)"
    assert error.value.location is not None
    assert error.value.location.file == __file__


def test_an_alignment_is_a_multiple_of_the_element():
    with pytest.raises(ShapeError, match="assumed_align is a multiple of the 4 bytes of an element, found 2"):
        marked(assumed_align=2)


def test_what_cannot_be_written_is_refused():
    x = np.zeros(4, np.float32)
    check_writable(flyc.from_dlpack(x).describe(), "f")
    with pytest.raises(UnsupportedTensorError, match="has stride 0 in mode 0 .* and f writes to it; pass a copy"):
        check_writable(flyc.from_dlpack(np.lib.stride_tricks.as_strided(x, (4,), (0,), writeable=True)).describe(), "f")
    x.flags.writeable = False
    with pytest.raises(UnsupportedTensorError, match="the tensor is read-only, and f writes to it; pass a copy"):
        check_writable(flyc.from_dlpack(x).describe(), "f")
