"""What a function reads may change between two calls of one process: the next call must see it."""

from __future__ import annotations

import threading

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

SCALE = 2
TABLE = [1, 2, 3]


def helper(value):
    return value + 10


class Constants:
    OFFSET = 5


@flyc.kernel
def reads(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = helper(x[i] * SCALE) + Constants.OFFSET + TABLE[1]


@flyc.jit
def run(x: fx.Tensor, y: fx.Tensor):
    reads(x, y).launch(grid=1, block=8)


def result(function=None):
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    (function or run)(x, y)
    return x, y


def test_globals_helpers_class_attributes_and_containers_are_noticed(monkeypatch):
    x, y = result()
    np.testing.assert_array_equal(y, x * 2 + 10 + 5 + 2)
    monkeypatch.setitem(globals(), "SCALE", 7)
    np.testing.assert_array_equal(result()[1], x * 7 + 10 + 5 + 2)
    monkeypatch.setattr(Constants, "OFFSET", 100)
    np.testing.assert_array_equal(result()[1], x * 7 + 10 + 100 + 2)
    TABLE[1] = 1000
    np.testing.assert_array_equal(result()[1], x * 7 + 10 + 100 + 1000)
    monkeypatch.setitem(globals(), "helper", lambda value: value - 1)
    np.testing.assert_array_equal(result()[1], x * 7 - 1 + 100 + 1000)
    monkeypatch.undo()
    TABLE[1] = 2
    np.testing.assert_array_equal(result()[1], x * 2 + 10 + 5 + 2)


def make(amount):
    @flyc.kernel
    def closed(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = x[fx.thread_idx.x] + amount

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        closed(x, y).launch(grid=1, block=8)

    def change(new):
        nonlocal amount
        amount = new

    return launch, change


def test_closure_cells_are_noticed():
    launch, change = make(3)
    x, y = result(launch)
    np.testing.assert_array_equal(y, x + 3)
    change(40)
    np.testing.assert_array_equal(result(launch)[1], x + 40)


def test_marking_a_layout_makes_code_of_its_own():
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    static = flyc.from_dlpack(x)
    run(static, flyc.from_dlpack(y))
    np.testing.assert_array_equal(y, x * 2 + 17)
    y[:] = 0
    run(flyc.from_dlpack(x).mark_layout_dynamic(), flyc.from_dlpack(y).mark_layout_dynamic(divisibility=4))
    np.testing.assert_array_equal(y, x * 2 + 17)


def test_many_threads_compile_a_cold_kernel_once_and_launch_it_rightly(monkeypatch):
    compiled = []
    original = flyc.Lowered.compile
    monkeypatch.setattr(flyc.Lowered, "compile", lambda lowered: compiled.append(lowered) or original(lowered))
    launch, _ = make(11)
    errors = []

    def work(seed):
        x, y = np.arange(seed, seed + 8, dtype=np.int32), np.zeros(8, np.int32)
        for _ in range(50):
            launch(x, y)
            if not np.array_equal(y, x + 11):
                errors.append((x, y.copy()))
            y[:] = 0

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(compiled) == 1


def test_a_prepared_function_keeps_its_code_and_hands_on_other_layouts(monkeypatch):
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    prepared = flyc.compile(run, x, y)
    monkeypatch.setitem(globals(), "SCALE", 7)
    prepared(x, y)
    np.testing.assert_array_equal(y, x * 2 + 10 + 5 + 2)
    wide, narrow = np.arange(16, dtype=np.int32)[::2], np.zeros(8, np.int16)
    prepared(wide, y)
    np.testing.assert_array_equal(y, wide * 7 + 10 + 5 + 2)
    prepared(x, narrow)
    np.testing.assert_array_equal(narrow, x * 7 + 10 + 5 + 2)
