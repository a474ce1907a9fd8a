"""Numbers of a program that their type cannot hold, and those that it can."""

from __future__ import annotations

import math
import warnings

import pytest

import flydsl.expr as fx
from flydsl.base.errors import OutOfRangeWarning

OUTSIDE = [
    (fx.Int8, 300, 44),
    (fx.Int8, -129, 127),
    (fx.Uint8, 256, 0),
    (fx.Uint32, -1, 2**32 - 1),
    (fx.Int32, 1 << 40, 0),
    (fx.Int64, 1 << 63, -(1 << 63)),
    (fx.Int8, 300.7, 44),
    (fx.Float16, 70000.0, math.inf),
    (fx.Float32, -1e39, -math.inf),
    (fx.Float16, 70000, math.inf),
    (fx.Float8E5M2, 1e6, math.inf),
    (fx.Float4E2M1FN, 7.5, 6.0),
]
INSIDE = [
    *((fx.Int8, value) for value in (-128, 127, True, 1.9)),
    *((fx.Uint64, value) for value in (0, 2**64 - 1)),
    *((fx.Float16, value) for value in (65504.0, 65519.0, math.inf, math.nan, 0.1, 1e-30)),
    *((fx.Float4E2M1FN, value) for value in (6.0, -6.5, math.inf)),
    *((fx.Boolean, value) for value in (2, 0.5)),
]


@pytest.mark.parametrize(("dtype", "value", "result"), OUTSIDE)
def test_what_a_type_cannot_hold_warns_at_the_line_of_the_program(dtype, value, result):
    with pytest.warns(OutOfRangeWarning, match=r"does not fit in \w+, and counts as .*; use a ") as seen:
        assert dtype(value).value == result
    assert seen[0].filename == __file__


@pytest.mark.parametrize(("dtype", "value"), INSIDE)
def test_what_a_type_holds_or_rounds_does_not(dtype, value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dtype(value)
        fx.Int8(fx.Int32(300))  # bits of a typed number are asked for


def test_a_warning_that_is_an_error_points_to_the_line():
    with warnings.catch_warnings():
        warnings.simplefilter("error", OutOfRangeWarning)
        with pytest.raises(OutOfRangeWarning):
            fx.Int8(300)


def test_what_is_stored_and_filled_warns(emitted):
    def run(x):
        registers = fx.make_rmem_tensor(2, fx.Int8)
        registers[0] = 300
        registers.fill(fx.Int32(400))
        fx.full(2, 500, fx.Int8)
        fx.Vector.from_elements([600, 1], fx.Int8)
        return x

    with pytest.warns(OutOfRangeWarning) as seen:
        emitted(run, fx.Int32)
    assert [str(warning.message).split()[0] for warning in seen] == ["300", "400", "500", "600"]
