"""Products in six groupings, and tile_to_shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import image, injective_layouts, size

from flydsl.base.errors import LayoutError
from flydsl.layout import (
    Layout,
    Tile,
    blocked_product,
    flat_product,
    logical_product,
    parse,
    raked_product,
    tile_to_shape,
    tiled_product,
    zipped_product,
)

blocks = injective_layouts(powers_of_two=True, limit=32)
compact = injective_layouts(powers_of_two=True, gaps=False, limit=16)


@given(blocks, compact)
def test_a_product_repeats_the_block_without_overlap(block: Layout, tiler: Layout) -> None:
    result = logical_product(block, tiler)
    first, second = result
    assert size(result) == size(block) * size(tiler)
    assert image(first) == image(block)
    assert image(result) == [b + r for r in image(second) for b in image(block)]
    assert len(set(image(result))) == size(result)


@given(blocks, compact)
def test_repetitions_come_in_the_order_of_the_tiler(block: Layout, tiler: Layout) -> None:
    starts = image(logical_product(block, tiler)[1])
    assert sorted(range(len(starts)), key=starts.__getitem__) == sorted(
        range(len(starts)), key=image(tiler).__getitem__
    )


@given(blocks, compact)
def test_all_groupings_hold_the_same_elements(block: Layout, tiler: Layout) -> None:
    expected = sorted(image(logical_product(block, tiler)))
    for product in (zipped_product, tiled_product, flat_product, blocked_product):
        assert sorted(image(product(block, tiler))) == expected


@given(blocks, compact)
def test_tiled_and_flat_are_regroupings_of_logical(block: Layout, tiler: Layout) -> None:
    first, second = logical_product(block, tiler)
    assert list(tiled_product(block, tiler)) == [first, *second]
    assert list(flat_product(block, tiler)) == [*first, *second]


@st.composite
def equal_ranks(draw: st.DrawFn) -> tuple[Layout, Layout]:
    rank = draw(st.integers(2, 3))
    extents = st.lists(st.sampled_from([1, 2, 4]), min_size=rank, max_size=rank).map(tuple)
    return Layout(draw(extents)), Layout(draw(extents))


@given(equal_ranks())
def test_blocked_and_raked_products_pair_the_modes(case: tuple[Layout, Layout]) -> None:
    block, tiler = case
    blocked, raked = blocked_product(block, tiler), raked_product(block, tiler)
    for number, (ours, theirs) in enumerate(zip(block.shape, tiler.shape, strict=True)):
        assert blocked[number].shape == (ours, theirs)
        assert raked[number].shape == (theirs, ours)
        assert image(blocked[number])[:ours] == image(raked[number])[::theirs]


def test_shorter_operands_are_padded() -> None:
    assert str(blocked_product(parse("(4,4):(1,4)"), parse("8:1"))) == "((4,8),(4,1)):((1,16),(4,0))"
    assert str(raked_product(parse("4:1"), parse("(2,8):(1,2)"))) == "((2,4),(8,1)):((4,1),(8,0))"


@given(equal_ranks(), st.data())
def test_tile_to_shape_covers_the_shape_and_keeps_the_block(case: tuple[Layout, Layout], data: st.DataObject) -> None:
    block = case[0]
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(block.rank))
    order = tuple(data.draw(st.permutations(range(block.rank))))
    result = tile_to_shape(block, shape, order)
    assert len(set(image(result))) == size(result) == max(image(result)) + 1
    for mode, extent, ours in zip(result, shape, block.shape, strict=True):
        assert size(mode) >= extent
        assert size(mode) - extent < ours
    assert [mode[0].stride for mode in result] == [
        0 if s == 1 else d for s, d in zip(block.shape, block.stride, strict=True)
    ]


def test_tile_to_shape_pads_the_block_with_unit_modes() -> None:
    assert str(tile_to_shape(parse("8:1"), (16, 4), (1, 0))) == "((8,2),(1,4)):((1,32),(0,8))"


def test_a_swizzled_block_is_repeated_in_its_outer_part() -> None:
    result = tile_to_shape(parse("S<3,3,3> o 0 o (8,64):(64,1)"), (128, 128), (0, 1))
    assert str(result) == "S<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))"


def test_dynamic_counts_are_rounded_up() -> None:
    assert str(tile_to_shape(parse("(4,8):(1,4)"), parse("(?,16)"), (0, 1))) == "((4,?),(8,2)):((1,32),(4,?{div=32}))"


def test_a_tile_is_no_tiler_of_a_product() -> None:
    with pytest.raises(LayoutError, match="the tiler of a product is a layout"):
        logical_product(parse("4:1"), Tile((2,)))


def test_a_shape_with_fewer_modes_than_the_block_is_refused() -> None:
    with pytest.raises(LayoutError, match="at least the modes of the block"):
        tile_to_shape(parse("(4,8):(1,4)"), 16, 0)
