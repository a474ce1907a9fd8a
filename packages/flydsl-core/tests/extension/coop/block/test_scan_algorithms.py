"""How scans of blocks meet: barriers, and prefixes with a start."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.block.scan_algorithms import Prefixes
from flydsl.extension.coop.operators import operator_of

Algorithm = fx.coop.BlockScanAlgorithm


@pytest.mark.parametrize(("algorithm", "barriers"), [(Algorithm.WARP_SCANS, 1), (Algorithm.RAKING, 2)])
def test_the_number_of_barriers(emitted: Any, algorithm: Any, barriers: int) -> None:
    def run(value: Any) -> Any:
        P = fx.coop.BlockScan[fx.Int32, 128, algorithm]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        return P.inclusive(value, fx.ReductionOp.ADD, storage=storage)

    assert emitted(run, fx.Int32).names.count("gpu.barrier") == barriers


def test_a_start_goes_in_front_where_there_is_something_before(computed: Any) -> None:
    def run(before: Any, has_before: Any) -> Any:
        operator = operator_of(lambda a, b: a * 10 + b, before)
        known = Prefixes(before, None, before).behind(operator, fx.Int32(7))
        unknown = Prefixes(before, has_before, before).behind(operator, fx.Int32(7))
        assert known.has_before is unknown.has_before is None
        return known.before, unknown.before, unknown.aggregate

    traced = computed(run, fx.Int32, fx.Boolean)
    assert (traced(3, 1), traced(3, 0)) == ([73, 73, 3], [73, 7, 3])
