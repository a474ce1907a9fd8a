"""The names of block algorithms."""

from __future__ import annotations

from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm, BlockScanAlgorithm


def test_algorithms_have_these_names() -> None:
    assert [one.name for one in BlockReduceAlgorithm] == [
        "WARP_REDUCTIONS",
        "RAKING",
        "RAKING_COMMUTATIVE_ONLY",
        "WARP_REDUCTIONS_NONDETERMINISTIC",
    ]
    assert [one.name for one in BlockScanAlgorithm] == ["WARP_SCANS", "RAKING", "RAKING_MEMOIZE"]
