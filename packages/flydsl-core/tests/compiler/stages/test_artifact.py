"""Artifacts by the fake toolchain: cache entries, loading, and what is refused before it runs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import PairMismatchError, RuntimeFailure
from flydsl.cache.entry import Entry
from flydsl.compiler.stages.artifact import Artifact
from flydsl.compiler.stages.pipeline import Traced
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import claim_runtime
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import FakeRuntime


@flyc.kernel
def add(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] + n


def host(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    add(x, y, n).launch(grid=1, block=8)
    add(x, y, n).launch(grid=1, block=n)


@pytest.fixture
def traced(fake_device: FakeToolchain) -> Traced:
    return flyc.jit(host).trace(np.zeros(8, np.int32), np.zeros(8, np.int32), 1)


def test_an_artifact_goes_through_a_cache_entry_unchanged(traced: Traced) -> None:
    artifact = traced.lower().compile()
    entry = artifact.to_entry()
    assert isinstance(entry, Entry)
    assert Artifact.from_entry(entry) == artifact
    assert artifact.runtime_kind == "fake"
    assert [slot.kind for slot in artifact.slots] == ["pointer", "struct", "pointer", "struct", "scalar"]


def test_code_is_loaded_on_the_device_asked_for(traced: Traced) -> None:
    loaded = traced.lower().compile().load(0)
    assert loaded.ordinal == 0
    assert loaded.module != 0
    assert loaded.artifact.kernels == ("add_0", "add_1")


def test_a_block_beyond_the_device_is_refused_before_it_runs(fake_device: FakeToolchain) -> None:
    def wide(x: fx.Tensor):
        add(x, x, 1).launch(grid=1, block=2048)

    artifact = flyc.jit(wide).trace(np.zeros(8, np.int32)).lower().compile()
    with pytest.raises(
        RuntimeFailure, match=r"kernel 'add_0': a block of \(2048, 1, 1\) threads is above the limit of 1024"
    ):
        artifact.load()


def test_code_of_another_pair_is_not_loaded(traced: Traced) -> None:
    artifact = dataclasses.replace(traced.lower().compile(), runtime_kind="other")
    with pytest.raises(PairMismatchError, match="artifact 'host'"):
        artifact.load()


def test_the_runtime_of_the_pair_loads_the_code(traced: Traced) -> None:
    artifact = traced.lower().compile()
    artifact.load()
    runtime = claim_runtime(active_pair())
    assert isinstance(runtime, FakeRuntime)
    assert runtime.table.loads == [(0, artifact.device, ["add_0", "add_1"])]
