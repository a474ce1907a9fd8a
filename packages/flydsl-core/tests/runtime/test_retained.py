"""Objects that are kept until work has ended, on a runtime that tells when."""

from __future__ import annotations

import gc
import os
import time
import weakref
from collections.abc import Callable

import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.retained import Retained, retainer
from flydsl.testing.fake_runtime import FakeRuntime


class Memory:
    """Stands for an export."""


class Slow(FakeRuntime):
    """Events are reached when the test says so."""

    ended: bool | None = False

    def is_reached(self, event: int) -> bool:
        if self.ended is None:
            raise RuntimeFailure("the event is part of a graph")
        return self.ended


def waited(condition: Callable[[], object]) -> bool:
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return bool(condition())


def kept_by(retained: Retained, runtime: FakeRuntime) -> weakref.ref[Memory]:
    memory = Memory()
    retained.keep(runtime, 0, 16, (memory,))
    return weakref.ref(memory)


def is_gone(memory: weakref.ref[Memory]) -> bool:
    gc.collect()
    return memory() is None


def test_objects_live_until_the_work_has_ended() -> None:
    retained, runtime = Retained(), Slow()
    memory = kept_by(retained, runtime)
    time.sleep(0.02)
    assert not is_gone(memory)
    runtime.ended = True
    assert waited(lambda: is_gone(memory))
    assert waited(lambda: runtime.calls[-1][0] == "destroy_event")
    again = kept_by(retained, runtime)  # another thread looks, the first has ended or goes on
    assert waited(lambda: is_gone(again))


@pytest.mark.parametrize("failing", ["create_event", "record_event", "is_reached"])
def test_objects_stay_for_good_where_nothing_tells_when_it_ends(failing: str) -> None:
    runtime = Slow(failing=failing)
    runtime.ended = None
    retained = Retained()
    memory = kept_by(retained, runtime)
    assert waited(lambda: not retained)
    assert not is_gone(memory)


def test_nothing_is_kept_for_work_that_has_ended() -> None:
    runtime = Slow()
    runtime.default_stream_waits = True
    retainer(runtime)(0, 0, (Memory(),))
    assert runtime.calls == []


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # threads of JAX hold no lock of ours
def test_a_child_keeps_none_of_the_work_and_can_keep_its_own() -> None:
    retained, runtime = Retained(), Slow()
    kept_by(retained, runtime)
    child = os.fork()
    if child == 0:
        runtime.ended = True
        was_empty = not retained
        memory = kept_by(retained, runtime)
        os._exit(0 if was_empty and waited(lambda: is_gone(memory)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    runtime.ended = True
    assert waited(lambda: not retained)
