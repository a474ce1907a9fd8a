"""Leaf arithmetic: folding, width and divisibility of dynamic results, basis strides."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import Concrete, evaluate, number

from flydsl.base.errors import LayoutError
from flydsl.layout import STAR, Basis, Dyn, Swizzle, leaf

BINARY = {
    "add": leaf.add,
    "sub": leaf.sub,
    "mul": leaf.mul,
    "div": leaf.div,
    "mod": leaf.mod,
    "ceil_div": leaf.ceil_div,
    "min": leaf.minimum,
    "max": leaf.maximum,
    "xor": leaf.xor,
    "less": leaf.less,
    "equal": leaf.equal,
}


@st.composite
def operands(draw: st.DrawFn) -> int | Concrete:
    value = draw(st.integers(0, 200))
    if draw(st.booleans()):
        return value
    divisors = [d for d in (1, 2, 3, 4, 8, 16) if value % d == 0]
    return Concrete(value, draw(st.sampled_from([32, 64])), draw(st.sampled_from(divisors)))


@given(st.sampled_from(sorted(BINARY)), operands(), operands())
def test_a_dynamic_result_has_the_value_of_the_static_one_and_a_true_divisor(op: str, a: object, b: object) -> None:
    if op in ("div", "mod", "ceil_div") and number(b) == 0:
        return
    assert number(BINARY[op](a, b)) == evaluate(op, a, b)


@given(operands(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))
def test_a_swizzled_dynamic_leaf_has_the_value_of_the_static_one(a: object, mask: int, base: int, extra: int) -> None:
    spec = Swizzle(mask, base, mask + extra)
    assert number(leaf.swizzle(a, spec)) == evaluate("swizzle", a, spec)


@pytest.mark.parametrize(
    ("op", "a", "b", "result"),
    [
        ("add", Dyn(32, 8), Dyn(64, 12), "?{i64 div=4}"),
        ("add", Dyn(32, 8), 4, "?{div=4}"),
        ("sub", 16, Dyn(32, 8), "?{div=8}"),
        ("mul", Dyn(32, 8), Dyn(32, 3), "?{div=24}"),
        ("mul", Dyn(64), 16, "?{i64 div=16}"),
        ("div", Dyn(32, 8), 4, "?"),
        ("ceil_div", Dyn(64, 8), 4, "?{i64}"),
        ("mod", Dyn(32, 8), 12, "?{div=4}"),
        ("min", Dyn(32, 8), 12, "?{div=4}"),
        ("max", Dyn(32, 8), Dyn(64, 16), "?{i64 div=8}"),
        ("add", Dyn(32), 1 << 40, "?{i64}"),
        ("add", Dyn(32, 8), 0, "?{div=8}"),
        ("mul", Dyn(32, 8), 1, "?{div=8}"),
        ("mul", Dyn(32, 8), 0, "0"),
        ("mod", Dyn(32), 1, "0"),
        ("div", 0, Dyn(32), "0"),
        ("div", Dyn(32, 8), 1, "?{div=8}"),
        ("ceil_div", 0, Dyn(32), "0"),
        ("ceil_div", 1, Dyn(32), "1"),
        ("less", Dyn(64), 4, "?{i1}"),
        ("mul", 3, Basis(2, (1,)), "6E1"),
        ("mul", Dyn(), Basis(1, (0, 1)), "?E0E1"),
        ("mul", 0, Basis(2, (1,)), "0"),
        ("add", Basis(2, (1,)), Basis(3, (1,)), "5E1"),
        ("equal", Basis(2, (1,)), Basis(2, (0,)), "False"),
        ("equal", STAR, STAR, "True"),
    ],
)
def test_width_divisibility_and_folds(op: str, a: object, b: object, result: str) -> None:
    assert str(BINARY[op](a, b)) == result


def test_exact_division_keeps_the_rest_of_the_divisor() -> None:
    assert str(leaf.exact_div(Dyn(64, 24), 4)) == "?{i64 div=6}"
    assert str(leaf.exact_div(Dyn(64, 2), 4)) == "?{i64}"
    assert leaf.exact_div(12, 4) == 3


@pytest.mark.parametrize(("a", "b"), [(-7, 2), (7, -2), (-7, -2), (-8, 2)])
def test_division_truncates_toward_zero(a: int, b: int) -> None:
    assert leaf.div(a, b) == int(a / b)
    assert leaf.mod(a, b) == a - b * int(a / b)


def test_plain_dynamic_leaves_are_interned_and_immutable() -> None:
    assert Dyn(64, 8) is Dyn(64, 8)
    assert Dyn(64, 8) is not Dyn(32, 8)
    assert pickle.loads(pickle.dumps(Dyn(64, 8))) is Dyn(64, 8)
    assert copy.deepcopy(STAR) is STAR
    assert pickle.loads(pickle.dumps(STAR)) is STAR
    with pytest.raises(AttributeError, match="immutable"):
        Dyn().width = 64


def test_dynamic_leaves_with_values_are_told_apart() -> None:
    assert Concrete(4) != Concrete(4)
    assert len({Concrete(4), Concrete(4)}) == 2


def test_the_operand_that_carries_a_value_makes_the_result() -> None:
    assert isinstance(leaf.add(Dyn(), Concrete(4, 32, 4)) if False else leaf.add(Concrete(4), 3), Concrete)
    assert type(leaf.add(Dyn(), Dyn())) is Dyn


@pytest.mark.parametrize("arguments", [(16, 1), (32, 0), (32, -4), (32.0, 1), (32, 1.0), (True, 1), ("32", 1)])
def test_a_bad_width_or_divisor_is_refused(arguments: tuple[object, object]) -> None:
    with pytest.raises(LayoutError):
        Dyn(*arguments)


@pytest.mark.parametrize("arguments", [(1.0, (0,)), (1, ()), (1, (-1,)), (1, [0]), (None, (0,))])
def test_a_bad_basis_is_refused(arguments: tuple[object, object]) -> None:
    with pytest.raises(LayoutError):
        Basis(*arguments)


@pytest.mark.parametrize("op", ["div", "mod", "ceil_div"])
@pytest.mark.parametrize("a", [4, 0, Dyn()])
def test_division_by_zero_is_a_layout_error(op: str, a: object) -> None:
    with pytest.raises(LayoutError, match="division by zero"):
        BINARY[op](a, 0)


@pytest.mark.parametrize("op", ["add", "sub", "min", "less", "mod"])
def test_a_star_or_a_basis_is_no_number(op: str) -> None:
    for bad in (STAR, Basis(1, (0,))):
        with pytest.raises(LayoutError, match="must be integers"):
            BINARY[op](bad, 4)
