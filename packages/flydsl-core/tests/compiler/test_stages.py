"""Stages of a compilation by the fake toolchain: from a traced module to loaded code."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import PairMismatchError, RuntimeFailure
from flydsl.cache.entry import Entry
from flydsl.compiler.stages import Artifact, Traced
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.testing.fake_toolchain import FakeToolchain


@flyc.kernel
def add(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] + n


def host(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    add(x, y, n).launch(grid=1, block=8)
    add(x, y, n).launch(grid=1, block=n)


@pytest.fixture
def traced(fake_device: FakeToolchain) -> Traced:
    return flyc.jit(host).trace(np.zeros(8, np.int32), np.zeros(8, np.int32), 1)


def test_a_trace_names_its_kernels_their_blocks_and_what_they_write(traced: Traced) -> None:
    assert (traced.name, traced.target) == ("host", GPUTarget("fake", "fake1", 32))
    assert traced.kernels == ("add_0", "add_1")
    assert traced.blocks() == {"add_0": (8, 1, 1)}
    assert traced.written == (1,)


def test_lowering_leaves_the_trace_and_splits_host_from_device(traced: Traced) -> None:
    before = traced.text
    lowered = traced.lower()
    assert traced.text == before
    assert '"func.func"' not in lowered.device_text
    assert lowered.device_text.count('"gpu.func"') == 2
    assert lowered.host.sym_name.data == "host"
    assert "fly.memref" not in lowered.device_text


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
    import dataclasses

    artifact = dataclasses.replace(traced.lower().compile(), runtime_kind="other")
    with pytest.raises(PairMismatchError, match="artifact 'host'"):
        artifact.load()
