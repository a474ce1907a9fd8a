"""Operations of the layout algebra: operands and attributes by name; all are pure and infer their results."""

from __future__ import annotations

import pytest
from verified_op import verified
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.effects import is_pure
from flydsl.ir.fly import layout_ops
from flydsl.ir.fly.infer import ALGEBRA
from flydsl.ir.fly.op import InferredOp
from flydsl.ir.fly.result_rules import RULES

OPERATIONS = [getattr(layout_ops, name) for name in layout_ops.__all__]
LAYOUT = "!fly.layout<(4,2,8):(1,4,8)>"


@pytest.mark.parametrize("op_class", OPERATIONS, ids=lambda op_class: op_class.name)
def test_each_has_one_rule_of_its_result(op_class: type[InferredOp]) -> None:
    assert issubclass(op_class, InferredOp)
    assert (op_class.name in ALGEBRA) + (op_class.name in RULES) == 1


@pytest.mark.parametrize(
    ("attributes", "name", "values", "result"),
    [
        ("{begin = 1 : i32, end = 3 : i32}", "take", {"begin": 1, "end": 3}, "(2,8):(4,8)"),
        ("{indices = array<i32: 2, 0>}", "select", {"indices": (2, 0)}, "(8,4):(8,1)"),
        ("{mode = array<i32: 1>}", "get", {"mode": (1,)}, "2:4"),
        ("{begin = 0 : i32, end = 2 : i32}", "group", {"begin": 0, "end": 2}, "((4,2),8):((1,4),8)"),
    ],
)
def test_attributes_are_python_values(attributes: str, name: str, values: dict[str, object], result: str) -> None:
    op = verified(f"%r = fly.{name}(%0) {attributes} : ({LAYOUT}) -> !fly.layout<{result}>", LAYOUT)
    assert {key: getattr(op, key) for key in values} == values
    assert op.input is op.operands[0]
    assert is_pure(op)


@pytest.mark.parametrize(("name", "result"), [("append", "(4,2,8,1):(1,4,8,0)"), ("prepend", "(1,4,2,8):(0,1,4,8)")])
def test_a_count_of_modes_is_printed_in_angles(name: str, result: str) -> None:
    element = "!fly.layout<1:0>"
    op = verified(f"%r = fly.{name}<4>(%0, %1) : ({LAYOUT}, {element}) -> !fly.layout<{result}>", LAYOUT, element)
    assert (op.n, op.input, op.element) == (4, *op.operands)
    assert f"fly.{name}<4>(" in str(op)
    bare = verified(f"%r = fly.{name}(%0, %1) : ({LAYOUT}, {element}) -> !fly.layout<{result}>", LAYOUT, element)
    assert bare.n is None


def test_optional_operands_may_be_absent() -> None:
    alone = verified(
        "%r = fly.coalesce(%0) : (!fly.layout<(4,2):(1,4)>) -> !fly.layout<8:1>", "!fly.layout<(4,2):(1,4)>"
    )
    assert alone.pattern is None
    types = ("!fly.layout<4:2>", "!fly.int_tuple<24>")
    both = verified(f"%r = fly.complement(%0, %1) : ({', '.join(types)}) -> !fly.layout<(2,3):(1,8)>", *types)
    assert (both.layout, both.codomain) == tuple(both.operands)


def test_missing_operands_and_wrong_results_are_refused() -> None:
    with pytest.raises(VerifyException, match=r"fly.composition takes \(outer, inner\), found 1 operands"):
        verified(f"%r = fly.composition(%0) : ({LAYOUT}) -> {LAYOUT}", LAYOUT)
    message = "fly.cosize gives !fly.int_tuple<64>, but its result is declared as !fly.int_tuple<63>"
    with pytest.raises(VerifyException, match=message):
        verified(f"%r = fly.cosize(%0) : ({LAYOUT}) -> !fly.int_tuple<63>", LAYOUT)
