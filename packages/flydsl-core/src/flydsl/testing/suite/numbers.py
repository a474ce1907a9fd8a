"""Arithmetic on a device: operations, conversions and functions of numbers, compared with exact results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.testing.capabilities import Capability, requires
from flydsl.testing.suite import conversion_tables, math_tables
from flydsl.testing.suite.number_tables import (
    FLOATS,
    Row,
    expected,
    float_operands,
    integer_operands,
    integers,
    padded,
    table_of,
)
from flydsl.testing.suite.suite import Suite

Array = np.ndarray[Any, Any]
_DEVICE = (Capability.DEVICE, Capability.EXECUTION)
_INTEGERS = ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64")
_SLACK = 1e-3
"""Of bounds of errors: the references are doubles."""


class NumberSuite(Suite):
    """What each operation gives, for the numbers at which mistakes show."""

    level = 2

    @requires(*_DEVICE)
    @pytest.mark.parametrize("element", _INTEGERS)
    def test_integers_wrap_compare_divide_and_shift(self, element: str) -> None:
        self._check_table(integers(np.iinfo(element).bits), integer_operands(element))

    @requires(*_DEVICE)
    @pytest.mark.parametrize("element", ["float16", "float32"])
    def test_floats_are_rounded_once_and_special_ones_are_kept(self, element: str) -> None:
        self._check_table(FLOATS, float_operands(element))

    @requires(*_DEVICE, Capability.FLOAT64)
    def test_doubles_are_rounded_once_and_special_ones_are_kept(self) -> None:
        self._check_table(FLOATS, float_operands("float64"))

    def _check_table(self, rows: tuple[Row, ...], operands: Array) -> None:
        operands = padded(operands)
        wanted = expected(rows, operands)
        results = self.bench.array(np.zeros_like(wanted))
        self.bench.function(table_of(rows))(self.bench.array(operands), results)
        self.bench.device.sync()
        for row, found, right in zip(rows, results.numpy(), wanted, strict=True):
            check_numbers(row.name, found, right, operands, either_zero=row.either_zero)

    @requires(*_DEVICE)
    def test_numbers_of_each_type_become_those_of_each(self) -> None:
        sources = {source: conversion_tables.operands(source) for source in conversion_tables.SOURCES}
        ints, reals = (self.bench.array(results) for results in conversion_tables.results())
        whole = np.stack([conversion_tables.is_whole(source) for source in sources]).astype(np.int32)
        convert = self.bench.function(conversion_tables.convert)
        convert(*map(self.bench.array, sources.values()), ints, reals, self.bench.array(whole))
        self.bench.device.sync()
        names = (*conversion_tables.INTEGERS, *conversion_tables.FLOATS)
        for source, found_ints, found_reals in zip(sources, ints.numpy(), reals.numpy(), strict=True):
            right = (*conversion_tables.expected_integers(source), *conversion_tables.expected_floats(source))
            for name, result, wanted in zip(names, (*found_ints, *found_reals), right, strict=True):
                check_numbers(f"{source} to {name}", result, wanted, sources[source][None])

    @requires(*_DEVICE)
    def test_functions_of_floats_are_within_their_bounds(self) -> None:
        x = padded(math_tables.arguments())
        y = self.bench.array(np.zeros((len(math_tables.BOUNDS) + len(math_tables.BINARY) + 1, x.shape[1]), np.float32))
        self.bench.function(_functions)(self.bench.array(x), y)
        self.bench.device.sync()
        *found, fused = y.numpy()
        pairs = [(name, bound, [x[row]]) for row, (name, bound) in enumerate(math_tables.BOUNDS.items())]
        pairs += [(name, bound, [x[0], x[-1]]) for name, bound in math_tables.BINARY.items()]
        for (name, bound, operands), result in zip(pairs, found, strict=True):
            errors = math_tables.errors(name, result, *operands)
            worst = int(errors.argmax())
            text = f"{name}{tuple(operand[worst] for operand in operands)} is {result[worst]!r}"
            assert errors[worst] <= bound + _SLACK, (
                f"{text}: {errors[worst]:.2f} units in the last place, at most {bound}"
            )
        with np.errstate(all="ignore"):
            exact = x[1].astype(np.longdouble) * x[1] - 1
            check_numbers("fma(a, a, -1)", fused, exact.astype(np.float32), x[1:2])


@flyc.kernel
def _functions_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    row = 0
    for name in math_tables.BOUNDS:
        y[row, i] = getattr(fx.math, name)(x[row, i])
        row += 1
    for name in math_tables.BINARY:
        y[row, i] = getattr(fx.math, name)(x[0, i], x[len(math_tables.BOUNDS), i])
        row += 1
    y[row, i] = fx.math.fma(x[1, i], x[1, i], fx.Float32(-1.0))


@flyc.jit
def _functions(x: fx.Tensor, y: fx.Tensor) -> None:
    """Row by row of `math_tables.arguments()`: each function of one number, those of two, and a * a - 1."""
    _functions_kernel(x, y).launch(grid=fx.get_scalar(x.shape[1]) // 32, block=32)


def check_numbers(what: str, found: Array, right: Array, operands: Array, *, either_zero: bool = False) -> None:
    """AssertionError, with the operands, where a result is another number, or a zero of the other sign.

    Of operands that are all zeros the result may have either sign with `either_zero`.
    """
    same = found == right
    if right.dtype.kind == "f":
        zeros = (operands == 0).all(axis=0) if either_zero else np.zeros(len(right), bool)
        same &= (np.signbit(found) == np.signbit(right)) | zeros
        same |= np.isnan(found) & np.isnan(right)
    wrong = np.flatnonzero(~same)
    if wrong.size:
        at = int(wrong[0])
        given = ", ".join(str(value) for value in operands[:, at])
        text = f"{what} of ({given}) is {found[at]!r}, not {right[at]!r}"
        raise AssertionError(f"{text}, and {wrong.size - 1} more are wrong" if wrong.size > 1 else text)
