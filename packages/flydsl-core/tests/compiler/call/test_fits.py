"""Arguments made to fit: what is filled in, marked or bared, and what is left as it is."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
from flydsl.base.errors import ArgumentError, ShapeError
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.fits import Fits
from flydsl.compiler.call.tensor_argument import TensorArgument
from flydsl.frontend.signature import Parameter

PARAMETERS = [Parameter("x", "tensor"), Parameter("k", "constexpr"), Parameter("y", "tensor")]


def fits_of(x, k, y):
    return Fits.of(BoundCall.of(PARAMETERS, (x, k, y)), 3)


def array(*shape):
    return np.zeros(shape, np.float32)


def test_bare_tensors_are_marked_as_those_of_the_code():
    like = flyc.from_dlpack(array(4, 8), assumed_align=8).mark_shape_dynamic(0, divisibility=2)
    fits = fits_of(like, 3, array(2))
    marked, k, y = fits.fitted("f", (array(6, 5), 4, array(2)))
    assert isinstance(marked, TensorArgument)
    assert (str(marked.layout), marked.alignment, k, type(y)) == ("(?{div=2},5):(5,1)", 8, 4, np.ndarray)


def test_the_mould_keeps_its_marks():
    like = flyc.from_dlpack(array(4, 8))
    fits = fits_of(like, 3, array(2))
    like.mark_layout_dynamic()
    assert str(fits.fitted("f", (array(6, 5), 3, array(2)))[0].layout) == "(6,5):(5,1)"


def test_marked_tensors_are_bared():
    x, y = array(4), array(2)
    fits = fits_of(x, 3, y)
    assert fits.changes([type(x), int, TensorArgument])
    assert not fits.changes([type(x), int, type(y)])
    assert fits.fitted("f", (x, 3, flyc.from_dlpack(y)))[2] is y


def test_compile_time_values_are_filled_in():
    x, y = array(4), array(2)
    assert fits_of(x, 3, y).fitted("f", (x, y)) == (x, 3, y)
    with pytest.raises(
        ArgumentError, match=r"f was compiled for 3 arguments \(x, k, y\), found 1; pass as many, or leave out"
    ):
        fits_of(x, 3, y).fitted("f", (x,))


def test_defaults_of_the_compiled_call_are_filled_in():
    x, y = array(4), array(2)
    fits = Fits.of(BoundCall.of([*PARAMETERS, Parameter("s", "stream")], (x, 3, y, None)), 3)
    for given in ((x, 3, y), (x, y), (x, 3, y, None)):
        assert fits.fitted("f", given) == (x, 3, y, None)
    with pytest.raises(ArgumentError, match=r"f was compiled for 3 arguments \(x, k, y\), found 1"):
        fits.fitted("f", (x,))


def test_compile_time_values_tell_which_arguments_are_left_out_when_their_number_does_not():
    x = array(4)
    parameters = [Parameter("x", "tensor"), Parameter("k", "constexpr"), Parameter("s", "stream")]
    fits = Fits.of(BoundCall.of(parameters, (x, 3, None)), 2)
    assert fits.fitted("f", (x, 3)) == (x, 3, None)
    assert fits.fitted("f", (x, None)) == (x, 3, None)
    assert fits.fitted("f", (x, 3, None)) == (x, 3, None)


def test_errors_name_the_argument():
    with pytest.raises(ShapeError, match="argument 'x': a tensor of rank 1 is expected, found one of rank 2"):
        fits_of(flyc.from_dlpack(array(4)), 3, array(2)).fitted("f", (array(2, 2), 3, array(2)))
