"""Objects that export a copy at each question: a launch uses one, and its memory lives until the launch has ended."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.dlpack_capsules import Exporting, capsule_of

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTensorError
from flydsl.runtime.device import Device
from flydsl.runtime.retained import retained

BLOCK = 64


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < y.shape[0]:
        y[i] = x[i]


@flyc.jit
def copy(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    copy_kernel(x, y).launch(grid=fx.ceil_div(y.shape[0], BLOCK), block=BLOCK, stream=stream)


class Copier(Exporting):
    """Exports a copy; when the capsule goes, the copy becomes noise, so that whoever reads it later is seen."""

    def __init__(self, array: Any) -> None:
        super().__init__(self._copy)
        self.array, self.exports = array, 0

    def _copy(self) -> Any:
        self.exports += 1
        return capsule_of(Noisy.of(self.array), flags=2)


class Noisy(np.ndarray):
    """An array whose elements are -1 once nobody refers to it."""

    @classmethod
    def of(cls, array: Any) -> Any:
        made = array.copy().view(cls)
        made.whole = made.view(np.ndarray)  # the memory outlives the object
        POOL.append(made.whole)
        del POOL[:-64]
        return made

    def __del__(self) -> None:
        if hasattr(self, "whole"):
            self.whole[...] = -1


POOL: list[Any] = []


def bare(x: Any) -> Any:
    return x


WAYS: dict[str, Callable[[Any], Any]] = {
    "as it is": bare,
    "marked": lambda x: flyc.from_dlpack(x).mark_layout_dynamic(),
    "static": flyc.from_dlpack,
}


@pytest.mark.parametrize("way", WAYS)
def test_each_call_reads_its_own_copy(way: str) -> None:
    for call in range(6):  # the first one compiles, the others are stubs
        x, y = np.full(1000, call + 1, np.float32), np.zeros(1000, np.float32)
        copy(WAYS[way](Copier(x)), y)
        np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("way", WAYS)
def test_compiled_calls_do(way: str) -> None:
    x, y = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    compiled = flyc.compile(copy, WAYS[way](Copier(x)), y, fx.Stream(None))
    for factor in range(4):
        compiled(WAYS[way](Copier(factor * x)), y, fx.Stream(None))
        np.testing.assert_array_equal(y, factor * x)


def test_interpreted_calls_do() -> None:
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    flyc.interpret(copy)(Copier(x), y)
    np.testing.assert_array_equal(y, x)


def test_a_warm_call_exports_once() -> None:
    x, y = Copier(np.arange(100, dtype=np.float32)), np.zeros(100, np.float32)
    copy(x, y)
    before = x.exports
    copy(x, y)
    assert x.exports == before + 1


def test_copies_live_until_a_stream_has_used_them() -> None:
    stream = Device().create_stream()
    xs = [np.full(1 << 16, call + 1, np.float32) for call in range(20)]
    ys = [np.zeros_like(x) for x in xs]
    for x, y in zip(xs, ys, strict=True):
        copy(Copier(x), y, stream)
        gc.collect()
    stream.sync()
    for x, y in zip(xs, ys, strict=True):
        np.testing.assert_array_equal(y, x)


def test_nothing_is_kept_of_calls_on_the_default_stream() -> None:
    before = len(retained)
    copy(Copier(np.arange(100, dtype=np.float32)), np.zeros(100, np.float32))
    assert len(retained) <= before


def test_a_shape_that_changes_while_a_call_is_compiled_is_never_read_with_another() -> None:
    class Growing(Exporting):
        """One element more at each question."""

        def __init__(self) -> None:
            super().__init__(self._longer)
            self.count = 5

        def _longer(self) -> Any:
            self.count += 1
            return capsule_of(np.arange(self.count, dtype=np.float32))

    @flyc.kernel
    def size_kernel(x: fx.Tensor, y: fx.Tensor):
        y[0] = fx.Float32(x.shape[0])

    @flyc.jit
    def size(x: fx.Tensor, y: fx.Tensor):
        size_kernel(x, y).launch(grid=1, block=1)

    y = np.zeros(1, np.float32)
    for _ in range(4):
        x = Growing()
        size(x, y)
        assert 6 <= y[0] <= x.count


def test_what_is_written_is_no_copy() -> None:
    x, y = np.zeros(8, np.float32), Copier(np.zeros(8, np.float32))
    with pytest.raises(UnsupportedTensorError, match="exports a copy"):
        copy(x, y)
