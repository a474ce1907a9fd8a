"""Specialisations: parameters, attributes, caching, and classes of a program's own."""

from __future__ import annotations

from enum import Enum
from typing import Any, ClassVar

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.block import _spec
from flydsl.extension.coop.block._spec import BlockAlgorithm, block_extents
from flydsl.extension.coop.block.storage import warp_storage
from flydsl.plugins.compile_backend import GPUTarget

BlockReduce, BlockScan = fx.coop.BlockReduce, fx.coop.BlockScan
Reduction, Scan = fx.coop.BlockReduceAlgorithm, fx.coop.BlockScanAlgorithm


@pytest.fixture(autouse=True)
def target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spec, "current_target", lambda: GPUTarget("fake", "fake1", 32))


def test_a_specialisation_has_its_parameters() -> None:
    P = BlockReduce[fx.Float32, (64, 2, 2)]
    assert (P.dtype, P.block_size, P.block_threads) == (fx.Float32, (64, 2, 2), 256)
    assert (P.algorithm, P.warp_threads, P.num_warps) == (Reduction.WARP_REDUCTIONS, 32, 8)
    assert P.SharedStorage.fields == {"slots": fx.Array[fx.Float32, 8]}
    assert issubclass(P, BlockReduce)


def test_equal_parameters_give_one_class() -> None:
    P = BlockScan[fx.Int32, 128]
    assert (
        P
        is BlockScan[fx.Int32, 128, Scan.WARP_SCANS]
        is BlockScan[fx.Int32, (128, 1, 1)]
        is BlockScan[fx.Int32, fx.Int32(128)]
    )
    others = (BlockScan[fx.Int32, 64], BlockScan[fx.Uint32, 128], BlockScan[fx.Int32, 128, Scan.RAKING])
    assert P not in (*others, fx.coop.universal.BlockScan[fx.Int32, 128])


def test_a_block_below_a_warp_is_its_warp() -> None:
    P = BlockReduce[fx.Int32, 8, Reduction.RAKING]
    assert (P.warp_threads, P.num_warps) == (8, 1)
    assert P.SharedStorage.fields == {"slots": fx.Array[fx.Int32, 1], "result": fx.Array[fx.Int32, 1]}
    wide = BlockReduce[fx.Int32, 96, Reduction.RAKING]
    assert wide.SharedStorage.fields["slots"] == fx.Array[fx.Int32, 96]


def test_a_last_warp_may_have_fewer_threads() -> None:
    assert [BlockReduce[fx.Int32, n].warp_threads for n in (1, 3, 20, 33, 100)] == [1, 4, 32, 32, 32]
    assert [BlockReduce[fx.Int32, n].num_warps for n in (1, 3, 20, 33, 100)] == [1, 1, 1, 2, 4]
    assert BlockReduce[fx.Int32, 100].SharedStorage.fields == {"slots": fx.Array[fx.Int32, 4]}


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        (fx.Int32, TypeError, "write BlockReduce"),
        ((fx.Int32,), TypeError, "write BlockReduce"),
        ((fx.Int32, 32, None, 4), TypeError, "write BlockReduce"),
        ((int, 32), TypeError, "a type of elements"),
        ((fx.Int32, 32.0), TypeError, "block_size is a number of threads"),
        ((fx.Int32, True), TypeError, "block_size is a number of threads"),
        ((fx.Int32, ()), TypeError, "block_size is a number of threads"),
        ((fx.Int32, (1, 1, 1, 1)), TypeError, "block_size is a number of threads"),
        ((fx.Int32, 0), ValueError, "1 to 1024 threads"),
        ((fx.Int32, 2048), ValueError, "1 to 1024 threads"),
        ((fx.Int32, 32, Scan.RAKING), TypeError, "an algorithm of BlockReduce is"),
        ((fx.Int32, 32, "raking"), TypeError, "an algorithm of BlockReduce is"),
        (
            (fx.Int32, 32, Reduction.RAKING_COMMUTATIVE_ONLY),
            NotImplementedError,
            "BlockReduceAlgorithm.RAKING_COMMUTATIVE_ONLY is not implemented",
        ),
    ],
)
def test_wrong_parameters_are_refused(parameters: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BlockReduce[parameters]


def test_what_has_no_implementation_says_so() -> None:
    with pytest.raises(NotImplementedError, match="BlockScanAlgorithm.RAKING_MEMOIZE is not implemented"):
        BlockScan[fx.Int32, 32, Scan.RAKING_MEMOIZE]
    with pytest.raises(NotImplementedError, match="WARP_REDUCTIONS_NONDETERMINISTIC"):
        BlockReduce[fx.Int32, 32, Reduction.WARP_REDUCTIONS_NONDETERMINISTIC]


def test_a_class_is_specialised_once_and_before_it_is_called() -> None:
    with pytest.raises(TypeError, match="is specialised already"):
        BlockReduce[fx.Int32, 32][fx.Int32, 32]
    with pytest.raises(TypeError, match="is called after it is specialised"):
        BlockReduce(fx.Int32(1), fx.ReductionOp.ADD)
    with pytest.raises(TypeError, match="is specialised before it scans"):
        BlockScan.inclusive(fx.Int32(1), fx.ReductionOp.ADD)


class Own(Enum):
    """Algorithms of a program's own."""

    GOOD = 1
    MISSING = 2


class Choosing(BlockAlgorithm):
    """A class of a program's own."""

    _algorithms = Own
    _shared_storage: ClassVar = {Own.GOOD: warp_storage}


def test_the_default_is_the_first_algorithm_that_a_class_implements() -> None:
    assert Choosing.specialised(fx.Int32, 64).algorithm is Own.GOOD
    assert Choosing.specialised(fx.Int32, 64, Own.GOOD) is Choosing.specialised(fx.Int32, 64)
    assert Choosing.specialised(fx.Int32, 64).num_warps == 2
    with pytest.raises(NotImplementedError, match="Own.MISSING is not implemented"):
        Choosing.specialised(fx.Int32, 64, Own.MISSING)


def test_a_class_has_its_facts_in_its_name() -> None:
    assert BlockReduce[fx.Int32, 64].__name__ == "BlockReduce[Int32, (64, 1, 1), WARP_REDUCTIONS]"


def test_extents_are_three() -> None:
    assert [block_extents(size) for size in (8, (8,), [8, 2], (8, 2, 3))] == [
        (8, 1, 1),
        (8, 1, 1),
        (8, 2, 1),
        (8, 2, 3),
    ]
