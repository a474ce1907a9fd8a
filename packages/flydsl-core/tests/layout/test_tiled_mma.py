"""Tiled MMAs: every element of an operand reaches the threads and values that the atom names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import image, size, split_column_major

from flydsl.base.errors import LayoutError
from flydsl.layout import (
    Layout,
    Tile,
    crd2idx,
    make_fragment_layout_like,
    make_identity_layout,
    parse,
    slice_,
    take,
)
from flydsl.layout.tiled import AtomTV, retile, tiled_copy_partition
from flydsl.layout.tiled_mma import (
    MmaTV,
    is_mma_partition,
    mma_fragment_layout,
    tiled_mma_partition,
    tiled_mma_partition_shape,
    tiled_mma_thr_coord,
    tiled_mma_thr_layout,
    tiled_mma_tile_size,
    tiled_mma_tv,
)

ATOMS = [
    json.loads(line) for line in (Path(__file__).parent.parent / "data" / "mma_atom_tv.jsonl").read_text().splitlines()
]
OPERANDS = {"a": (0, 2), "b": (1, 2), "c": (0, 1), "d": (0, 1)}
ARRANGEMENTS = ["1:0", "(2,1,1):(1,0,0)", "(1,2,1):(0,1,0)", "(2,2,1):(1,2,0)", "(2,2,1):(2,1,0)", "(2,1,2):(1,0,2)"]


def atom_of(row: dict) -> MmaTV:
    m, n, k = (int(extent) for extent in row["atom"].split("<")[1].split(",")[0].split("x"))
    tvs = (parse(row[f"atom_tv{operand}"]) for operand in "ABC")
    return MmaTV(parse(row["thr"]), (m, n, k), *tvs)


MFMA_16X16X4 = atom_of(ATOMS[0])


@pytest.mark.parametrize("row", ATOMS, ids=lambda row: row["atom"])
def test_recorded_atoms_cover_each_operand(row: dict) -> None:
    atom = atom_of(row)
    for operand, modes in OPERANDS.items():
        cells = atom.shape_mnk[modes[0]] * atom.shape_mnk[modes[1]]
        assert set(image(atom.operand(operand))) == set(range(cells))


@pytest.mark.parametrize("row", ATOMS, ids=lambda row: row["atom"])
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_partitions_of_all_threads_cover_the_operand(row: dict, arrangement: str) -> None:
    atom, arranged = atom_of(row), parse(arrangement)
    tile = tiled_mma_tile_size(atom, arranged)
    for operand, (first, second) in OPERANDS.items():
        tensor = Layout((tile[first] * 2, tile[second]), (tile[second], 1))
        view = tiled_mma_partition(atom, arranged, None, operand, tensor)
        assert set(image(view)) == set(image(tensor))
        assert size(view[1]) * size(view[0]) == len(image(view))


@given(st.sampled_from(ARRANGEMENTS), st.sampled_from(sorted(OPERANDS)), st.data())
def test_a_thread_holds_the_elements_that_its_atom_names(arrangement: str, operand: str, data: st.DataObject) -> None:
    atom, arranged = MFMA_16X16X4, parse(arrangement)
    tile = tiled_mma_tile_size(atom, arranged)
    first, second = OPERANDS[operand]
    view = tiled_mma_partition(atom, arranged, None, operand, make_identity_layout((tile[first] * 2, tile[second] * 3)))
    thread_layout = tiled_mma_thr_layout(atom, arranged)
    thread = data.draw(st.integers(0, size(thread_layout) - 1))
    lane, *grid = split_column_major(thread, (64, 1, 1, 1))[:1] + split_of(thread, arranged)
    value = data.draw(st.integers(0, size(atom.operand(operand)[1]) - 1))
    rest = (data.draw(st.integers(0, 1)), data.draw(st.integers(0, 2)))
    coord = tiled_mma_thr_coord(atom, arranged, thread, operand)
    inside = split_column_major(atom.operand(operand)((lane, value)), (atom.shape_mnk[first], atom.shape_mnk[second]))
    expected = tuple(
        i + atom.shape_mnk[mode] * grid[mode] + tile[mode] * r
        for i, mode, r in zip(inside, (first, second), rest, strict=True)
    )
    assert view((coord, (value, rest))) == expected


def split_of(thread: int, arranged: Layout) -> tuple[int, ...]:
    """The (m, n, k) of a thread's atom, found by search."""
    number = thread // 64
    extents = [mode.shape for mode in arranged] + [1] * (3 - arranged.rank)
    for coord in ((m, n, k) for m in range(extents[0]) for n in range(extents[1]) for k in range(extents[2])):
        if arranged(coord[: arranged.rank] if arranged.rank > 1 else coord[0]) == number:
            return coord
    raise AssertionError(thread)


@given(st.sampled_from(ARRANGEMENTS), st.sampled_from(sorted(OPERANDS)))
def test_the_tiled_thread_value_layout_is_the_partition_of_one_tile(arrangement: str, operand: str) -> None:
    atom, arranged = MFMA_16X16X4, parse(arrangement)
    tile = tiled_mma_tile_size(atom, arranged)
    first, second = OPERANDS[operand]
    view = tiled_mma_partition(atom, arranged, None, operand, Layout((tile[first], tile[second])))
    tv = tiled_mma_tv(atom, arranged, None, operand)
    for thread in range(size(tiled_mma_thr_layout(atom, arranged))):
        coord = tiled_mma_thr_coord(atom, arranged, thread, operand)
        assert [tv((thread, value)) for value in range(size(tv[1]))] == [
            view((coord, value)) for value in range(size(view[1]))
        ]


def test_a_permutation_gives_a_thread_neighbouring_columns() -> None:
    arranged, permutation = parse("(1,2,1):(0,1,0)"), parse("[16|(16,2,2):(1,32,16)|4]")
    assert tiled_mma_tile_size(MFMA_16X16X4, arranged, permutation) == (16, 64, 4)
    view = tiled_mma_partition(MFMA_16X16X4, arranged, permutation, "c", make_identity_layout((16, 64)))
    assert sorted(view(i) for i in range(1024)) == sorted((m, n) for m in range(16) for n in range(64))
    first = tiled_mma_thr_coord(MFMA_16X16X4, arranged, 0, "c")
    second = tiled_mma_thr_coord(MFMA_16X16X4, arranged, 64, "c")
    assert (view((first, 0)), view((second, 0))) == ((0, 0), (0, 32))


def test_further_modes_go_to_the_rest() -> None:
    view = tiled_mma_partition(MFMA_16X16X4, parse("1:0"), None, "a", parse("(32,8,3):(8,1,256)"))
    assert str(view[1]) == "(1,(2,2,3)):(0,(128,4,256))"


def test_partition_shape_and_fragments() -> None:
    arranged = parse("(2,2,1):(1,2,0)")
    assert tiled_mma_partition_shape(MFMA_16X16X4, arranged, None, "c", (64, 64)) == ((4, 1), 2, 2)
    view = parse("((4,1),2,3):((64,0),2048,32)")
    assert mma_fragment_layout(view) == make_fragment_layout_like(view)
    assert str(mma_fragment_layout(view, 2)) == "((4,1),2,3,2):((1,0),12,4,24)"
    for stages in (0, 1.0, "2"):
        with pytest.raises(LayoutError):
            mma_fragment_layout(view, stages)


def test_a_part_is_told_from_a_tile_by_the_values_of_a_thread() -> None:
    arranged = parse("(2,2,1):(1,2,0)")
    tiles = ["(64,64):(64,1)", "(64,64,3):(64,1,4096)", "(32,32,2):(32,1,1024)"]
    for text in tiles:
        layout = parse(text)
        assert not is_mma_partition(MFMA_16X16X4, arranged, None, "c", layout)
        coord = tiled_mma_thr_coord(MFMA_16X16X4, arranged, 7, "c")
        values, rest = slice_(tiled_mma_partition(MFMA_16X16X4, arranged, None, "c", layout), (coord, None))
        part = Layout((values.shape, *rest.shape), (values.stride, *rest.stride))
        assert part.rank == 1 + layout.rank
        assert is_mma_partition(MFMA_16X16X4, arranged, None, "c", part)
    with pytest.raises(LayoutError, match=r"neither a tile, in steps of \(32, 32\), nor a part with the 4 values"):
        is_mma_partition(MFMA_16X16X4, arranged, None, "c", parse("(8,2,2):(1,8,16)"))


def test_a_dynamic_thread_has_the_coordinate_types_of_its_split() -> None:
    coord = tiled_mma_thr_coord(MFMA_16X16X4, parse("(2,2,1):(1,2,0)"), parse("?"), "a")
    assert str(coord) == "(?, (?, 0))"


def test_retiling_an_accumulator_matches_the_copy_of_the_same_threads() -> None:
    atom, arranged = MFMA_16X16X4, parse("(2,2,1):(1,2,0)")
    tv = tiled_mma_tv(atom, arranged, None, "c")
    copy = AtomTV(Layout(1), Layout((1, 1)), Layout((1, 1)), Layout((1, 1)))
    tile, tensor = Tile((32, 32)), make_identity_layout((64, 96))
    view = tiled_mma_partition(atom, arranged, None, "c", tensor)
    target = tiled_copy_partition(copy, tv, tile, tensor, "dst")
    for thread in (0, 5, 70, 255):
        coord = tiled_mma_thr_coord(atom, arranged, thread, "c")
        base = crd2idx(coord, view[0])
        held = slice_(view, (coord, (None, (None, None))))
        again, theirs = retile(copy, tv, tile, held), slice_(target, (thread, None, None, None))
        assert [size(mode) for mode in again] == [size(mode) for mode in theirs]
        start = crd2idx(thread, target[0])
        for i in range(size(again)):
            assert added(base, again(i)) == added(start, theirs(i))


def added(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    padded = [tuple(c) + (0,) * (2 - len(c)) for c in (a, b)]
    return tuple(x + y for x, y in zip(*padded, strict=True))


@pytest.mark.parametrize(
    ("permutation", "operand", "layout"),
    [
        (None, "e", "(64,8):(8,1)"),
        (None, "a", "64:1"),
        (Tile((32, 32, 4, 1)), "a", "(64,8):(8,1)"),
        ("[32]", "a", "(64,8):(8,1)"),
        (None, "a", None),
    ],
)
def test_malformed_operands_are_refused(permutation: object, operand: str, layout: object) -> None:
    with pytest.raises(LayoutError):
        tiled_mma_partition(MFMA_16X16X4, parse("1:0"), permutation, operand, parse(layout) if layout else layout)


def test_malformed_atoms_and_arrangements_are_refused() -> None:
    with pytest.raises(LayoutError, match="not empty"):
        MmaTV(Layout(64), (32, 32, 1), Layout((64, 0)), Layout((64, 1)), Layout((64, 1)))
    with pytest.raises(LayoutError, match="at most three modes"):
        tiled_mma_thr_layout(MFMA_16X16X4, parse("(1,1,1,1):(0,0,0,0)"))


MFMA_16X16X16 = MmaTV(
    Layout(64), (16, 16, 16), *[parse("((16,4),4):((1,64),16)")] * 2, parse("((16,4),(4,1)):((16,4),(1,16))")
)
COPY_OF_8 = AtomTV(Layout(1), *[Layout((1, 8), (1, 1))] * 3)


def test_stages_of_a_tile_come_last_and_retile_for_wide_copies() -> None:
    arranged, permutation = parse("(1,4,1):(0,1,0)"), parse("[*|*|(4,4,2):(1,8,4)]")
    tile = take(parse("((16,8),(8,8),4):((64,1024),(1,8),8192)"), 0, 2)
    view = tiled_mma_partition(MFMA_16X16X16, arranged, permutation, "b", tile)
    coord = tiled_mma_thr_coord(MFMA_16X16X16, arranged, 0, "b")
    values, rest = slice_(view, (coord, None))
    part = Layout((values.shape, *rest.shape), (values.stride, *rest.stride))
    fragment = mma_fragment_layout(part, 2)
    assert str(fragment) == "(4,2,(2,2),2):(1,16,(4,8),32)"
    tv = tiled_mma_tv(MFMA_16X16X16, arranged, permutation, "b")
    size = tiled_mma_tile_size(MFMA_16X16X16, arranged, permutation)
    assert str(retile(COPY_OF_8, tv, Tile(size[1:]), fragment)) == "((8,1),2,2,2):((1,0),16,8,32)"
