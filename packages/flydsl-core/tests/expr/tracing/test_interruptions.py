"""Frames that interrupt a trace, told by how Python calls them."""

from __future__ import annotations

import gc
import signal
import weakref
from collections.abc import Callable, Iterator

import pytest

from flydsl.base.interception import EMITTER, is_tracing
from flydsl.expr.tracing.interruptions import is_part_of_trace, outside_of_trace


@pytest.fixture(autouse=True)
def in_a_trace() -> Iterator[None]:
    token = EMITTER.set(object())
    yield
    EMITTER.reset(token)


class Thing:
    def __init__(self, seen: list[bool]) -> None:
        self.seen = seen

    def __del__(self) -> None:
        self.seen.append(is_part_of_trace())


def by_signal(seen: list[bool]) -> None:
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(is_part_of_trace()))
    try:
        signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)


def by_function(seen: list[bool]) -> None:
    def handle(number: int, frame: object) -> None:
        seen.append(is_part_of_trace())

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)


def by_del(seen: list[bool]) -> None:
    Thing(seen)


def by_reference(seen: list[bool]) -> None:
    def gone(reference: object) -> None:
        seen.append(is_part_of_trace())

    held = Thing([])
    reference = weakref.ref(held, gone)
    del held
    assert reference() is None


def by_finalizer(seen: list[bool]) -> None:
    weakref.finalize(Thing([]), lambda: seen.append(is_part_of_trace()))


def by_collection(seen: list[bool]) -> None:
    def note(phase: str, info: dict[str, int]) -> None:
        seen.append(is_part_of_trace())

    gc.callbacks.append(note)
    try:
        gc.collect(0)
    finally:
        gc.callbacks.remove(note)


@pytest.mark.parametrize("way", [by_signal, by_function, by_del, by_reference, by_finalizer, by_collection])
def test_what_python_calls_is_no_part_of_a_trace(way: Callable[[list[bool]], None]) -> None:
    seen: list[bool] = []
    way(seen)
    assert seen
    assert not any(seen)


def test_what_traced_code_calls_is_part_of_it() -> None:
    def called(start: str, info: dict[str, int]) -> bool:
        return is_part_of_trace()

    assert is_part_of_trace()
    assert called("begin", {})
    assert list(map(lambda value: is_part_of_trace(), [1])) == [True]  # noqa: C417


def test_a_block_is_outside() -> None:
    with outside_of_trace():
        assert not is_tracing()
    assert is_tracing()
