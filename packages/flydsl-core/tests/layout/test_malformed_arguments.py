"""Arguments that nobody should pass: every public function answers them or raises a LayoutError, and names them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout.leaf import MAX_DEPTH


class Whole:
    """An integer of a library, as NumPy's are."""

    def __index__(self) -> int:
        return 4


class Array:
    """Has `__index__` and refuses it, as arrays of several numbers do."""

    def __index__(self) -> int:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")


class Silent:
    """Cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def nested(levels: int) -> object:
    return reduce(lambda inner, _: (inner,), range(levels), 1)


LAYOUTS = [
    *map(
        fl.parse,
        ["8:1", "(4,8):(8,1)", "((4,2),8):((1,32),4)", "(4,8):(0,0)", "(0,4):(1,1)", "(4,?):(1,?)", "(8,8):(-1,-8)"],
    ),
    *map(fl.parse, ["(4,8):(1E0,1E1)", "S<3,4,3> o 0 o (8,64):(64,1)", "32:2 o 5 o [32:1 o 7 o (4,8):(1,4)]"]),
    fl.Layout((1 << 40, 1 << 40)),
    fl.Layout((2,) * 200),
    fl.Layout((1,) * 3000, (0,) * 3000),
]
VALUES = [
    *LAYOUTS,
    *[0, 1, -1, 8, 1 << 31, 1 << 63, 10**30, 1 << 20_000, -(1 << 31), True, None, 1.5, float("nan"), float("inf")],
    *["", "a", "(4,8):(1,4)", "9" * 5000, b"x", [4, 8], {}, {1}, object(), int, len, Whole(), Array(), Silent()],
    *[(), (1,), ((4, 2), 8), ((),), (0, 4), (-1, 4), (1.0, 2), (fl.STAR, 3), (None, 3), (fl.Dyn(), 8)],
    *[nested(MAX_DEPTH), nested(500), nested(1_000_000), tuple(range(5000)), fl.STAR, fl.Dyn(), fl.Dyn(64, 8)],
    *[fl.Basis(1, (0,)), fl.Basis(2, (1, 0)), fl.Basis(1, (1023,) * 30)],
    *[fl.Swizzle(3, 4, 3), fl.CoordSwizzle(3, 0, (0,), 3, (1,)), fl.Tile((8, 64)), fl.Tile((fl.STAR, 8))],
    fl.Tile((fl.Layout(4, 2), fl.Tile((2, 2)))),
]


def functions() -> dict[str, Callable[..., object]]:
    """What takes values of users: not the parsers that go on at a position, nor what takes a function."""
    found = {name: value for name, value in vars(fl).items() if inspect.isfunction(value) or inspect.isclass(value)}
    return {
        name: value
        for name, value in found.items()
        if value.__module__.startswith("flydsl.layout")
        and not name.endswith("_at")
        and name not in ("map_leaves", "Star")
    }


FUNCTIONS = functions()


def test_the_public_functions_are_found() -> None:
    assert {"Layout", "coalesce", "logical_divide", "parse", "slice_", "idx2crd", "Basis"} <= set(FUNCTIONS)


@given(st.data())
def test_any_arguments_give_an_answer_or_a_layout_error(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(FUNCTIONS)))
    function = FUNCTIONS[name]
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    values = st.integers(0, len(VALUES) - 1) | st.integers(0, len(LAYOUTS) - 1)
    args = [VALUES[data.draw(values)] for kind in kinds if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    message = refusal(lambda: function(*args))
    assert len(message) < 400 * (len(args) + 2)


def refusal(call: Callable[[], object]) -> str:
    """The message of the LayoutError that a call raises; any other exception goes on."""
    try:
        call()
    except LayoutError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "make",
    [
        lambda: fl.Layout(nested(500)),
        lambda: fl.parse("(" * 500 + "1" + ")" * 500),
        lambda: fl.parse("[" * 500 + "1" + "]" * 500),
        lambda: fl.parse("[" * 500 + "4:1" + "]" * 500 + " o 0 o 4:1"),
        lambda: fl.parse("9" * 5000),
        lambda: fl.parse("4E" + "9" * 5000),
        lambda: fl.parse("?{div=" + "9" * 5000 + "}"),
        lambda: fl.parse("S<" + "9" * 5000 + ",0,3>"),
        lambda: fl.Layout(10**5000, 1),
        lambda: fl.Layout(4, 1 << 63),
        lambda: fl.Swizzle(10**11, 0, 10**11),
        lambda: fl.CoordSwizzle(3, 10**11, (0,), 0, (1,)),
        lambda: fl.CoordSwizzle(3, 0, (0,) * 1000, 0, (1,)),
        lambda: fl.Basis(1, (0,) * 1000),
        lambda: fl.Basis(10**5000, (0,)),
        lambda: fl.Tile(nested(500)),
        lambda: reduce(lambda tile, _: fl.Tile((tile, 4)), range(500), fl.Tile((4,))),
        lambda: reduce(lambda outer, _: fl.ComposedLayout(fl.Layout(4), 0, outer), range(500), fl.Layout(4)),
        lambda: reduce(lambda block, _: fl.logical_product(block, 1), range(2000), fl.Layout(4)),
        lambda: fl.coalesce(fl.Layout(4), nested(1_000_000)),
    ],
)
def test_what_goes_too_far_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert len(str(caught.value)) < 1000


def test_tuples_as_deep_as_allowed_work() -> None:
    layout = fl.Layout(nested(MAX_DEPTH))
    assert fl.parse(str(layout)) == layout
    assert str(fl.coalesce(layout)) == "1:0"
    assert fl.depth(layout) == MAX_DEPTH


def test_integers_of_other_libraries_are_integers() -> None:
    assert fl.Layout((Whole(), 8)) == fl.Layout((4, 8))


def test_results_beyond_64_bits_can_be_shown() -> None:
    layout = fl.Layout((2,) * 20_000)
    assert "0x1" in str(layout)
    assert fl.size(layout) == 1 << 20_000
