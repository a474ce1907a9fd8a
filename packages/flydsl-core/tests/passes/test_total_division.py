"""Which divisions are guarded; their results are tested where they run, in flydsl-cpu."""

from __future__ import annotations

import pytest

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.total_division import make_divisions_total


def guarded(divisor: str, name: str = "divsi", type_: str = "i32") -> str:
    """A function that divides by a constant, or by its argument `%b`, after the guards."""
    constant = f'%c = "arith.constant"() <{{value = {divisor}}}> : () -> {type_}' if divisor != "%b" else ""
    module = parse_module(
        f"""
        "builtin.module"() ({{
          "func.func"() <{{sym_name = "f", function_type = ({type_}, {type_}) -> {type_}}}> ({{
          ^bb0(%a: {type_}, %b: {type_}):
            {constant}
            %q = "arith.{name}"(%a, {"%c" if constant else "%b"}) : ({type_}, {type_}) -> {type_}
            "func.return"(%q) : ({type_}) -> ()
          }}) : () -> ()
        }}) : () -> ()
        """,
        create_context(),
    )
    make_divisions_total(module)
    return emit_generic(module)


@pytest.mark.parametrize("type_", ["i1", "i8", "i32", "i64", "index", "vector<4xi32>", "vector<4xindex>"])
@pytest.mark.parametrize("name", ["divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"])
def test_an_unknown_divisor_is_replaced_where_it_will_not_do(name: str, type_: str) -> None:
    assert guarded("%b", name, type_).count('"arith.select"') == 2


@pytest.mark.parametrize(
    ("divisor", "name", "type_"),
    [
        ("7 : i32", "divsi", "i32"),
        ("-1 : i32", "divui", "i32"),
        ("-8 : i32", "remsi", "i32"),
        ("3 : index", "floordivsi", "index"),
        ("dense<[1, 2]> : vector<2xi32>", "divsi", "vector<2xi32>"),
    ],
)
def test_a_harmless_constant_is_left_alone(divisor: str, name: str, type_: str) -> None:
    assert "arith.select" not in guarded(divisor, name, type_)


@pytest.mark.parametrize("divisor", ["dense<[1, 0]> : vector<2xi32>", "dense<[-1, 5]> : vector<2xi32>"])
def test_one_bad_lane_of_a_constant_is_enough(divisor: str) -> None:
    assert "arith.select" in guarded(divisor, "remsi", "vector<2xi32>")


@pytest.mark.parametrize("name", ["floordivsi", "ceildivsi"])
@pytest.mark.parametrize("type_", ["i128", "vector<2xi128>"])
def test_wide_quotients_are_rounded_by_their_remainder(name: str, type_: str) -> None:
    text = guarded("%b", name, type_)
    assert name not in text
    assert text.count('"arith.divsi"') == 1
    assert "18446744073709551615" not in text


@pytest.mark.parametrize("name", ["floordivsi", "ceildivsi"])
def test_quotients_of_a_word_stay(name: str) -> None:
    assert name in guarded("%b", name, "i64")
