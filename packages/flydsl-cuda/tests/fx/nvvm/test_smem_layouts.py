"""Layouts of operands in shared memory: rows as long as the tile allows, swizzled, and repeated over it."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


@pytest.mark.parametrize(
    ("major", "dtype", "tile", "layout"),
    [
        ("k", fx.BFloat16, (128, 64), "S<3,3,3> o 0 o (8,64):(64,1)"),
        ("k", fx.BFloat16, (128, 96), "S<2,3,3> o 0 o (8,32):(32,1)"),
        ("k", fx.Float16, (8, 16), "S<1,3,3> o 0 o (8,16):(16,1)"),
        ("k", fx.Float16, (8, 24), "(8,8):(8,1)"),
        ("k", fx.Float8E4M3FN, (128, 128), "S<3,4,3> o 0 o (8,128):(128,1)"),
        ("k", fx.Float32, (128, 32), "S<3,2,3> o 0 o (8,32):(32,1)"),
        ("mn", fx.BFloat16, (256, 64), "S<3,3,3> o 0 o (64,8):(1,64)"),
    ],
)
def test_rows_are_as_long_as_the_tile_allows(major: str, dtype: type, tile: tuple[int, int], layout: str) -> None:
    assert str(fx.nvvm.smem_layout_atom(major, dtype, tile).payload) == layout


def test_tiles_repeat_rows_first_and_stages_last() -> None:
    k_major = fx.nvvm.smem_layout("k", fx.BFloat16, (128, 128, 3)).payload.outer
    assert str(k_major) == "((8,16),(64,2),(1,3)):((64,512),(1,8192),(0,16384))"
    mn_major = fx.nvvm.smem_layout("mn", fx.BFloat16, (128, 64, 2)).payload.outer
    assert str(mn_major) == "((64,2),(8,8),(1,2)):((1,4096),(64,512),(0,8192))"


@pytest.mark.parametrize(
    ("major", "dtype", "tile", "message"),
    [
        ("n", fx.BFloat16, (8, 8), "k or mn-major, found 'n'"),
        ("k", fx.Float64, (8, 8), "8, 16 or 32 bits, found"),
        ("k", fx.BFloat16, (8,), "two positive extents"),
        ("k", fx.BFloat16, 64, "two positive extents at least, found 64"),
        ("k", fx.BFloat16, (12, 64), "a multiple of 8 of them; .* has 12 of 128 bytes"),
        ("k", fx.BFloat16, (16, 4), "rows of whole 16 bytes"),
    ],
)
def test_what_has_no_layout(major: str, dtype: type, tile: tuple[int, ...], message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        fx.nvvm.smem_layout_atom(major, dtype, tile)
