"""Another user of this machine: files that are made theirs, and work that is done as them."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

OTHER = 65534
"""The user `nobody`."""
IS_ROOT = os.geteuid() == 0


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `path` another user's: root can, and for others the system's answers are made to say so."""
    if IS_ROOT:
        os.chown(path, OTHER, -1, follow_symlinks=False)
        return
    number = os.lstat(path).st_ino
    for name in ("fstat", "lstat", "stat"):
        monkeypatch.setattr(os, name, _answering(getattr(os, name), number))


def _answering(real: Callable[..., os.stat_result], number: int) -> Callable[..., os.stat_result]:
    def status(*args: object, **how: object) -> os.stat_result:
        found = real(*args, **how)
        return os.stat_result([*found[:4], OTHER, *found[5:]]) if found.st_ino == number else found

    return status


def run_as_other(work: Callable[[], None]) -> None:
    """Do `work`, with what is imported by now, in a child process of another user; as oneself if one is not root."""

    def become_other() -> None:
        if IS_ROOT:
            os.setgroups([])
            os.setresgid(OTHER, OTHER, OTHER)
            os.setresuid(OTHER, OTHER, OTHER)
        work()

    assert os.waitstatus_to_exitcode(os.waitpid(forked(become_other), 0)[1]) == 0


def forked(work: Callable[[], None]) -> int:
    """The number of a child process that does `work` and ends, with status 1 after an exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # neither threads of pytest-timeout nor those of JAX hold a lock of ours
        child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child
