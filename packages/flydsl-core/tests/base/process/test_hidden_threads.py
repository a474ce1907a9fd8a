"""Threads of FlyDSL's own run beside the program's, and are not among those that it counts."""

from __future__ import annotations

import threading

from flydsl.base.process.hidden_threads import start_hidden


def test_a_thread_runs_and_the_program_does_not_count_it() -> None:
    before, entered, leave = threading.active_count(), threading.Event(), threading.Event()
    identities: list[int] = []

    def run() -> None:
        identities.append(threading.get_ident())
        entered.set()
        leave.wait(30)

    start_hidden(run)
    assert entered.wait(30)
    assert threading.active_count() == before
    assert identities != [threading.get_ident()]
    leave.set()
