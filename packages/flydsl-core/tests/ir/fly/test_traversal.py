"""The order of the atom calls of a gemm."""

from __future__ import annotations

from itertools import product

import pytest

from flydsl.ir.fly.attributes import GemmTraversalOrder
from flydsl.ir.fly.traversal import traversal

EXTENTS = (2, 3, 2)


@pytest.mark.parametrize("order", list(GemmTraversalOrder))
def test_every_order_makes_each_call_once(order: GemmTraversalOrder) -> None:
    assert sorted(traversal(EXTENTS, order)) == sorted(product(*map(range, EXTENTS)))


@pytest.mark.parametrize("order", [o for o in GemmTraversalOrder if "_" in o.value])
def test_a_serpentine_changes_only_the_inner_index_within_a_pass_and_repeats_it_at_its_end(
    order: GemmTraversalOrder,
) -> None:
    inner = "mnk".index(order.value[0])
    calls = list(traversal(EXTENTS, order))
    size = EXTENTS[inner]
    for last, first in zip(calls[size - 1 :: size], calls[size::size], strict=False):
        assert last[inner] == first[inner]


def test_the_first_letter_changes_fastest_and_nmk_is_the_default() -> None:
    assert list(traversal((2, 2, 1), GemmTraversalOrder.MNK)) == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    assert list(traversal(EXTENTS, None)) == list(traversal(EXTENTS, GemmTraversalOrder.NMK))
