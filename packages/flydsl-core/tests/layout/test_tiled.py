"""Tiled copies: every thread's part, checked element by element against the thread-value layout."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import Concrete, erased_layout, image, size, split_column_major, static_layout

from flydsl.base.errors import LayoutError
from flydsl.layout import (
    Layout,
    Tile,
    crd2idx,
    make_fragment_layout_like,
    make_identity_layout,
    make_layout_tv,
    make_ordered_layout,
    parse,
    recast_layout,
    slice_,
)
from flydsl.layout.int_tuple import text
from flydsl.layout.tiled import AtomTV, retile, tile_extents, tiled_copy_partition, tiled_copy_tv


def universal_copy(values: int) -> AtomTV:
    tv = Layout((1, values))
    return AtomTV(Layout(1), tv, tv, tv)


def thread_part(view: Layout, thread: object) -> Layout:
    """What a thread gets, without the offset."""
    return slice_(view, (thread, *[None] * (view.rank - 1)))


def test_make_layout_tv_places_neighbouring_values_in_one_thread() -> None:
    tile, tv = make_layout_tv(parse("(8,16):(16,1)"), parse("(1,4):(1,1)"))
    assert (str(tile), str(tv)) == ("[8|64]", "((16,8),4):((32,1),8)")


@given(st.data())
def test_make_layout_tv_sends_threads_times_values_onto_the_tile(data: st.DataObject) -> None:
    extents = st.tuples(st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4]))
    orders = st.sampled_from([(0, 1), (1, 0)])
    threads, values = (make_ordered_layout(data.draw(extents), data.draw(orders)) for _ in range(2))
    tile, tv = make_layout_tv(threads, values)
    cells = 1
    for extent in tile:
        cells *= extent
    assert size(tv[0]) == size(threads)
    assert size(tv[1]) == size(values)
    assert sorted(image(tv)) == list(range(cells))


def test_thread_numbers_with_gaps_are_refused() -> None:
    with pytest.raises(LayoutError, match="without gaps"):
        make_layout_tv(parse("(8,16):(1,16)"), parse("(1,4):(1,1)"))


@st.composite
def tiled_copies(draw: st.DrawFn) -> tuple[AtomTV, Layout, Tile]:
    """A tiled universal copy whose values per thread are whole atoms."""
    values = draw(st.sampled_from([1, 2, 4]))
    threads = draw(st.sampled_from(["(4,2):(2,1)", "(2,8):(1,2)", "(8,4):(4,1)", "(1,16):(1,1)"]))
    held = draw(st.sampled_from([f"(1,{values}):(1,1)", f"({values},1):(1,1)", f"(2,{values}):({values},1)"]))
    tile, tv = make_layout_tv(parse(threads), parse(held))
    return universal_copy(values), tv, tile


@given(tiled_copies(), st.integers(1, 3), st.integers(1, 3), st.data())
def test_the_parts_of_all_threads_are_the_elements_of_the_tensor(
    copy: tuple[AtomTV, Layout, Tile], repeat_m: int, repeat_n: int, data: st.DataObject
) -> None:
    atom, tv, tile = copy
    shape = (tile[0] * repeat_m, tile[1] * repeat_n)
    tensor = Layout(shape, data.draw(st.sampled_from([(1, shape[0]), (shape[1], 1)])))
    view = tiled_copy_partition(atom, tv, tile, tensor)
    assert view.rank == 4
    assert size(view[0]) == size(tv[0])
    assert sorted(image(view)) == sorted(image(tensor))


@given(tiled_copies(), st.data())
def test_value_and_thread_meet_at_the_place_that_the_layout_names(
    copy: tuple[AtomTV, Layout, Tile], data: st.DataObject
) -> None:
    atom, tv, tile = copy
    tensor = Layout((tile[0] * 2, tile[1] * 2), (tile[1] * 2, 1))
    view = tiled_copy_partition(atom, tv, tile, tensor, "dst")
    thread = data.draw(st.integers(0, size(tv[0]) - 1))
    value = data.draw(st.integers(0, size(tv[1]) - 1))
    m, n = split_column_major(tv((thread, value)), (tile[0], tile[1]))
    assert view((thread, value, 1, 0)) == tensor((m + tile[0], n))


@given(tiled_copies(), st.data())
def test_dynamic_strides_and_threads_give_the_same_elements(
    copy: tuple[AtomTV, Layout, Tile], data: st.DataObject
) -> None:
    atom, tv, tile = copy
    shape = (tile[0] * 2, tile[1] * 3)
    tensor = Layout(shape, (shape[1], 1))
    dynamic = Layout((Concrete(shape[0]), Concrete(shape[1])), (Concrete(shape[1], 64), 1))
    view, expected = tiled_copy_partition(atom, tv, tile, dynamic), tiled_copy_partition(atom, tv, tile, tensor)
    assert image(static_layout(view)) == image(expected)
    assert tiled_copy_partition(atom, tv, tile, erased_layout(dynamic)) == erased_layout(view)


def test_partition_types_of_the_vector_add_sample() -> None:
    atom, tv, tile = universal_copy(4), parse("((16,8),4):((32,1),8)"), parse("[8|64]")
    memory = tiled_copy_partition(atom, tv, tile, parse("(8,64):(?{i64},1)"))
    assert str(thread_part(memory, parse("?"))) == "((4,1),1,1):((1,0),0,0)"
    coords = tiled_copy_partition(atom, tv, tile, parse("(8,64):(1E0,1E1)"))
    assert str(thread_part(coords, parse("?"))) == "((4,1),1,1):((1E1,0),0,0)"
    assert text(crd2idx(parse("?"), coords[0])) == "(?,?{div=4})"


def test_bit_level_atom_layouts_become_value_layouts_by_recasting() -> None:
    bits = parse("(1,128):(1,1)")
    assert recast_layout(bits, 1, 32) == Layout((1, 4), (1, 1))


def test_an_atom_of_several_threads_with_a_transposing_source() -> None:
    # 4 threads: the source side holds one row of 4 values a thread, the destination side one column.
    atom = AtomTV(Layout(4), parse("(4,4):(4,1)"), parse("(4,4):(1,4)"), parse("(4,4):(4,1)"))
    tile, tv = make_layout_tv(parse("(1,8):(1,1)"), parse("(4,1):(1,1)"))
    source = tiled_copy_partition(atom, tv, tile, Layout((4, 8)), "src")
    destination = tiled_copy_partition(atom, tv, tile, Layout((4, 8)), "dst")
    for group in range(2):
        for thread in range(4):
            for value in range(4):
                assert destination((4 * group + thread, value, 0, 0)) == source((4 * group + value, thread, 0, 0))


def test_a_swizzled_tensor_is_partitioned_in_its_outer_part() -> None:
    atom, (tile, tv) = universal_copy(4), make_layout_tv(parse("(8,16):(16,1)"), parse("(1,4):(1,1)"))
    plain, swizzle = parse("(16,128):(128,1)"), parse("S<3,3,3>")
    swizzled = parse("S<3,3,3> o 0 o (16,128):(128,1)")
    view, expected = tiled_copy_partition(atom, tv, tile, swizzled), tiled_copy_partition(atom, tv, tile, plain)
    assert [view(i) for i in range(size(expected))] == [swizzle(index) for index in image(expected)]


@given(tiled_copies(), st.data())
def test_retiling_a_fragment_gives_the_shape_of_the_copy_and_every_register_once(
    copy: tuple[AtomTV, Layout, Tile], data: st.DataObject
) -> None:
    atom, tv, tile = copy
    tensor = make_identity_layout((tile[0] * 2, tile[1] * 2))
    part = thread_part(tiled_copy_partition(atom, tv, tile, tensor), 0)
    fragment = make_fragment_layout_like(part)
    again = retile(atom, tv, tile, fragment)
    assert again.rank == part.rank
    assert [size(mode) for mode in again] == [size(mode) for mode in part]
    assert sorted(image(again)) == sorted(image(fragment))


def test_the_tiled_layout_of_each_side() -> None:
    atom, tv = universal_copy(4), parse("((16,8),4):((32,1),8)")
    assert str(tiled_copy_tv(atom, tv, "src")) == "((16,8),(4,1)):((32,1),(8,0))"
    assert image(tiled_copy_tv(atom, tv, "dst")) == image(tv)


def test_tile_extents() -> None:
    assert tile_extents("op", parse("[8|(2,2):(1,4)|?]"))[:2] == (8, 4)
    for bad in (parse("[8|*]"), parse("[8|[2|2]]"), None):
        with pytest.raises(LayoutError):
            tile_extents("op", bad)


def test_malformed_operands_are_refused() -> None:
    atom, tv, tile = universal_copy(4), parse("((16,8),4):((32,1),8)"), parse("[8|64]")
    with pytest.raises(LayoutError):
        tiled_copy_partition(atom, tv, tile, parse("8:1"))
    with pytest.raises(LayoutError, match="'src' or 'dst'"):
        tiled_copy_partition(atom, tv, tile, parse("(8,64):(1,8)"), "ref")
    with pytest.raises(LayoutError):
        AtomTV(Layout(1), Layout(4), Layout(4), Layout(4))
    with pytest.raises(LayoutError):
        retile(atom, tv, tile, parse("(?,1,1):(1,0,0)"))
