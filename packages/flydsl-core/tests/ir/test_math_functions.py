"""One entry a function: what Python computes, with and without poles, and what the page on math functions promises."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from flydsl.ir.math_functions import INSTRUCTION, MATH_FUNCTIONS, MathFunction
from flydsl.passes.math.functions import FUNCTIONS, SCALAR_FUNCTIONS

PAGE = Path(__file__).resolve().parents[4] / "docs/reference/math.md"
ROWS = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", PAGE.read_text(), re.MULTILINE))


def test_the_page_has_a_row_for_each_function_of_one_operand() -> None:
    bounds = {function.name: function.bound for function in MATH_FUNCTIONS.values() if function.operands == 1}
    assert bounds == {name: float(bound) for name, bound in ROWS.items()}
    assert list(bounds) == list(ROWS)


def test_each_function_is_an_instruction_or_has_an_expansion() -> None:
    expanded = {f"math.{f.name}" for f in MATH_FUNCTIONS.values() if f.expansion not in (INSTRUCTION, "")}
    assert expanded == FUNCTIONS.keys() | SCALAR_FUNCTIONS.keys()
    assert all(function.expansion for function in MATH_FUNCTIONS.values())


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("log", (0.0,), -math.inf),
        ("log2", (-1.0,), math.nan),
        ("log1p", (-1.0,), -math.inf),
        ("atanh", (-1.0,), -math.inf),
        ("rsqrt", (-0.0,), -math.inf),
        ("sinh", (-1000.0,), -math.inf),
        ("exp2", (5000.0,), math.inf),
        ("exp", (math.nan,), math.nan),
        ("floor", (-math.inf,), -math.inf),
        ("powf", (-0.0, -3.0), -math.inf),
        ("powf", (-2.0, 0.5), math.nan),
        ("powf", (-10.0, 1001.0), -math.inf),
    ],
)
def test_poles_and_ends_of_domains_have_results(name: str, arguments: tuple[float, ...], expected: float) -> None:
    found = MATH_FUNCTIONS[name].evaluate(*arguments)
    assert found == expected or (math.isnan(found) and math.isnan(expected))


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [("round", 2.5, 3.0), ("round", -0.4, -0.0), ("roundeven", 2.5, 2.0), ("ceil", -0.5, -0.0), ("trunc", -1.7, -1.0)],
)
def test_roundings_keep_the_sign_of_zero(name: str, x: float, expected: float) -> None:
    found = MATH_FUNCTIONS[name].evaluate(x)
    assert (found, math.copysign(1, found)) == (expected, math.copysign(1, expected))


def test_a_fold_that_python_has_no_number_for_raises() -> None:
    with pytest.raises(ValueError, match="math domain error"):
        MATH_FUNCTIONS["log"].fold(0.0)


def test_entries_do_not_change() -> None:
    with pytest.raises(AttributeError):
        MathFunction("one", abs).bound = 1.0  # type: ignore[misc]
