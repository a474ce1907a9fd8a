"""A pass as a backend writes it: a walk, a replacement, and an error that says where."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32

from flydsl.backend.rewriting import functions, insert_before, is_pure, operations, position, replace
from flydsl.backend.text import parse_module

MODULE = """
"builtin.module"() ({
  "func.func"() <{sym_name = "f", function_type = (i32) -> i32}> ({
  ^bb0(%a: i32):
    %b = "arith.muli"(%a, %a) : (i32, i32) -> i32
    %c = "arith.muli"(%b, %a) : (i32, i32) -> i32
    "func.return"(%c) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_operations_are_found_and_replaced() -> None:
    module = parse_module(MODULE)
    for op in list(operations(module, {"arith.muli"})):
        one = arith.ConstantOp(IntegerAttr(1, i32))
        insert_before(one, op)
        replace(op, one.results)
    assert [op.name for op in functions(module)] == ["func.func"]
    names = [op.name for op in operations(module)]
    assert names.count("arith.constant") == 2
    assert "arith.muli" not in names
    assert all(map(is_pure, operations(module, {"arith.constant"})))


def test_attributes_are_made_once() -> None:
    assert position(1, 2) is position(1, 2)
