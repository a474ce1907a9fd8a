"""What other users plant in or around the cache folder: never run, never waited for, and the result is right."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.cached_kernel import files, forged_entry, scaled
from support.other_user import IS_ROOT, OTHER, give_away, run_as_other

from flydsl.base import settings
from flydsl.base.files import private_folder
from flydsl.cache.entry import Entry, decode
from flydsl.cache.store import Store
from flydsl.tools.cache_cli import main as cache_command

FACTOR, FORGED = 2.0, 3.0
SPARSE = 1 << 40


@pytest.fixture
def forged(cache: Path) -> tuple[Path, bytes]:
    """Where the entry of `scaled(FACTOR)` lies, and a whole entry of its key with the code of FORGED."""
    return forged_entry(cache, FACTOR, FORGED)


def test_forged_entry_of_the_user_is_run(forged: tuple[Path, bytes]) -> None:
    """Only owner and mode protect an entry: what the tests below plant would be run."""
    path, content = forged
    path.write_bytes(content)
    assert scaled(FACTOR) == 7 * FORGED


def plant_file(path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(content)
    give_away(path, monkeypatch)


def plant_hard_link(path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = path.parents[3] / "theirs"
    plant_file(theirs, content, monkeypatch)
    os.link(theirs, path)


def plant_link_to_own_file(path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    target = path.parents[3] / "target"
    target.write_bytes(content)
    path.symlink_to(target)


def plant_file_that_others_may_write(path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(content)
    path.chmod(0o666)


@pytest.mark.parametrize(
    "plant", [plant_file, plant_hard_link, plant_link_to_own_file, plant_file_that_others_may_write]
)
def test_entry_that_others_could_have_written_is_compiled_again(
    plant: Callable[..., None],
    forged: tuple[Path, bytes],
    monkeypatch: pytest.MonkeyPatch,
    compilations: list[str],
    warnings: pytest.LogCaptureFixture,
) -> None:
    path, content = forged
    path.unlink()
    plant(path, content, monkeypatch)
    assert [scaled(FACTOR), scaled(FACTOR)] == [7 * FACTOR] * 2
    assert len(compilations) == 1
    assert warnings.text.count("a bad cache file was dropped") == 1


def plant_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def plant_device(path: Path) -> None:
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
    except PermissionError:  # as an ordinary user, or in a container
        path.symlink_to("/dev/zero")


def plant_sparse_file(path: Path) -> None:
    path.touch(0o600)
    os.truncate(path, SPARSE)


ODD: dict[str, Callable[[Path], None]] = {
    "fifo": os.mkfifo,
    "socket": plant_socket,
    "device": plant_device,
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path),
    "folder": os.mkdir,
    "a terabyte of nothing": plant_sparse_file,
}


@pytest.mark.parametrize("plant", ODD.values(), ids=ODD)
@pytest.mark.parametrize("pattern", ["??/*.entry", "??/*.index", "usage", "digests/*"])
def test_what_is_no_file_of_ours_is_never_waited_for(
    plant: Callable[[Path], None], pattern: str, cache: Path, compilations: list[str]
) -> None:
    scaled(FACTOR)
    for path in list((cache / "v1").glob(pattern)):
        path.unlink()
        plant(path)
    assert [scaled(FACTOR), scaled(FACTOR)] == [7 * FACTOR] * 2
    assert len(compilations) == (2 if pattern == "??/*.entry" else 1)
    assert scaled(FORGED) == 7 * FORGED  # saved beside it


@pytest.mark.parametrize("plant", ODD.values(), ids=ODD)
def test_what_lies_in_the_place_of_a_lock_or_a_shelf_costs_no_more_than_the_lock_or_the_shelf(
    plant: Callable[[Path], None], cache: Path
) -> None:
    scaled(FACTOR)
    (entry,) = files(cache, ".entry")
    entry.unlink()
    plant(entry.with_suffix(".lock"))
    assert scaled(FACTOR) == 7 * FACTOR
    shutil.rmtree(entry.parent)
    plant(entry.parent)
    assert scaled(FACTOR) == 7 * FACTOR


def test_valid_entry_that_goes_on_for_a_terabyte_is_not_read(cache: Path, compilations: list[str]) -> None:
    scaled(FACTOR)
    (entry,) = files(cache, ".entry")
    os.truncate(entry, SPARSE)
    assert scaled(FACTOR) == 7 * FACTOR
    assert len(compilations) == 2
    assert entry.stat().st_size < SPARSE


def shelf_of_another_user(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_away(shelf, monkeypatch)


def shelf_that_others_may_write(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.chmod(0o777)


def shelf_elsewhere(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.rename(shelf.parents[2] / "elsewhere")
    shelf.symlink_to(shelf.parents[2] / "elsewhere")


@pytest.mark.parametrize("change", [shelf_of_another_user, shelf_that_others_may_write, shelf_elsewhere])
def test_shelf_that_others_could_have_filled_is_not_looked_into(
    change: Callable[..., None],
    forged: tuple[Path, bytes],
    monkeypatch: pytest.MonkeyPatch,
    warnings: pytest.LogCaptureFixture,
) -> None:
    path, content = forged
    path.write_bytes(content)
    change(path.parent, monkeypatch)
    assert [scaled(FACTOR), scaled(FACTOR)] == [7 * FACTOR] * 2
    assert warnings.text.count("cannot read the cache") == 1


@pytest.mark.parametrize("change", [shelf_of_another_user, shelf_that_others_may_write, shelf_elsewhere])
def test_refused_folder_says_why_once_and_nothing_in_it_is_used(
    change: Callable[..., None],
    forged: tuple[Path, bytes],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    warnings: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, content = forged
    path.write_bytes(content)
    folder = cache / "v1"
    monkeypatch.setattr("flydsl.base.files.file_digest.SETTLED_NS", -(10**9))  # a digest would be remembered at once
    shutil.rmtree(folder / "digests", ignore_errors=True)
    shelf = folder.parent / "below" / "v1"  # `shelf_elsewhere` renames into the folder two above
    shelf.parent.mkdir()
    folder.rename(shelf)
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(shelf.parent))
    change(shelf, monkeypatch)
    before = sorted(path.name for path in shelf.rglob("*"))
    assert [scaled(FACTOR), scaled(FACTOR)] == [7 * FACTOR] * 2
    assert sorted(path.name for path in shelf.rglob("*")) == before
    assert warnings.text.count("the cache is off") == 1
    reasons = ("FLYDSL_RUNTIME_CACHE_DIR", "chmod 700 it", "symbolic link, which is not followed")
    assert any(reason in warnings.text for reason in reasons)
    assert cache_command(["clear"]) == 0
    assert "the cache is off" in capsys.readouterr().err
    assert sorted(path.name for path in shelf.rglob("*")) == before


def exchange(folder: Path, others: Path) -> None:
    """What the owner of the folder above may do at any time."""
    folder.rename(folder.with_name("mine"))
    others.rename(folder)


@pytest.mark.parametrize("after", [1, 2, 3], ids=["the folder", "the shelf", "the file"])
def test_folder_exchanged_between_check_and_use_is_of_no_use_to_who_did_it(
    after: int, forged: tuple[Path, bytes], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other tests have it that a folder of another user is refused; here its files are the user's own, as links are."""
    path, content = forged
    true = path.read_bytes()
    others = cache / "others"
    shutil.copytree(cache / "v1", others)
    (others / path.relative_to(cache / "v1")).write_bytes(content)
    store, key = Store(cache), _key(path)
    checks, real = [], os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        checks.append(status)
        if len(checks) == after:
            exchange(cache / "v1", others)
        return status

    monkeypatch.setattr(private_folder.os, "fstat", fstat)
    loaded = store.load(key)
    monkeypatch.undo()
    assert (cache / "mine").exists()
    assert loaded is not None
    assert loaded.parts["device"] in true


def _key(path: Path) -> dict[str, str]:
    return dict(decode(path.read_bytes()).key)


@pytest.mark.skipif(not IS_ROOT, reason="only root makes folders of another user that it can look into")
def test_folder_that_is_exchanged_all_the_time_gives_own_entries_or_none(cache: Path) -> None:
    key = {"ir": "a"}
    mine, theirs = Entry(key, {}, {"code": b"mine"}), Entry(key, {}, {"code": b"theirs"})
    Store(cache).save(theirs)
    (cache / "v1").rename(cache / "others")
    for path in (cache / "others", *(cache / "others").rglob("*")):
        os.chown(path, OTHER, OTHER)
    Store(cache).save(mine)
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            for source, target in (("v1", "mine"), ("others", "v1"), ("v1", "others"), ("mine", "v1")):
                (cache / source).rename(cache / target)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        store = Store(cache)
        found = [store.load(key) for _ in range(500)]
    finally:
        ended.set()
        thread.join()
    assert all(entry is None or entry.parts["code"] == b"mine" for entry in found)
    assert Store(cache).load(key) == mine


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder like /tmp; those of pytest are for their owner alone."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o1777)
        yield Path(folder)


def test_two_users_have_a_cache_each_under_one_shared_folder(shared: Path) -> None:
    entry = Entry({"ir": "a"}, {}, {"code": b"of root"})
    assert Store(shared / "root").save(entry)

    def as_other() -> None:
        own = Store(shared / "nobody")
        assert own.save(Entry({"ir": "a"}, {}, {"code": b"of nobody"}))
        loaded = own.load({"ir": "a"})
        assert loaded is not None
        assert loaded.parts["code"] == b"of nobody"
        if IS_ROOT:
            foreign = Store(shared / "root")
            assert not foreign.is_enabled
            assert not foreign.save(entry)
            assert foreign.load({"ir": "a"}) is None
            assert f"belongs to user 0, not to {OTHER}: set FLYDSL_RUNTIME_CACHE_DIR" in foreign.reason

    run_as_other(as_other)
    assert Store(shared / "root").load({"ir": "a"}) == entry
    if IS_ROOT:
        theirs = Store(shared / "nobody")
        assert f"belongs to user {OTHER}, not to 0: set FLYDSL_RUNTIME_CACHE_DIR" in theirs.reason


@pytest.mark.usefixtures("cache")
def test_other_user_compiles_and_runs_with_a_cache_of_his_own(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [scaled(FACTOR), scaled(FORGED)] == [7 * FACTOR, 7 * FORGED]  # all that is needed is imported

    def as_other() -> None:
        for folder, is_kept in (("nobody", True), ("root", not IS_ROOT)):
            os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = str(shared / folder)
            assert [scaled(FACTOR), scaled(FORGED)] == [7 * FACTOR, 7 * FORGED]
            assert len(files(shared / folder, ".entry")) == (2 if is_kept else 0)

    assert Store(shared / "root").is_enabled
    run_as_other(as_other)
    assert files(shared / "root", ".entry") == [] or not IS_ROOT


def test_memo_of_digests_is_in_the_folder_that_is_checked(cache: Path) -> None:
    assert settings.runtime.digest_memo == cache / "v1" / "digests"
