"""Code that Python runs in the middle of a trace, in its thread, is no part of what is traced."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def count_kernel(y: fx.Tensor):
    y[0] = y[0] + 1


@flyc.jit
def count(y: fx.Tensor):
    count_kernel(y).launch(grid=1, block=1)


COUNTED = np.zeros(1, np.int32)


def count_once() -> None:
    count(COUNTED)


class Dying:
    def __del__(self) -> None:
        count_once()


class Plain:
    pass


def call_back(reference: object) -> None:
    count_once()


def by_signal() -> None:
    signal.raise_signal(signal.SIGUSR1)


def by_del() -> None:
    Dying()


def by_weakref() -> None:
    thing = Plain()
    HELD.append(weakref.ref(thing, call_back))


def by_finalize() -> None:
    weakref.finalize(Plain(), count_once)


def by_log() -> None:
    logging.getLogger("flydsl.interrupted").error("from a trace")


def by_collection() -> None:
    gc.collect()


HELD: list[object] = []


class LaunchingHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        count_once()


@contextmanager
def handled() -> Iterator[None]:
    """All kinds of handlers are there."""

    def on_signal(number: int, frame: object) -> None:
        count_once()

    def on_collection(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and sys._getframe(1).f_code.co_name == "by_collection":
            count_once()

    logger, handler = logging.getLogger("flydsl.interrupted"), LaunchingHandler()
    logger.propagate = False
    logger.addHandler(handler)
    before = signal.signal(signal.SIGUSR1, on_signal)
    gc.callbacks.append(on_collection)
    try:
        yield
    finally:
        gc.callbacks.remove(on_collection)
        signal.signal(signal.SIGUSR1, before)
        logger.removeHandler(handler)


@pytest.mark.filterwarnings("ignore::flydsl.base.errors.UnwatchedValueWarning")
@pytest.mark.parametrize("interrupt", [by_signal, by_del, by_weakref, by_finalize, by_log, by_collection])
@pytest.mark.parametrize("compiled", [False, True], ids=["jit", "compiled"])
def test_a_call_of_what_interrupts_a_trace_is_an_ordinary_one(interrupt: Callable[[], None], compiled, monkeypatch):
    function = flyc.compile(count, COUNTED) if compiled else count
    monkeypatch.setitem(globals(), "count", function)
    count_once()

    def helper(v):
        interrupt()
        return v * 2

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = helper(x[0])
        interrupt()

    @flyc.jit
    def run(x: fx.Tensor):
        interrupt()
        kernel(x).launch(grid=1, block=1)

    x = np.full(1, 3, np.int32)
    before = int(COUNTED[0])
    with handled():
        run(x)
    assert x[0] == 6
    assert COUNTED[0] == before + 3


def test_a_call_of_traced_code_stays_a_part_of_it():
    @flyc.jit
    def run(y: fx.Tensor):
        count(y)
        (lambda inner: inner(y))(count)
        list(map(count, [y]))

    y = np.zeros(1, np.int32)
    run(y)
    assert y[0] == 3
    run(y)
    assert y[0] == 6
