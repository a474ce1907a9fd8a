"""Arguments that a function cannot take are refused by name, with what was found and what to do."""

from __future__ import annotations

import numpy as np
import pytest
from support.kernels import add_by_fours, add_by_ones, scale

import flydsl.compiler as flyc
from flydsl.base.errors import (
    ArgumentError,
    ShapeError,
    UnsupportedTensorError,
)


def floats(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def test_a_tensor_of_an_unsupported_dtype_names_the_argument():
    complex_tensor = np.zeros((8, 64), np.complex64)
    with pytest.raises(UnsupportedTensorError, match="argument 'b'"):
        add_by_fours(floats(8, 64), complex_tensor, floats(8, 64))


def test_an_object_that_is_no_tensor_names_the_argument_and_its_type():
    with pytest.raises(ArgumentError, match="argument 'a'.*str"):
        add_by_fours("floats", floats(8, 64), floats(8, 64))


def test_a_read_only_output_is_refused_and_a_read_only_input_is_taken():
    frozen = floats(8, 64)
    frozen.flags.writeable = False
    add_by_fours(frozen, floats(8, 64), floats(8, 64))
    with pytest.raises(UnsupportedTensorError, match="argument 'c': the tensor is read-only"):
        add_by_fours(floats(8, 64), floats(8, 64), frozen)


def test_missing_and_surplus_arguments_are_reported_by_name():
    with pytest.raises(ArgumentError, match="missing a required argument: 'c'"):
        add_by_fours(floats(8, 64), floats(8, 64))
    with pytest.raises(ArgumentError, match="too many positional"):
        add_by_ones(floats(1, 1), floats(1, 1), floats(1, 1), 1, 2)


def test_numbers_that_do_not_fit_their_type_are_refused():
    with pytest.raises(ArgumentError, match="argument 'n'.*does not fit in Int32"):
        scale(floats(4), floats(4), 1.0, 1 << 40)
    with pytest.raises(ArgumentError, match=r"argument 'n'.*takes an integer, found 2\.5"):
        scale(floats(4), floats(4), 1.0, 2.5)


class Changing:
    """A tensor that may be another one the next time it is asked."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_a_shape_that_breaks_a_declared_divisibility_is_refused():
    good = flyc.from_dlpack(floats(8, 64)).mark_layout_dynamic(divisibility=4)
    changing = Changing(floats(8, 64))
    bad = flyc.from_dlpack(changing).mark_layout_dynamic(divisibility=4)
    changing.array = floats(8, 63)
    with pytest.raises(ShapeError, match="argument 'b'.*not a multiple of 4"):
        add_by_fours(good, bad, good)


def test_a_tensor_reshaped_behind_its_static_layout_is_refused():
    changing = Changing(floats(8, 64))
    argument = flyc.from_dlpack(changing)
    add_by_fours(argument, argument, argument)
    changing.array = floats(64, 8)
    with pytest.raises(ShapeError, match="breaks the static layout"):
        add_by_fours(argument, argument, argument)


def test_a_misaligned_promise_is_refused():
    storage = floats(1028)
    one = flyc.from_dlpack(storage[1:1025].reshape(16, 64), assumed_align=16)
    other = flyc.from_dlpack(storage[2:1026].reshape(16, 64), assumed_align=16)
    with pytest.raises(UnsupportedTensorError, match="not a multiple of 16"):
        add_by_fours(one, other, other)


@pytest.mark.parametrize("mode", [0, 1])
def test_an_expanded_output_is_refused_and_an_expanded_input_is_taken(mode):
    strides = (0, 4) if mode == 0 else (256, 0)
    expanded = np.lib.stride_tricks.as_strided(floats(8, 64) + 2, (8, 64), strides)
    out = floats(8, 64)
    add_by_ones(expanded, expanded, out)
    np.testing.assert_array_equal(out, 4.0)
    with pytest.raises(UnsupportedTensorError, match=rf"argument 'c': the tensor has stride 0 in mode {mode}"):
        add_by_ones(out, out, expanded)
