"""Calls in another thread, which what a signal handler raises abandons."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pytest

from flydsl.toolchain import interruptible as module
from flydsl.toolchain.interruptible import interruptible

NAME: ContextVar[str] = ContextVar("name", default="")


class Interrupt(Exception):
    """What the handler raises."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    def handler(*_: object) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def ends_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of the tests ends with its handlers."""
    monkeypatch.setattr(module, "_end_without_destructors", lambda: None)


def test_values_errors_and_the_context_are_those_of_the_call() -> None:
    NAME.set("mine")
    name, thread = interruptible(lambda: (NAME.get(), threading.get_ident()))
    assert name == "mine"
    assert thread != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0)
    with pytest.raises(SystemExit):
        interruptible(lambda: exit(3))


def test_one_thread_serves_all_calls_and_other_threads_make_their_own() -> None:
    assert interruptible(threading.get_ident) == interruptible(threading.get_ident) != threading.get_ident()
    found: list[bool] = []
    other = threading.Thread(target=lambda: found.append(interruptible(threading.get_ident) == threading.get_ident()))
    other.start()
    other.join()
    assert found == [True]


def test_a_handler_that_raises_ends_the_wait_and_the_next_call_does_not_wait_for_the_abandoned_one() -> None:
    held, done = threading.Event(), threading.Event()

    def stage() -> None:
        held.wait(60)
        done.set()

    begin = time.monotonic()
    with pytest.raises(Interrupt), alarm(0.05):
        interruptible(stage)
    assert interruptible(lambda: 7) == 7
    assert time.monotonic() - begin < 30
    assert not done.is_set()
    held.set()
    assert done.wait(30)


def test_a_handler_may_call_while_a_call_waits() -> None:
    found: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: found.append(interruptible(lambda: 7)))
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        interruptible(lambda: time.sleep(0.2))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert found == [7]


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # threads of JAX hold no lock of ours
def test_a_child_has_a_thread_of_its_own() -> None:
    interruptible(lambda: None)
    child = os.fork()
    if child == 0:
        with alarm(20):
            os._exit(interruptible(lambda: 5))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
