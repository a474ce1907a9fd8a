"""Partitions as (offset, layout): together the threads hold every element of a tile, each where the atom says."""

from __future__ import annotations

from itertools import product

import pytest
from fly_target import PairCopyType, PairMmaType
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import f16, f32

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.ir.fly import views
from flydsl.ir.fly.attributes import MmaOperand
from flydsl.ir.fly.types import (
    CopyAtomType,
    LayoutType,
    MmaAtomType,
    TiledCopyType,
    TiledMmaType,
    TileType,
    UniversalCopyType,
)


def elements(layout: fl.Layout | fl.ComposedLayout, offset: object = 0) -> list[int]:
    return [offset + layout(index) for index in range(fl.size(layout))]


@given(
    threads=st.tuples(st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 8])),
    values=st.tuples(st.sampled_from([1, 2]), st.sampled_from([1, 4])),
    repeats=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    row_major=st.booleans(),
)
def test_threads_of_a_copy_share_out_the_whole_tensor(
    threads: tuple[int, int], values: tuple[int, int], repeats: tuple[int, int], row_major: bool
) -> None:
    thr, val = (fl.make_ordered_layout(shape, (1, 0)) for shape in (threads, values))
    tile, tv = fl.make_layout_tv(thr, val)
    tiled = TiledCopyType(CopyAtomType(UniversalCopyType(32), 32), LayoutType(tv), TileType(tile))
    shape = tuple(t * v * r for t, v, r in zip(threads, values, repeats, strict=True))
    tensor = fl.make_ordered_layout(shape, (1, 0) if row_major else (0, 1))
    seen: list[int] = []
    for thread in range(fl.size(thr)):
        offset, layout = views.copy_partitioned(tiled, tensor, thread, "src")
        seen += elements(layout, offset)
        assert fl.size(layout[0]) == fl.size(val)
    assert sorted(seen) == list(range(fl.size(tensor)))


def test_destination_of_a_crossing_copy_holds_what_the_atom_gives() -> None:
    atom = CopyAtomType(PairCopyType(64), 16)
    tiled = TiledCopyType(atom, LayoutType(fl.Layout((2, 4), (4, 1))), TileType(fl.Tile((8,))))
    source = [elements(v, o) for o, v in (views.copy_partitioned(tiled, fl.Layout(8), t, "src") for t in range(2))]
    target = [elements(v, o) for o, v in (views.copy_partitioned(tiled, fl.Layout(8), t, "dst") for t in range(2))]
    assert source == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert target == [[0, 1, 4, 5], [2, 3, 6, 7]]


@pytest.mark.parametrize("operand", list(MmaOperand))
@pytest.mark.parametrize("perm", [None, fl.Tile((fl.STAR, 8, fl.STAR))])
def test_threads_of_an_mma_hold_every_element_of_an_operand(operand: MmaOperand, perm: fl.Tile | None) -> None:
    atom = MmaAtomType(PairMmaType(f16, f16, f32))
    arranged = LayoutType(fl.Layout((2, 4, 1), (1, 2, 0)))
    tiled = TiledMmaType(atom, arranged, TileType(perm) if perm else None)
    extents = {"m": 8, "n": 16, "k": 4}
    shape = tuple(extents[mode] for mode in {"a": "mk", "b": "nk", "c": "mn", "d": "mn"}[operand.value])
    tensor = fl.Layout(shape)
    held: dict[int, int] = {}
    for thread in range(16):
        offset, layout = views.mma_partitioned(operand, tiled, tensor, thread)
        assert layout.rank == 3
        assert layout.shape == views.mma_partition_shape(operand, tiled, shape)
        for element in elements(layout, offset):
            held[element] = held.get(element, 0) + 1
    assert sorted(held) == list(range(fl.size(tensor)))
    assert len(set(held.values())) == 1


def test_partition_of_a_composed_layout_keeps_its_inner_part() -> None:
    thr, val = fl.Layout((2, 4), (4, 1)), fl.Layout((1, 2), (2, 1))
    tile, tv = fl.make_layout_tv(thr, val)
    tiled = TiledCopyType(CopyAtomType(UniversalCopyType(32), 32), LayoutType(tv), TileType(tile))
    plain = fl.Layout((2, 8), (8, 1))
    swizzled = fl.ComposedLayout(fl.Swizzle(1, 0, 3), 0, plain)
    for thread in range(8):
        offset, layout = views.copy_partitioned(tiled, plain, thread, "src")
        moved, composed = views.copy_partitioned(tiled, swizzled, thread, "src")
        assert moved == 0
        assert elements(composed) == [swizzled.inner(index) for index in elements(layout, offset)]


def test_slice_points_to_the_elements_at_the_coordinate() -> None:
    layout = fl.Layout((4, (2, 3)), (6, (3, 1)))
    for row, column in product(range(4), range(6)):
        offset, kept = views.sliced(layout, (row, fl.STAR))
        assert offset + kept(column) == layout(row, column)
        offset, kept = views.sliced(layout, (fl.STAR, column))
        assert offset + kept(row) == layout(row, column)


def test_thread_of_an_mma_is_one_number() -> None:
    atom = MmaAtomType(PairMmaType(f16, f16, f32))
    tiled = TiledMmaType(atom, LayoutType(fl.Layout((1, 1, 1), (0, 0, 0))))
    with pytest.raises(LayoutError, match="a thread is one number"):
        views.mma_partitioned(MmaOperand.A, tiled, fl.Layout((2, 2)), (0, 1))
