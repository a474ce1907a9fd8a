"""Single operations by MLIR's names: what they emit. Results are compared in integration-tests/kernels."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.operations import BINARY, CONVERSIONS, lookup


def test_each_name_emits_the_operation_of_that_name(emitted) -> None:
    def use(i, x):
        for name, kind in BINARY.items():
            operand = x if kind == "floats" else i
            lookup(name)(operand, operand)

    assert emitted(use, fx.Int32, fx.Float32).names == [f"arith.{name}" for name in BINARY]


def test_results_have_the_sign_that_the_operation_takes(emitted) -> None:
    def use(i, u):
        return [lookup("minui")(i, i), lookup("minsi")(u, u), lookup("addi")(u, u), lookup("addi")(i, 3)]

    found = emitted(use, fx.Int32, fx.Uint32).result
    assert [value.dtype for value in found] == [fx.Uint32, fx.Int32, fx.Uint32, fx.Int32]


def test_names_that_do_not_exist_are_no_attributes() -> None:
    assert callable(lookup("extsi"))
    assert "extsi" in CONVERSIONS
    for name in ("nothing", "NothingOp", "_private"):
        with pytest.raises(AttributeError):
            lookup(name)
    with pytest.raises(FrontendError, match="unwrap takes scalars and vectors, found 'x'"):
        lookup("unwrap")("x")
