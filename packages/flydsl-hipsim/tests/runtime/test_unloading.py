"""Code on simulated devices is unloaded when nothing refers to it: what a process holds stays bounded."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path
from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.runtime.device import Device
from flydsl_hipsim.bench import HipsimBench
from flydsl_hipsim.simulator import hip_functions

ROUNDS = 60


@flyc.kernel
def fill_kernel(x: fx.Pointer, value: fx.Int32) -> None:
    x[fx.thread_idx.x] = value


def fill(x: fx.Tensor, value: fx.Int32, stream: fx.Stream = fx.Stream(None)) -> None:
    fill_kernel(fx.get_iter(x), value).launch(grid=1, block=32, stream=stream)


def modules(hipsim: HipsimBench) -> int:
    gc.collect()
    return next((int(line.split()[1]) for line in hipsim.report() if line.endswith(" modules")), 0)


def mappings() -> int:
    return len(Path("/proc/self/maps").read_text().splitlines())


def test_a_function_that_is_dropped_takes_its_code_along(hipsim: HipsimBench) -> None:
    x, before = np.zeros(32, np.int32), modules(hipsim)
    for value in range(1, 6):
        flyc.jit(fill)(x, value)
        assert (x == value).all()
        assert modules(hipsim) == before


def test_work_in_a_stream_keeps_its_code(hipsim: HipsimBench) -> None:
    xs, before = np.zeros((5, 32), np.int32), modules(hipsim)
    with Device(0).create_stream() as stream:
        for value, x in enumerate(xs):
            flyc.jit(fill)(x, value, stream)
            gc.collect()
        stream.sync()
    assert (xs == np.arange(5)[:, None]).all()
    assert modules(hipsim) == before


def test_code_is_unloaded_without_a_word_while_a_device_has_a_fault(hipsim: HipsimBench) -> None:
    x, before = np.zeros(32, np.int32), modules(hipsim)
    prepared: Any = flyc.jit(fill).prepare(x, 1)
    assert modules(hipsim) == before + 1
    nowhere = flyc.from_c_void_p(fx.Int32, 16)

    @flyc.jit
    def at_null(p: fx.Pointer) -> None:
        fill_kernel(p, 1).launch(grid=1, block=32)

    at_null(nowhere)
    assert hip_functions().hipDeviceSynchronize() == 700
    del prepared, at_null
    assert modules(hipsim) == before


def test_modules_that_come_and_go_leave_nothing_behind(hipsim: HipsimBench) -> None:
    artifact = flyc.jit(fill).prepare(np.zeros(32, np.int32), 1).artifact
    hip, name = hip_functions(), artifact.kernels[0].encode()
    before, maps = modules(hipsim), mappings()
    for _ in range(ROUNDS):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        assert hip.hipModuleLoadData(ctypes.byref(module), artifact.device) == 0
        assert hip.hipModuleGetFunction(ctypes.byref(function), module, name) == 0
        assert hip.hipModuleUnload(module) == 0
    assert modules(hipsim) == before
    assert mappings() < maps + ROUNDS // 2
