"""Many processes on one folder, some of them killed: entries are whole or absent, and never another's."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flydsl.cache.entry import Entry
from flydsl.cache.store import Store

PROCESSES, ENTRIES = 4, 12

WORKER = """
import random, sys
from flydsl.cache.entry import Entry
from flydsl.cache.store import Store

folder, seed, rounds, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
order = random.Random(seed)
store = Store(folder, limit=limit)
print("ready", flush=True)

def make(number):
    return Entry({"ir": str(number)}, {"name": str(number)}, {"device": str(number).encode() * 5000, "host": b"h"})

for _ in range(rounds):
    number = order.randrange(int(sys.argv[5]))
    found = store.fetch({"ir": str(number)}, lambda: make(number))
    assert found == make(number), number
    store.link({"sources": str(number)}, {"ir": str(number)})
    assert store.resolve({"sources": str(number)}) in (None, {"ir": str(number)})
"""


def start(folder: Path, seed: int, rounds: int, limit: int = 1 << 30) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(folder), str(seed), str(rounds), str(limit), str(ENTRIES)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check(folder: Path) -> int:
    """Every entry that is there is right; the number of them."""
    store, found = Store(folder), 0
    for number in range(ENTRIES):
        entry = store.load({"ir": str(number)})
        if entry is not None:
            found += 1
            assert entry == Entry(
                {"ir": str(number)}, {"name": str(number)}, {"device": str(number).encode() * 5000, "host": b"h"}
            )
    return found


@pytest.mark.parametrize("limit", [1 << 30, 60_000], ids=["roomy", "evicting"])
def test_processes_that_share_a_folder_get_right_entries(tmp_path: Path, limit: int) -> None:
    workers = [start(tmp_path, seed, 120, limit) for seed in range(PROCESSES)]
    for worker in workers:
        _, errors = worker.communicate(timeout=60)
        assert worker.returncode == 0, errors
        assert errors == ""
    assert check(tmp_path) == ENTRIES or limit < 1 << 30


def test_killed_processes_leave_a_usable_folder(tmp_path: Path) -> None:
    chance = random.Random(7)
    for seed in range(8):
        workers = [start(tmp_path, 10 * seed + i, 1_000_000, 60_000) for i in range(2)]
        for worker in workers:
            assert worker.stdout is not None
            worker.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.05))
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
            _, errors = worker.communicate(timeout=60)
            assert errors == ""
        check(tmp_path)
    last = start(tmp_path, 99, 100)
    _, errors = last.communicate(timeout=60)
    assert last.returncode == 0, errors
    assert check(tmp_path) >= 6


def test_processes_make_one_entry_once_when_the_host_has_locks(tmp_path: Path) -> None:
    code = f"""
import time
from pathlib import Path
from flydsl.cache.entry import Entry
from flydsl.cache.store import Store
def make():
    time.sleep(0.3)
    with open({str(tmp_path / "made")!r}, "a") as log:
        log.write("x")
    return Entry({{"ir": "slow"}})
Store({str(tmp_path / "cache")!r}).fetch({{"ir": "slow"}}, make)
"""
    workers = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]
    assert (tmp_path / "made").read_text() == "x"
