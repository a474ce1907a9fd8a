"""Types of tiled atoms: who does what in a tile."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

import flydsl.layout as fl
from flydsl.ir.fly.types import (
    CopyAtomType,
    IntTupleType,
    LayoutType,
    MmaAtomType,
    TiledCopyType,
    TiledMmaType,
    TileType,
    UniversalCopyType,
    UniversalFMAType,
)

COPY = CopyAtomType.get(UniversalCopyType.get(128), 32)
FMA = MmaAtomType.get(UniversalFMAType.get(f32))


def test_tiled_copy_spreads_its_atom_over_a_tile() -> None:
    layout_tv, tile = LayoutType.get(((4, 8), 4), ((32, 1), 8)), TileType.get([8, 16])
    tiled = TiledCopyType(COPY, layout_tv, tile)
    assert (tiled.copy_atom, tiled.layout_thr_val, tiled.tile_mn) == (COPY, layout_tv, tile)
    positions = [tiled.tiled_tv_layout_src.value((thread, value)) for thread in range(32) for value in range(4)]
    assert sorted(positions) == list(range(128))
    assert tiled.tiled_tv_layout_dst == tiled.tiled_tv_layout_src
    assert tiled.is_static


def test_tiled_multiply_repeats_its_atom_over_threads() -> None:
    tiled = TiledMmaType(FMA, LayoutType.get((4, 2, 1), (1, 4, 0)))
    assert (tiled.mma_atom, tiled.permutation) == (FMA, None)
    assert tiled.tile_size_mnk == IntTupleType((4, 2, 1))
    assert fl.size(tiled.thr_layout_vmnk.value) == 8
    rows = [tiled.tiled_tv_layout_a.value((thread, 0)) for thread in range(8)]
    assert sorted(rows) == sorted([*range(4)] * 2)
    results = [tiled.tiled_tv_layout_c.value((thread, 0)) for thread in range(8)]
    assert sorted(results) == list(range(8))
    columns = [tiled.tiled_tv_layout_b.value((thread, 0)) for thread in range(8)]
    assert sorted(columns) == sorted([*range(2)] * 4)
