"""Locks that another thread holds while the process forks."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from flydsl.base.process import fork_locks
from flydsl.base.process.fork_locks import forks_wait, new_lock, new_rlock

pytestmark = pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # threads of JAX hold no lock of ours


@pytest.mark.parametrize("make", [new_lock, new_rlock])
def test_a_lock_that_another_thread_holds_is_free_in_the_child(make: Callable[[], Any]) -> None:
    lock, held, over = make(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            over.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    child = os.fork()
    if child == 0:
        os._exit(0 if lock.acquire(timeout=5) else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    over.set()
    thread.join()
    assert code == 0


def test_locks_go_with_what_holds_them() -> None:
    gc.collect()
    before = len(fork_locks._locks)
    lock = new_lock()
    assert len(fork_locks._locks) == before + 1
    del lock
    assert len(fork_locks._locks) == before


def test_a_fork_waits_for_the_blocks_of_other_threads_and_their_helpers() -> None:
    began, over, ended = threading.Event(), threading.Event(), threading.Event()

    def helper() -> None:
        with forks_wait():
            pass

    def work() -> None:
        with forks_wait():
            began.set()
            over.wait(60)
            thread = threading.Thread(target=helper)
            thread.start()
            thread.join()
            ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    began.wait(60)
    threading.Timer(0.1, over.set).start()
    child = os.fork()
    if child == 0:
        with forks_wait():  # nobody is within any more
            os._exit(0 if ended.is_set() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()


def test_a_fork_does_not_wait_for_ever_nor_for_its_own_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_locks, "PATIENCE", 0.1)
    began, over = threading.Event(), threading.Event()

    def work() -> None:
        with forks_wait():
            began.set()
            over.wait(60)

    thread = threading.Thread(target=work)
    thread.start()
    began.wait(60)
    with forks_wait():
        child = os.fork()
        if child == 0:
            os._exit(0)
    over.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
