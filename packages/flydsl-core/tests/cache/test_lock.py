"""One computation a key, whoever asks, in threads and processes."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flydsl.base.files.private_folder import PrivateFolder
from flydsl.cache.lock import Once, file_lock


def test_threads_that_ask_together_compute_once() -> None:
    once: Once[str, int] = Once()
    gate, calls = threading.Barrier(16), []

    def compute() -> int:
        calls.append(1)
        time.sleep(0.05)
        return 7

    def ask(_: int) -> int:
        gate.wait()
        return once.get("key", compute)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, range(16))) == [7] * 16
    assert len(calls) == 1


def test_other_keys_are_computed_while_one_is_under_way() -> None:
    once: Once[str, int] = Once()
    inside, leave = threading.Event(), threading.Event()

    def slow() -> int:
        inside.set()
        leave.wait(10)
        return 1

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(once.get, "slow", slow)
        inside.wait(10)
        assert once.get("quick", lambda: 2) == 2
        leave.set()
        assert first.result() == 1
    assert once.get("slow", lambda: 2) == 1


def test_failure_reaches_all_who_wait_and_is_not_kept() -> None:
    once: Once[str, int] = Once()
    inside = threading.Event()

    def fail() -> int:
        inside.set()
        time.sleep(0.05)
        raise ZeroDivisionError

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(once.get, "key", fail)
        inside.wait(10)
        second = pool.submit(once.get, "key", fail)
        for future in (first, second):
            with pytest.raises(ZeroDivisionError):
                future.result()
    assert once.get("key", lambda: 3) == 3


def test_interrupted_computation_is_taken_over_by_a_waiting_thread() -> None:
    once: Once[str, int] = Once()
    inside, waiting = threading.Event(), threading.Event()

    def interrupted() -> int:
        inside.set()
        waiting.wait(10)
        time.sleep(0.05)
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(once.get, "key", interrupted)
        inside.wait(10)
        second = pool.submit(lambda: (waiting.set(), once.get("key", lambda: 4))[1])
        with pytest.raises(KeyboardInterrupt):
            first.result()
        assert second.result() == 4


def test_computation_that_asks_for_itself_is_an_error_and_no_deadlock() -> None:
    once: Once[str, int] = Once()
    with pytest.raises(RuntimeError, match="asks for itself"):
        once.get("key", lambda: once.get("key", lambda: 1))
    assert once.get("key", lambda: 1) == 1


def test_its_length_is_the_number_of_values() -> None:
    once: Once[str, int] = Once()
    assert [once.get(key, lambda: 1) for key in "aab"] == [1, 1, 1]
    assert len(once) == 2


def test_child_of_a_fork_does_not_wait_for_a_thread_of_its_parent() -> None:
    code = """
import os, threading
from flydsl.cache.lock import Once
once, inside, leave = Once(), threading.Event(), threading.Event()
threading.Thread(target=once.get, args=("key", lambda: (inside.set(), leave.wait(20)))).start()
inside.wait()
child = os.fork()
if child == 0:
    os._exit(once.get("key", lambda: 5))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
leave.set()
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "5", done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[PrivateFolder]:
    with PrivateFolder.open(tmp_path / "locks", create=True) as folder:
        yield folder


def test_file_lock_is_held_by_one_and_removed_after(folder: PrivateFolder) -> None:
    with file_lock(folder, "key.lock") as held:
        assert held
        with file_lock(folder, "key.lock", timeout=0.05) as second:
            assert not second
    assert list(folder.listing()) == []
    with file_lock(folder, "key.lock") as held:
        assert held


def test_lock_of_a_killed_process_is_free(folder: PrivateFolder) -> None:
    code = f"""
import os, signal
from flydsl.base.files.private_folder import PrivateFolder
from flydsl.cache.lock import file_lock
with file_lock(PrivateFolder.open({folder.path!r}), "a.lock") as held:
    assert held
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert [name for name, _ in folder.listing()] == ["a.lock"]
    with file_lock(folder, "a.lock", timeout=0.0) as held:
        assert held


@pytest.mark.parametrize("error", [errno.ENOLCK, errno.EPERM, errno.EIO])
def test_file_system_without_locks_is_no_error(
    folder: PrivateFolder, error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr("fcntl.flock", refuse)
    with file_lock(folder, "a.lock") as held:
        assert not held


@pytest.mark.parametrize("plant", [os.mkdir, os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_no_file_is_no_lock(folder: PrivateFolder, plant: Callable[[str], None]) -> None:
    plant(os.path.join(folder.path, "a.lock"))
    with file_lock(folder, "a.lock") as held:
        assert not held


def test_lock_in_a_removed_folder_is_no_error(folder: PrivateFolder) -> None:
    os.rmdir(folder.path)
    with file_lock(folder, "a.lock") as held:
        assert not held
