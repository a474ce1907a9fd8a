"""Loads and stores of blocks in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


@pytest.mark.parametrize("name", ["DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE"])
def test_tensors_are_copied_up_to_a_limit(name: str, rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        Load = fx.coop.BlockLoad[fx.Int32, 64, 2, fx.coop.BlockLoadAlgorithm[name]]
        Store = fx.coop.BlockStore[fx.Int32, 64, 2, fx.coop.BlockStoreAlgorithm[name]]
        storage = fx.SharedAllocator().allocate(Load.SharedStorage).peek()
        items = Load(x, offset=3, valid_items=101, default=-1, storage=storage)
        fx.barrier()
        Store(y, items, offset=1, storage=storage)

    x = rng.integers(0, 999, 128).astype(np.int32)
    y = np.zeros(130, np.int32)
    launch(run, x, y, block=64)
    np.testing.assert_array_equal(y, [0, *x[3:104], *[-1] * 27, 0])


def test_pointers_are_read_by_vectors(emitted: Any) -> None:
    def run(x: Any) -> Any:
        pointer = fx.inttoptr(fx.PointerType.get(fx.Int32.ir_type, fx.AddressSpace.Global, 8), fx.Int64(x))
        return fx.coop.BlockLoad[fx.Int32, 64, 2, fx.coop.BlockLoadAlgorithm.VECTORIZE](pointer)

    (load,) = [op for op in emitted(run, fx.Int64).ops if "fly.ptr.load" in op]
    assert "vector<2xi32>" in load


def test_a_wrong_number_of_items_is_refused(emitted: Any) -> None:
    with pytest.raises(TypeError, match="stores 2 items a thread, found 1"):
        emitted(lambda v: fx.coop.BlockStore[fx.Int32, 64, 2](None, v), fx.Int32)
