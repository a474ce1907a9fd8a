"""Constructors of static values."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser

from flydsl.ir.context import create_context
from flydsl.passes.normal_form import is_built, static_value


@pytest.mark.parametrize(
    ("text", "built"),
    [
        ("!fly.int_tuple<(4,(2,8))>", True),
        ("!fly.layout<(4,8):(1,4)>", True),
        ("!fly.composed_layout<128:2 o 5 o [S<1,0,3> o 0 o 8:1]>", True),
        ("!fly.composed_layout<CS<1,0,[0],1,[1]> o (0,0) o (8,8):(1E0,1E1)>", True),
        ("!fly.coord_tensor<3, 8:2>", True),
        ("!fly.tile<[4|4]>", False),
        ("!fly.swizzle<S<1,0,3>>", False),
    ],
)
def test_the_value_of_a_static_type_is_made_of_verified_operations(text: str, built: bool) -> None:
    type_ = Parser(create_context(), text).parse_type()
    made: list[Operation] = []

    def make(op_class: type[Operation], operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
        made.append(op_class.create(operands=operands, result_types=[result]))
        return made[-1].results[0]

    value = static_value(type_, make)
    assert value.type == type_
    assert is_built(type_) is built
    ModuleOp(made).verify()
