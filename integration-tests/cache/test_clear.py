"""`flydsl cache clear` and the size limit while others use the folder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.cached_kernel import files, scaled

from flydsl.base.files import file_digest
from flydsl.cache.entry import Entry
from flydsl.cache.store import Store, default_store
from flydsl.tools.cache_cli import main as cache_command


def test_clear_leaves_nothing_that_was_made(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(file_digest, "SETTLED_NS", -(10**9))  # digests of files that were written just now, too
    scaled(2.0)
    shelf = files(cache, ".entry")[0].parent
    for name in (".killed.entry.1.ab.tmp", "killed.lock"):
        (shelf / name).write_bytes(b"half")
    for name in (".usage.1.ab.tmp", "sweep.lock"):
        (cache / "v1" / name).write_bytes(b"")
    assert {path.name for path in (cache / "v1").iterdir()} >= {"usage", "digests", "sweep.lock"}
    assert cache_command(["list"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 entries, ")
    assert cache_command(["clear"]) == 0
    assert capsys.readouterr().out.startswith("removed 2 files, ")
    assert list(cache.iterdir()) == []
    assert cache_command(["clear"]) == 0
    assert scaled(2.0) == 14.0
    assert len(files(cache, ".entry")) == 1


def test_clear_keeps_what_is_not_ours(cache: Path) -> None:
    scaled(2.0)
    (cache / "notes").write_text("mine")
    (cache / "v1" / "notes").write_text("mine")
    assert cache_command(["clear"]) == 0
    assert sorted(str(path.relative_to(cache)) for path in cache.rglob("*")) == ["notes", "v1", "v1/notes"]


WORKER = """
import sys
from flydsl.cache.entry import Entry
from flydsl.cache.store import Store
folder, rounds, lost = sys.argv[1], int(sys.argv[2]), 0
store = Store(folder)
print("ready", flush=True)
for number in range(rounds):
    key = {"ir": str(number % 20)}
    entry = Entry(key, {}, {"code": str(number % 20).encode() * 1000})
    assert store.fetch(key, lambda: entry) == entry
    assert store.save(entry)
    assert store.load(key) in (None, entry)
"""


def test_clear_beside_writers_loses_nothing_but_the_cache(cache: Path) -> None:
    command = [sys.executable, "-c", WORKER, str(cache), "150"]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    while any(worker.poll() is None for worker in workers):
        Store(cache).clear()
    for worker in workers:
        _, errors = worker.communicate()
        assert (worker.returncode, errors) == (0, "")


def test_clear_while_a_thread_compiles(cache: Path) -> None:
    ended = threading.Event()

    def clear() -> None:
        while not ended.is_set():
            default_store().clear()

    thread = threading.Thread(target=clear)
    thread.start()
    try:
        assert [scaled(factor) for factor in (2.0, 3.0, 2.0)] == [14.0, 21.0, 14.0]
    finally:
        ended.set()
        thread.join()


def test_limit_holds_after_a_clear_and_the_longest_unused_go_first(cache: Path) -> None:
    store = Store(cache, limit=20_000)
    for rounds in range(2):
        for number in range(30):
            assert store.save(Entry({"number": str(number)}, {}, {"code": bytes(1000)}))
            moment = time.time() - 1000 + number
            for file in files(cache, ".entry"):
                if file.stat().st_mtime > time.time() - 10:
                    os.utime(file, (moment, moment))
            assert store.size() <= 20_000
        assert store.load({"number": "29"}) is not None
        assert store.load({"number": "0"}) is None
        store.clear()
        assert not (cache / "v1").exists(), rounds
