"""Loads and stores of warps: their accesses, and what they do not take. Their numbers: integration-tests/kernels."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.extension.coop.warp.memory import WarpLoad, WarpLoadAlgorithm, WarpStore, WarpStoreAlgorithm


@pytest.mark.parametrize("name", ["DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE"])
def test_accesses(emitted: Any, name: str) -> None:
    def use(pointer: Any) -> None:
        items = WarpLoad[fx.Int32, 8, 4, WarpLoadAlgorithm[name]].load(pointer)
        WarpStore[fx.Int32, 8, 4, WarpStoreAlgorithm[name]].store(pointer, items)

    names = emitted(lambda address: use(fx.inttoptr(fx.PointerType.get(fx.Int32.ir_type, 1), address)), fx.Int64).names
    count = 1 if name == "VECTORIZE" else 4
    assert (names.count("fly.ptr.load"), names.count("fly.ptr.store")) == (count, count)
    assert ("gpu.shuffle" in names) == (name == "TRANSPOSE")


def test_direct_is_the_default() -> None:
    assert WarpLoad[fx.Int32, 8, 4].algorithm is WarpLoadAlgorithm.DIRECT
    assert WarpStore[fx.Int32, 8, 4].algorithm is WarpStoreAlgorithm.DIRECT


def test_wrong_calls_are_refused(emitted: Any) -> None:
    with pytest.raises(FrontendError, match="takes a WarpLoadAlgorithm, found <WarpStoreAlgorithm.DIRECT"):
        WarpLoad[fx.Int32, 8, 4, WarpStoreAlgorithm.DIRECT]
    with pytest.raises(FrontendError, match="stores 2 items a lane, found 1"):
        emitted(lambda v: WarpStore[fx.Int32, 8, 2].store(v, v), fx.Int32)
    with pytest.raises(FrontendError, match="needs a specialisation"):
        WarpLoad.load(None)
