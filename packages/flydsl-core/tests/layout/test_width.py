"""The width of an index: 32 bits for layouts that fit, 64 where a static mode or a leaf of 64 bits says so."""

from __future__ import annotations

import pytest
from layout_strategies import Concrete, number

import flydsl.layout as fl
from flydsl.layout.width import has_dynamic_leaf, has_wide_size, is_wide_leaf, needs_wide_index

N32, N64 = fl.Dyn(), fl.Dyn(64)


@pytest.mark.parametrize(
    ("layout", "coord", "width"),
    [
        ("(8,64):(64,1)", (N32, N32), 32),
        ("(2,1):(1073741823,0)", (N32, 0), 32),
        ("(2,2):(1073741823,1)", (N32, N32), 64),  # the last index is 2^30
        ("(2,2,2):(536870912,402653184,268435456)", (N32, N32, N32), 64),  # no mode passes by itself
        ("(4,1073741824):(1073741824,1)", N32, 64),
        ("(4196352,256):(256,1)", (N32, N32), 64),  # more than 4 GiB of four bytes each
        ("(50000,50000):(50000,1)", (N32, N32), 64),
        ("(50000,50000):(-50000,1)", (N32, N32), 64),
        ("(?,50000):(50000,1)", (N32, N32), 32),  # the leaf promises it
        ("(?{i64},50000):(50000,1)", (N32, N32), 64),
        ("(?,?):(?{i64},1)", (N32, N32), 64),
        ("(?,?):(?,1)", (N32, N32), 32),
        ("(?,?):(?,1)", (N64, N32), 64),
        ("(2,2):(1,2147483648)", (N32, N32), 64),
        ("((2,50000),50000):((1,100000),2)", ((N32, N32), N32), 64),
    ],
)
def test_the_width_of_an_index(layout: str, coord: object, width: int) -> None:
    index = fl.crd2idx(coord, fl.parse_layout(layout))
    assert isinstance(index, fl.Dyn)
    assert index.width == width


def test_a_coordinate_is_widened_before_it_is_multiplied() -> None:
    made: list[tuple[str, int]] = []

    class Noted(Concrete):
        __slots__ = ()

        def make(self, op: str, a: object, b: object, width: int, div: int) -> fl.Dyn:
            made.append((op, width))
            return Noted(number(super().make(op, a, b, width, div)), width, div)

    layout = fl.parse_layout("(4,1073741824):(1073741824,1)")
    assert number(layout(Noted(3), Noted(5))) == (3 << 30) + 5
    assert made == [("extend", 64), ("mul", 64), ("extend", 64), ("add", 64)]


@pytest.mark.parametrize(
    ("offset", "width"), [(0, 32), (1073741823 - 63, 32), (1073741823 - 62, 64), (N32, 32), (N64, 64)]
)
def test_the_offset_of_a_composed_layout_counts(offset: object, width: int) -> None:
    index = fl.ComposedLayout(fl.Swizzle(1, 2, 3), offset, fl.parse_layout("(4,16):(16,1)"))(N32, N32)
    assert isinstance(index, fl.Dyn)
    assert index.width == width


def test_coordinates_are_as_wide_as_their_own_mode_needs() -> None:
    coord = fl.crd2idx((N32, N32), fl.Layout((100, 3 << 30), (fl.Basis(1, (0,)), fl.Basis(1, (1,)))))
    assert coord == (N64, N64)
    assert fl.crd2idx((N32, N32), fl.Layout((3 << 28, 3 << 28), (fl.Basis(1, (0,)), fl.Basis(1, (1,))))) == (N32, N32)


def test_column_major_numbers_are_as_wide_as_the_size() -> None:
    assert fl.get_1d_coord((N32, N32), fl.make_identity_layout((50000, 50000))) == N64
    assert fl.get_1d_coord((N32, N32), fl.make_identity_layout((20000, 50000))) == N32


def test_sizes() -> None:
    assert fl.size((N32, N32)) == N32
    assert fl.size((N64, N32)) == N64
    assert fl.cosize(fl.parse_layout("(65536,65536):(65536,1)")) == 1 << 32
    assert has_wide_size((65536, (2, 16384), N32))
    assert not has_wide_size((65536, 16383, N32))


def test_what_is_known_of_leaves() -> None:
    assert has_dynamic_leaf((1, (2, N32)))
    assert not has_dynamic_leaf((1, (2, 3)))
    assert is_wide_leaf(N64)
    assert not is_wide_leaf(N32)
    assert not is_wide_leaf(1 << 40)
    assert not needs_wide_index((N32, 2), (1 << 31, 1))
    assert needs_wide_index(2, 1, start=(1 << 30) - 1)
