"""Math without a library: what the door offers replaces functions by arithmetic."""

from __future__ import annotations

from flydsl.backend.math import FUNCTIONS, SCALAR_FUNCTIONS, ExpandMath, make_divisions_total
from flydsl.backend.rewriting import operations
from flydsl.backend.text import create_context, parse_module

MODULE = """
"builtin.module"() ({
  "func.func"() <{sym_name = "f", function_type = (f32, i32) -> f32}> ({
  ^bb0(%a: f32, %n: i32):
    %b = "math.tanh"(%a) : (f32) -> f32
    %q = "arith.divsi"(%n, %n) : (i32, i32) -> i32
    "func.return"(%b) : (f32) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_a_function_becomes_arithmetic_and_a_division_total() -> None:
    module = parse_module(MODULE)
    ExpandMath().apply(create_context(), module)
    make_divisions_total(module)
    names = [op.name for op in operations(module)]
    assert "math.tanh" not in names
    assert names.count("arith.select") >= 2


def test_functions_that_branch_are_told_apart() -> None:
    assert "math.tanh" in FUNCTIONS
    assert not set(SCALAR_FUNCTIONS) & set(FUNCTIONS)
