"""Prepared functions: they keep their code, count their arguments and say how many blocks fit."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.cache.dependencies import dependencies
from flydsl.testing.fakes import FakeRuntime


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


def fill(x: fx.Tensor, n: fx.Int32 = 1):
    store(x, n).launch(grid=1, block=64)


def dynamic(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=n)


def test_it_launches_and_keeps_its_code(fake_device):
    compiled = flyc.compile(flyc.jit(fill), np.zeros(4, np.int32), launch=False)
    assert fake_device.launches == []
    compiled(np.zeros(4, np.int32), 7)
    assert len(fake_device.launches) == 1
    assert compiled.artifact.kernels == ("store_0",)
    assert repr(compiled) == f"<compiled fill for {compiled.artifact.target}>"


@pytest.mark.usefixtures("fake_device")
def test_to_functions_that_read_it_it_is_its_code():
    """Not the registry, the runtime and all else that it leads to."""
    texts = set()
    for kind in (np.int32, np.float32, np.int32):
        compiled = flyc.compile(flyc.jit(fill), np.zeros(4, kind))

        def caller():
            return compiled  # noqa: B023

        found = dependencies(caller)
        assert found.unguarded == ""
        texts.add(found.token)
    assert len(texts) == 2


@pytest.mark.usefixtures("fake_device")
def test_as_many_arguments_are_taken_as_were_given_to_compile():
    compiled = flyc.compile(flyc.jit(fill), np.zeros(4, np.int32))
    compiled(np.zeros(4, np.int32))
    with pytest.raises(
        ArgumentError, match=r"fill was compiled for 1 arguments \(x\), found 0; pass as many"
    ) as caught:
        compiled()
    assert caught.value.location.file == __file__


@pytest.mark.usefixtures("fake_device")
def test_blocks_of_a_unit_are_asked_of_the_runtime(monkeypatch):
    asked = []

    def blocks(self, ordinal, kernel, block):
        asked.append((ordinal, kernel, block))
        return 5

    monkeypatch.setattr(FakeRuntime, "max_blocks_per_unit", blocks)
    compiled = flyc.compile(flyc.jit(fill), np.zeros(4, np.int32))
    assert compiled.max_blocks_per_cu() == 5
    assert asked == [(0, 0x100, (64, 1, 1))]


@pytest.mark.usefixtures("fake_device")
def test_a_block_size_of_run_time_has_no_answer():
    compiled = flyc.compile(flyc.jit(dynamic), np.zeros(4, np.int32), 8)
    with pytest.raises(RuntimeFailure, match="kernel 'store_0' is launched with a block size of run time"):
        compiled.max_blocks_per_cu()
