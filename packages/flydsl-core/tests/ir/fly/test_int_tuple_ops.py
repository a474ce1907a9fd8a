"""Operations on integer tuples: operands by name, result types, and what the verifier refuses."""

from __future__ import annotations

import pytest
from verified_op import verified
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.effects import is_pure
from flydsl.ir.fly import int_tuple_ops


@pytest.mark.parametrize("name", ["make_int_tuple", "make_shape", "make_stride", "make_coord"])
def test_leaves_are_the_dynamic_parts_in_order(name: str) -> None:
    op = verified(f"%r = fly.{name}(%0, %1) : (i32, i64) -> !fly.int_tuple<(4,(?,?{{i64}}))>", "i32", "i64")
    assert list(op.leaves) == list(op.operands)
    assert is_pure(op)
    with pytest.raises(VerifyException, match=r"leaves of .* take 1 operands, i32 or i64, found \(i32, i64\)"):
        verified(f"%r = fly.{name}(%0, %1) : (i32, i64) -> !fly.int_tuple<(4,?)>", "i32", "i64")
    with pytest.raises(VerifyException, match=f"fly.{name} makes an int_tuple, found i32"):
        verified(f"%r = fly.{name}(%0) : (i32) -> i32", "i32")


def test_static_values_are_of_static_types() -> None:
    assert is_pure(verified("%r = fly.static : !fly.layout<(4,8):(8,1)>"))
    with pytest.raises(VerifyException, match=r"fly.static makes values of static types, found !fly.layout<\?:1>"):
        verified("%r = fly.static : !fly.layout<?:1>")


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "result"),
    [
        ("int_tuple_add", "(9,2)", "(4,5)", "(13,7)"),
        ("int_tuple_sub", "(9,2)", "(4,5)", "(5,-3)"),
        ("int_tuple_mul", "(9,2)", "(4,5)", "(36,10)"),
        ("int_tuple_div", "(9,-7)", "(4,2)", "(2,-3)"),
        ("int_tuple_mod", "(9,7)", "(4,2)", "(1,1)"),
        ("ceil_div", "(9,8)", "(4,2)", "(3,4)"),
        ("shape_div", "(8,6)", "16", "(1,3)"),
        ("int_tuple_product_like", "((2,3),4)", "(1,1)", "(6,4)"),
    ],
)
def test_the_result_of_static_operands_is_its_type(name: str, lhs: str, rhs: str, result: str) -> None:
    operands = [f"!fly.int_tuple<{value}>" for value in (lhs, rhs)]
    text = f"%r = fly.{name}(%0, %1) : ({', '.join(operands)}) -> !fly.int_tuple<{{}}>"
    op = verified(text.format(result), *operands)
    assert op.operands[0] is op.lhs
    with pytest.raises(VerifyException, match=f"fly.{name} gives "):
        verified(text.format("77"), *operands)


def test_only_dynamic_leaves_on_request() -> None:
    tuple_type = "!fly.int_tuple<(4,?)>"
    every = verified(f"%r:2 = fly.get_leaves(%0) : ({tuple_type}) -> (i32, i32)", tuple_type)
    dynamic = verified(f"%r = fly.get_leaves(%0) {{dynamicOnly = 1 : i32}} : ({tuple_type}) -> i32", tuple_type)
    assert (every.dynamic_only, dynamic.dynamic_only) == (None, 1)
    assert (len(every.results), len(dynamic.results)) == (2, 1)


def test_all_of_them_are_of_the_dialect() -> None:
    names = {getattr(int_tuple_ops, name).name for name in int_tuple_ops.__all__}
    assert len(names) == len(int_tuple_ops.__all__)
    assert all(name.startswith("fly.") for name in names)
