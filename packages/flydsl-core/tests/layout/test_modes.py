"""Mode surgery."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_strategies import extents, layouts, size, split_column_major

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.layout import IntTuple, Layout, append, dice, get, group, parse, prepend, select, slice_, take
from flydsl.layout.int_tuple import text
from flydsl.layout.modes import zero_stars


@st.composite
def slices(draw: st.DrawFn) -> tuple[Layout, IntTuple]:
    """A layout and a coordinate of it in which some parts are `*`."""
    layout = draw(layouts())
    coord = split_column_major(draw(st.integers(0, size(layout) - 1)), layout.shape)

    def starred(part: IntTuple) -> IntTuple:
        if draw(st.integers(0, 3)) == 0:
            return fl.STAR
        return tuple(map(starred, part)) if isinstance(part, tuple) else part

    return layout, starred(coord)


def stars(coord: IntTuple, shape: IntTuple) -> list[int]:
    """The extents under the stars."""
    if isinstance(coord, tuple):
        return [n for c, s in zip(coord, shape, strict=True) for n in stars(c, s)]
    return list(extents(shape)) if coord is fl.STAR else []


def filled(coord: IntTuple, shape: IntTuple, numbers: list[int]) -> IntTuple:
    """`coord` with the stars replaced by coordinates made of `numbers`, in order."""
    if isinstance(coord, tuple):
        return tuple(filled(c, s, numbers) for c, s in zip(coord, shape, strict=True))
    return fl.map_leaves(lambda _: numbers.pop(0), shape) if coord is fl.STAR else coord


@given(slices(), st.data())
def test_a_slice_plus_the_index_of_the_fixed_modes_is_the_layout(
    case: tuple[Layout, IntTuple], data: st.DataObject
) -> None:
    layout, coord = case
    cut = slice_(layout, coord)
    free = stars(coord, layout.shape)
    x = data.draw(st.integers(0, size(cut) - 1))
    numbers = list(extents(split_column_major(x, tuple(free)))) if free else []
    assert cut(x) + layout(zero_stars(coord)) == layout(filled(coord, layout.shape, numbers))


@given(slices())
def test_slice_and_dice_split_the_layout(case: tuple[Layout, IntTuple]) -> None:
    layout, coord = case
    assert size(slice_(layout, coord)) * size(dice(layout, coord)) == size(layout)


@given(slices(), st.data())
def test_a_sliced_composed_layout_keeps_the_index_in_its_offset(
    case: tuple[Layout, IntTuple], data: st.DataObject
) -> None:
    outer, coord = case
    layout = fl.make_composed_layout(fl.Swizzle(2, 1, 3), 5, outer)
    cut = slice_(layout, coord)
    free = stars(coord, outer.shape)
    x = data.draw(st.integers(0, fl.size(cut) - 1))
    numbers = list(extents(split_column_major(x, tuple(free)))) if free else []
    assert cut(x) == layout(filled(coord, outer.shape, numbers))


@pytest.mark.parametrize(
    ("value", "coord", "kept", "dropped"),
    [
        ("(8,64,?,?):(?{i64},1,?{i64 div=8},64)", "(*,*,?,?)", "(8,64):(?{i64},1)", "(?,?):(?{i64 div=8},64)"),
        ("((4,8),16):((1,4),32)", "((*,2),3)", "4:1", "(8,16):(4,32)"),
        ("((4,8),16):((1,4),32)", "((*,2),*)", "(4,16):(1,32)", "8:4"),
        ("((4,8),16):((1,4),32)", "(*,3)", "(4,8):(1,4)", "16:32"),
        ("(4,8):(1,4)", "*", "(4,8):(1,4)", "1:0"),
        ("(4,8):(1,4)", "5", "1:0", "(4,8):(1,4)"),
        ("(4,8)", "(*,3)", "4", "8"),
        ("((4,8),16)", "((1,*),*)", "(8,16)", "4"),
    ],
)
def test_slices_are_unwrapped_when_single(value: str, coord: str, kept: str, dropped: str) -> None:
    assert spelled(slice_(parse(value), parse(coord))) == kept
    assert spelled(dice(parse(value), parse(coord))) == dropped


def spelled(value: object) -> str:
    return text(value) if isinstance(value, tuple) else str(value)


def test_none_means_star() -> None:
    layout = parse("(4,8):(1,4)")
    assert slice_(layout, (None, 2)) == slice_(layout, (fl.STAR, 2))


@given(layouts(), st.data())
def test_mode_operations_agree_on_layouts_and_on_their_shapes(layout: Layout, data: st.DataObject) -> None:
    assume(isinstance(layout.shape, tuple))
    begin = data.draw(st.integers(0, layout.rank - 1))
    end = data.draw(st.integers(begin + 1, layout.rank))
    numbers = tuple(data.draw(st.lists(st.integers(0, layout.rank - 1), min_size=1, max_size=4)))
    modes = list(layout)
    assert get(layout, begin) == modes[begin]
    for found, kept in [
        (take(layout, begin, end), modes[begin:end]),
        (select(layout, numbers), [modes[n] for n in numbers]),
    ]:
        assert found == kept[0] if len(kept) == 1 else list(found) == kept  # one mode is given as it is
    assert list(group(layout, begin, end)[begin]) == modes[begin:end]
    for cut in (
        lambda x: get(x, begin),
        lambda x: take(x, begin, end),
        lambda x: select(x, numbers),
        lambda x: group(x, begin, end),
    ):
        assert cut(layout).shape == cut(layout.shape)
        assert cut(layout).stride == cut(layout.stride)
    assert [group(layout, begin, end)(i) for i in range(size(layout))] == [layout(i) for i in range(size(layout))]


def test_get_follows_a_path() -> None:
    layout = parse("((4,(2,3)),8):((1,(16,32)),4)")
    assert str(get(layout, (0, 1, 1))) == "3:32"
    assert get((4, (5, 6)), (1, 0)) == 5


def test_append_and_prepend_add_one_mode_or_pad_to_a_rank() -> None:
    layout, unit = parse("4:1"), parse("1:0")
    assert str(append(layout, parse("8:4"))) == "(4,8):(1,4)"
    assert str(prepend(layout, parse("8:4"))) == "(8,4):(4,1)"
    assert str(append(layout, unit, 3)) == "(4,1,1):(1,0,0)"
    assert str(prepend(parse("(4,8):(1,4)"), unit, 3)) == "(1,4,8):(0,1,4)"
    assert append(parse("(4,8):(1,4)"), unit, 2) == parse("(4,8):(1,4)")
    assert append((4, 8), (2, 3)) == (4, 8, (2, 3))
    assert append(4, 8) == (4, 8)
    assert str(append(parse("S<1,2,3> o 0 o 4:1"), unit, 2)) == "S<1,2,3> o 0 o (4,1):(1,0)"


def test_composed_layouts_are_cut_in_their_outer_part() -> None:
    layout = parse("S<1,2,3> o 4 o (4,8,2):(1,4,32)")
    assert str(select(layout, (2, 0))) == "S<1,2,3> o 4 o (2,4):(32,1)"
    assert str(group(layout, 0, 2)) == "S<1,2,3> o 4 o ((4,8),2):((1,4),32)"
    assert str(dice(layout, (None, 1, 1))) == "S<1,2,3> o 4 o (8,2):(4,32)"


LAYOUT = parse("(4,8):(1,4)")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (get, (2,)),
        (get, (-1,)),
        (get, (1.0,)),
        (get, (None,)),
        (get, ((0, 1),)),
        (take, (1, 1)),
        (take, (0, 3)),
        (take, (0.0, 1)),
        (select, ((),)),
        (select, ((0, 2),)),
        (select, (0,)),
        (select, ((0, "1"),)),
        (group, (2, 1)),
        (group, (0, None)),
        (append, (4,)),
        (append, (None,)),
        (append, (LAYOUT, 1)),
        (append, (LAYOUT, 2.0)),
        (prepend, ("4:1",)),
        (slice_, ((None, 1, 2),)),
        (slice_, (((None, 1), 2),)),
        (slice_, (1.5,)),
        (slice_, ([None, 1],)),
        (dice, ((None,),)),
    ],
)
def test_what_is_not_there_is_refused(function: object, arguments: tuple[object, ...]) -> None:
    with pytest.raises(LayoutError):
        function(LAYOUT, *arguments)


@pytest.mark.parametrize("value", ["4:1", 4.0, [4, 8], object()])
def test_what_has_no_modes_is_refused(value: object) -> None:
    for function, arguments in [
        (get, (0,)),
        (take, (0, 1)),
        (select, ((0,),)),
        (group, (0, 1)),
        (slice_, (0,)),
        (append, (4,)),
    ]:
        with pytest.raises(LayoutError):
            function(value, *arguments)


def test_an_int_tuple_with_nothing_left_is_refused() -> None:
    with pytest.raises(LayoutError, match="nothing is left"):
        slice_((4, 8), (1, 2))
