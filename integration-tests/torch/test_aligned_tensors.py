"""A backend whose wide accesses must be aligned has code for tensors that are, and code for all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTensorError
from flydsl.compiler.call import native_site
from flydsl.compiler.jit import JitFunction
from flydsl.plugins.active.selection import choice

ALIGNMENT = 16


@pytest.fixture(autouse=True)
def aligned_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU backend, as if its accesses had to be aligned."""
    flyc.use_pair("cpu")
    pair = choice.pair
    assert pair is not None
    monkeypatch.setattr(choice, "pair", replace(pair, backend=replace(pair.backend, tensor_alignment=ALIGNMENT)))


@pytest.fixture(params=["reader", "stub"], autouse=True)
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "stub":
        monkeypatch.setattr(native_site, "_installed", lambda: (None, "not used"))


def tripling() -> tuple[Callable[..., None], list[int]]:
    """A function, and the alignments that it was traced for."""
    traced: list[int] = []

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor) -> None:
        traced.append(x.alignment)
        row, column = fx.block_idx.x, fx.thread_idx.x
        y[row, column] = x[row, column] * 3

    @flyc.jit
    def triple(x: fx.Tensor, y: fx.Tensor) -> None:
        rows, columns = x.shape
        kernel(x, y).launch(grid=rows, block=columns)

    return triple, traced


def numpy_at(offset: int) -> Any:
    """A tensor of shape (3, 8) that begins `offset` elements behind a multiple of the alignment."""
    memory = np.zeros(64, np.float32)
    first = (-memory.ctypes.data // 4) % (ALIGNMENT // 4)
    return memory[first + offset : first + offset + 24].reshape(3, 8)


def torch_at(offset: int) -> Any:
    return torch.from_numpy(numpy_at(offset))


@pytest.mark.parametrize("make", [numpy_at, torch_at])
def test_calls_with_and_without_alignment_alternate(make: Callable[[int], Any]) -> None:
    triple, traced = tripling()
    random = np.random.default_rng(0)
    for offset in (0, 1, 0, 2, 3, 0, 1):
        x, y = make(offset), make(0)
        values = random.standard_normal((3, 8)).astype(np.float32)
        x[:] = values if make is numpy_at else torch.from_numpy(values)
        triple(x, y)
        np.testing.assert_array_equal(np.asarray(y), values * np.float32(3))
    assert traced == [ALIGNMENT, 4], "one code for each alignment, whatever the order of the calls"


@pytest.mark.parametrize("make", [numpy_at, torch_at])
def test_tensors_that_are_misaligned_in_turn_share_one_code(
    make: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    triple, traced = tripling()
    prepared: list[object] = []
    prepare = JitFunction._prepare
    monkeypatch.setattr(JitFunction, "_prepare", lambda *given: (prepared.append(given), prepare(*given))[1])
    for first, second in [(0, 0), (1, 0), (0, 1), (2, 0), (0, 3), (0, 0)] * 2:
        x, y = make(first), make(second)
        x[:] = 2
        triple(x, y)
        assert (y == 6).all()
    assert traced == [ALIGNMENT, 4]
    assert len(prepared) == 2, "what came first, and what serves all"


def test_a_prepared_call_takes_both() -> None:
    triple, traced = tripling()
    x, y = numpy_at(0), numpy_at(0)
    prepared = triple.prepare(x, y)  # type: ignore[attr-defined]
    for offset in (0, 3, 0):
        x, y = numpy_at(offset), numpy_at(0)
        x[:] = offset + 1
        prepared(x, y)
        assert (y == 3 * (offset + 1)).all()
    assert sorted(set(traced)) == [4, ALIGNMENT]


def test_a_promise_of_the_caller_stays_a_promise() -> None:
    triple, traced = tripling()
    marked = flyc.from_dlpack(numpy_at(0), assumed_align=8)
    triple(marked, numpy_at(0))
    assert traced == [8]
    with pytest.raises(UnsupportedTensorError, match="not a multiple of 8 bytes"):
        triple(flyc.from_dlpack(numpy_at(1), assumed_align=8), numpy_at(0))
