"""Compiled kernels are unloaded when nothing refers to them: maps and files of a process stay bounded."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.runtime.device import Device

ROUNDS = 60
FEW = 40
"""Mappings that allocators may add meanwhile; a kernel has four."""


@flyc.kernel
def fill_kernel(x: fx.Tensor, value: fx.Int32):
    x[fx.thread_idx.x] = value


def fill(x: fx.Tensor, value: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    fill_kernel(x, value).launch(grid=1, block=32, stream=stream)


def mappings() -> int:
    gc.collect()
    return len(Path("/proc/self/maps").read_text().splitlines())


def test_a_function_that_is_dropped_takes_its_code_along():
    x = np.zeros(32, np.int32)
    flyc.jit(fill)(x, 1)
    before, files = mappings(), len(os.listdir("/proc/self/fd"))
    for value in range(ROUNDS):
        flyc.jit(fill)(x, value)
        assert (x == value).all()
    assert mappings() < before + FEW
    assert len(os.listdir("/proc/self/fd")) == files


def test_an_artifact_loaded_many_times_leaves_nothing_behind():
    artifact = flyc.jit(fill).prepare(np.zeros(32, np.int32), 1).artifact
    before = mappings()
    for _ in range(ROUNDS):
        assert artifact.load().module.value
    assert mappings() < before + FEW


def test_a_loaded_kernel_takes_few_memory_maps():
    """A process may have 65,530."""
    artifact = flyc.jit(fill).prepare(np.zeros(32, np.int32), 1).artifact
    before = mappings()
    loaded = [artifact.load() for _ in range(ROUNDS)]
    assert mappings() - before < 4 * ROUNDS + FEW
    del loaded


def test_a_prepared_function_keeps_its_code():
    x = np.zeros(32, np.int32)
    prepared = flyc.jit(fill).prepare(x, 1)
    gc.collect()
    prepared(x, 7, None)
    assert (x == 7).all()


def test_work_in_a_stream_keeps_its_code():
    xs = np.zeros((10, 32), np.int32)
    with Device(0).create_stream() as stream:
        for value, x in enumerate(xs):
            flyc.jit(fill)(x, value, stream)
            gc.collect()
        stream.sync()
    assert (xs == np.arange(10)[:, None]).all()
