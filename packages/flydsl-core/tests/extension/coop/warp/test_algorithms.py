"""Algorithms of warps as classes."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.warp.algorithms import WarpReduce, WarpReduceBatched, WarpScan

Op = fx.ReductionOp


@pytest.mark.parametrize(
    "use",
    [
        lambda v, f: WarpReduce[fx.Int32, 8].reduce(v, Op.ADD),
        lambda v, f: WarpReduce[fx.Int32].head_segmented_reduce(v, f, Op.ADD),
        lambda v, f: WarpReduce[fx.Int32, 4].tail_segmented_reduce(v, f, Op.ADD),
        lambda v, f: WarpScan[fx.Int32, 8].inclusive_scan(v, Op.ADD),
        lambda v, f: WarpScan[fx.Int32, 8].exclusive_scan(v, Op.ADD, init=1),
        lambda v, f: WarpScan[fx.Int32, 8].scan(v, Op.ADD),
        lambda v, f: WarpScan[fx.Int32, 8].scan_with_aggregate(v, Op.ADD),
        lambda v, f: WarpScan[fx.Int32, 8].broadcast(v, 3),
        lambda v, f: WarpReduceBatched[fx.Int32, 8, 2].reduce([v, v], Op.ADD),
        lambda v, f: WarpReduceBatched[fx.Int32, 8, 2].reduce_to_blocked((v, v), Op.ADD),
        lambda v, f: WarpReduceBatched[fx.Int32, 8, 2].reduce_to_striped([v, v], Op.ADD),
    ],
)
def test_methods_are_the_functions(emitted: Any, use: Any) -> None:
    assert "gpu.shuffle" in emitted(use, fx.Int32, fx.Boolean).names


def test_values_are_of_the_type_and_as_many_as_said(emitted: Any) -> None:
    with pytest.raises(TypeError, match="is one of Float32, found"):
        emitted(lambda v: WarpReduce[fx.Float32].reduce(v, Op.ADD), fx.Int32)
    with pytest.raises(TypeError, match="reduce takes one value, found 2"):
        emitted(lambda v: WarpReduce[fx.Int32].reduce((v, v), Op.ADD), fx.Int32)
    with pytest.raises(TypeError, match="takes 3 values, found 2"):
        emitted(lambda v: WarpReduceBatched[fx.Int32, 8, 3].reduce((v, v), Op.ADD), fx.Int32)
    with pytest.raises(TypeError, match="needs a specialisation"):
        emitted(lambda v: WarpReduce.reduce(v, Op.ADD), fx.Int32)
