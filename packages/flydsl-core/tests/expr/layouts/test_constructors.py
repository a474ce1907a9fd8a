"""Constructors of layouts."""

from __future__ import annotations

import pytest

import flydsl.expr as fx


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: fx.make_layout((4, 8)), "(4,8):(1,4)"),
        (lambda: fx.make_ordered_layout((4, 8), (1, 0)), "(4,8):(8,1)"),
        (lambda: fx.make_identity_layout((4, 8)), "(4,8):(1E0,1E1)"),
        (lambda: fx.make_layout_like(fx.make_layout((4, 8), (16, 2))), "(4,8):(8,1)"),
    ],
)
def test_static_shapes(emitted, make, expected):
    result = emitted(make).result
    assert result.is_static
    assert str(result.payload) == expected


def test_a_layout_of_threads_and_values_is_a_tile_and_a_map(emitted):
    tile, layout = emitted(
        lambda: fx.make_layout_tv(fx.make_layout((2, 4), (4, 1)), fx.make_layout((2, 1), (1, 1)))
    ).result
    assert str(tile.payload) == "[4|4]"
    assert layout.payload.is_static
    numbers = sorted(layout.payload((t, v)) for t in range(8) for v in range(2))
    assert numbers == list(range(16))


def test_dynamic_shapes_have_compact_strides(computed):
    call = computed(lambda n: fx.get_leaves(fx.make_layout((4, n, 3)).stride), fx.Int32)
    assert call(5) == [1, 4, 20]
