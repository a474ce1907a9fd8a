"""Errors of a pass, with the operation and its line."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from flydsl.base.errors import FlyDSLError, IRError, LayoutError
from flydsl.base.location import Location
from flydsl.ir.build import Builder
from flydsl.passes.located import located, with_location

LINE, OTHER = Location("kernel.py", 7, 3), Location("other.py", 1, 1)


@pytest.fixture
def op() -> Operation:
    block = Block(arg_types=[i32, i32])
    builder = Builder(block)
    builder.location = LINE
    return builder.create(arith.AddiOp, block.args, [i32])


@pytest.mark.parametrize(
    "error", [LayoutError("compose", (), "no such mode"), IRError("no such mode"), VerifyException("no such mode")]
)
def test_an_error_names_the_operation_and_its_line(op: Operation, error: Exception) -> None:
    with pytest.raises(IRError, match=r"^arith.addi: .*no such mode") as caught, located(op):
        raise error
    assert caught.value.location == LINE
    assert caught.value.__cause__ is error


def test_an_operation_that_is_named_already_is_not_named_twice(op: Operation) -> None:
    assert str(with_location(IRError("arith.addi fails"), op)).startswith("arith.addi fails")


def test_a_line_that_the_error_has_stays(op: Operation) -> None:
    error = IRError("fails")
    error.location = OTHER
    assert with_location(error, op).location == OTHER


def test_other_errors_pass_through(op: Operation) -> None:
    class Unrelated(FlyDSLError):
        pass

    with pytest.raises(Unrelated), located(op):
        raise Unrelated("x")
