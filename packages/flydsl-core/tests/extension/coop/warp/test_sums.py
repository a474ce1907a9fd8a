"""Sums of warps by name: the code of the long forms."""

from __future__ import annotations

import pytest

import flydsl.expr as fx

OP = fx.ReductionOp
PAIRS = {
    "warp_sum": ("warp_reduce", OP.ADD),
    "warp_max": ("warp_reduce", OP.MAX),
    "warp_min": ("warp_reduce", OP.MIN),
    "warp_inclusive_sum": ("warp_inclusive_scan", OP.ADD),
    "warp_exclusive_sum": ("warp_exclusive_scan", OP.ADD),
}


@pytest.mark.parametrize("name", list(PAIRS))
def test_they_are_the_long_forms(emitted, name):
    long, op = PAIRS[name]
    coop = fx.coop.universal
    short = emitted(lambda x: getattr(coop, name)(x, width=8), fx.Int32).ops
    assert short == emitted(lambda x: getattr(coop, long)(x, op, width=8), fx.Int32).ops
    assert short


@pytest.mark.parametrize("form", ["", "_to_blocked", "_to_striped"])
def test_so_are_those_of_several_values(emitted, form):
    coop = fx.coop.universal
    short = emitted(lambda x: getattr(coop, f"warp_sum_batched{form}")([x, x * 2], width=8), fx.Int32).ops
    long = emitted(lambda x: getattr(coop, f"warp_reduce_batched{form}")([x, x * 2], OP.ADD, width=8), fx.Int32).ops
    assert short == long
