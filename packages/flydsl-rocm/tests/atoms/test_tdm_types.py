"""The type of gfx1250's tensor moves: its text, what it refuses, and how waves share a tile."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from flydsl.ir.context import create_context
from flydsl_rocm.atoms.tdm_types import Gfx1250TdmType
from flydsl_rocm.dialect import FLY_ROCDL

TEXT = "!fly_rocdl.gfx1250.tdm<rank = 3, warps = 4, pad = 64, 8, cache = 1, barrier = true, timeout = false>"


def parse(text: str):
    return Parser(create_context([FLY_ROCDL]), text).parse_type()


def test_text_is_read_and_printed():
    type_ = parse(TEXT)
    assert type_ == Gfx1250TdmType(3, 4, 64, 8, 1, True, False)
    assert str(type_) == TEXT
    atom = f"!fly.copy_atom<{TEXT}, 0>"
    assert str(parse(atom)) == atom


def test_only_atoms_of_whole_tiles_have_values_of_no_bits():
    with pytest.raises((ParseError, VerifyException), match="the value width of a copy atom is positive, found 0"):
        parse("!fly.copy_atom<!fly.universal_copy<32>, 0>")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("rank = 3", "rank = 6"), r"TDM rank must be in \[1, 5\], got 6"),
        (("warps = 4", "warps = 6"), "numWarps must be a positive power of two, got 6"),
        (("64, 8", "64, 0"), "padInterval and padAmount must both be zero or both non-zero"),
        (("64, 8", "48, 8"), r"padInterval must be a power of two \(in elements\), got 48"),
        (("true", "maybe"), "barrier is true or false, found 'maybe'"),
    ],
)
def test_what_the_type_refuses(change: tuple[str, str], message: str):
    with pytest.raises((ParseError, VerifyException), match=message):
        parse(TEXT.replace(*change))


@pytest.mark.parametrize(
    ("warps", "tile", "shared"),
    [
        (1, (4, 8), (1, 1)),
        (4, (4, 8), (4, 1)),
        (8, (4, 8), (4, 2)),
        (4, (3, 8), (2, 2)),
        (4, (1, 1), (1, 4)),
        (16, (2, 4, 64), (2, 4, 2)),
    ],
)
def test_waves_share_the_outermost_dimensions_first(warps: int, tile: tuple[int, ...], shared: tuple[int, ...]):
    assert Gfx1250TdmType(len(tile), warps).warps_of(tile) == shared
