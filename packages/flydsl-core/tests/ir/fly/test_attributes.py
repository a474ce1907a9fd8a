"""Enumerations of the dialect as attributes, and builtin attributes as Python values."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser

from flydsl.base.errors import FrontendError
from flydsl.ir.context import create_context
from flydsl.ir.fly import attributes as fly


def parsed(text: str) -> Attribute:
    return Parser(create_context(), text).parse_attribute()


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("#fly<address_space shared>", fly.SHARED),
        ("#fly<mma_operand a>", fly.MmaOperandAttr(fly.MmaOperand.A)),
        ("#fly<atomic_op max>", fly.AtomicOpAttr(fly.AtomicOp.MAX)),
        ("#fly<cache_policy cache_always>", fly.CachePolicyAttr(fly.CachePolicy.CACHE_ALWAYS)),
        ("#fly<gemm_traversal_order nmk>", fly.GemmTraversalOrderAttr(fly.GemmTraversalOrder.NMK)),
        ("#fly.explicit_module", fly.ExplicitModuleAttr()),
    ],
)
def test_each_enumeration_has_one_text(text: str, attribute: Attribute) -> None:
    assert parsed(text) == attribute
    assert str(attribute) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 : i32", 7),
        ("-7 : i64", -7),
        ("true", -1),
        ("1.5 : f32", 1.5),
        ('"text"', "text"),
        ("unit", True),
        ("array<i32: 3, -4>", (3, -4)),
        ('[1 : i32, "a", [2.5 : f64]]', (1, "a", (2.5,))),
        ("#fly<mma_operand b>", fly.MmaOperand.B),
        ("#fly<gemm_traversal_order kmn_serpentine>", fly.GemmTraversalOrder.KMN_SERPENTINE),
    ],
)
def test_attributes_are_read_as_python_values(text: str, value: object) -> None:
    assert fly.as_python(parsed(text)) == value
    assert fly.decode({"key": parsed(text)}) == {"key": value}


def test_types_stay_types() -> None:
    type_ = parsed("!fly.layout<4:1>")
    assert fly.as_python(type_) is type_


@pytest.mark.parametrize("width", [32, 64])
def test_integers_and_arrays_are_written_as_they_are_read(width: int) -> None:
    assert str(fly.integer(-5, width)) == f"-5 : i{width}"
    assert fly.as_python(fly.integer_array(1, 2, 3)) == (1, 2, 3)


@pytest.mark.parametrize(
    ("space", "attribute"),
    [
        ("Global", fly.GLOBAL),
        ("shared", fly.SHARED),
        (0, fly.GENERIC),
        (3, fly.REGISTER),
        (fly.AddressSpace.SHARED, fly.SHARED),
    ],
)
def test_an_address_space_is_named_or_numbered(space: object, attribute: Attribute) -> None:
    assert fly.space_attribute(space) == attribute


def test_a_space_of_a_target_stays() -> None:
    space = StringAttr("a target's own")
    assert fly.space_attribute(space) is space


@pytest.mark.parametrize("space", ["constant", 4, -1])
def test_other_spaces_are_refused_with_those_that_exist(space: object) -> None:
    known = "known: fx.AddressSpace.Generic, fx.AddressSpace.Global, fx.AddressSpace.Shared, fx.AddressSpace.Register"
    with pytest.raises(FrontendError, match=f"{space!r} is no address space; {known}, and those of the target"):
        fly.space_attribute(space)
