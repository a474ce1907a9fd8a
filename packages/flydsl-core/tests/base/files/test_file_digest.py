"""Digests that tell every change and remember only what did not change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from flydsl.base.files import file_digest
from flydsl.base.files.file_digest import digest_files, digest_trees


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    (root / "inner").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "a.py").write_text("a = 1\n")
    (root / "inner/b.py").write_text("b = 2\n")
    return root


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process remembers is no part of a test."""
    monkeypatch.setattr(file_digest, "_REMEMBERED", {})


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as old at once."""
    monkeypatch.setattr(file_digest, "SETTLED_NS", -(10**9))


def digest(root: Path, memo: Path | None = None) -> str:
    return digest_trees([root], base=root, memo=memo).sha256


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a.py").write_text("a = 2\n"),
        lambda root: (root / "a.py").rename(root / "c.py"),
        lambda root: (root / "inner/b.py").unlink(),
        lambda root: (root / "inner/new.so").write_bytes(b""),
        lambda root: (root / "inner/b.py").rename(root / "b.py"),
        lambda root: (root / "inner").rename(root / "outer"),
        lambda root: (root / "empty/new").mkdir() or (root / "empty/new/c.py").write_text(""),
    ],
)
@pytest.mark.usefixtures("settled")
def test_every_change_of_name_or_content_changes_the_digest(change: object, tree: Path, tmp_path: Path) -> None:
    memo = tmp_path / "memo"
    before = digest(tree, memo)
    assert callable(change)
    change(tree)
    assert digest(tree, memo) != before
    assert digest(tree, memo) == digest(tree)


def test_byte_code_and_hidden_files_do_not_count(tree: Path) -> None:
    before = digest(tree)
    (tree / "__pycache__").mkdir()
    (tree / "__pycache__/a.cpython-311.pyc").write_bytes(b"x")
    (tree / ".swp").write_bytes(b"x")
    assert digest(tree) == before


def test_what_holds_no_code_does_not_count_and_is_not_waited_for(tree: Path) -> None:
    before = digest(tree)
    os.mkfifo(tree / "pipe")
    (tree / "zeros").symlink_to("/dev/zero")
    (tree / "gone").symlink_to(tree / "nothing")
    assert digest(tree) == before


def test_a_copied_tree_has_the_same_digest(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere/package"
    (other / "inner").mkdir(parents=True)
    for name in ("inner/b.py", "a.py"):
        (other / name).write_bytes((tree / name).read_bytes())
    assert digest(other) == digest(tree)


@pytest.mark.usefixtures("settled")
def test_a_change_that_keeps_size_and_mtime_is_seen(tree: Path, tmp_path: Path) -> None:
    memo, file = tmp_path / "memo", tree / "a.py"
    before, found = digest(tree, memo), os.stat(tree / "a.py")
    time.sleep(0.02)
    file.write_text("a = 3\n")
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert os.stat(file).st_size == found.st_size
    assert digest(tree, memo) != before


@pytest.mark.usefixtures("settled")
def test_an_unchanged_tree_is_not_read_again(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memo = tmp_path / "memo"
    before = digest(tree, memo)
    monkeypatch.setattr(file_digest, "_digest_contents", None)
    assert digest(tree, memo) == before
    monkeypatch.setattr(file_digest, "_REMEMBERED", {})
    assert digest(tree, memo) == before


@pytest.mark.usefixtures("settled")
def test_an_unchanged_tree_is_not_listed_again(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(tree, tmp_path / "memo")
    monkeypatch.setattr(file_digest, "_REMEMBERED", {})
    monkeypatch.setattr(os, "scandir", None)
    assert digest(tree, tmp_path / "memo") == before


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_folder_that_changed_is_listed_and_its_files_are_not_read_again(
    in_memory: bool, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest(tree, tmp_path / "memo")
    (tree / "__pycache__").mkdir()
    (tree / "inner/.hidden").touch()
    with monkeypatch.context() as patch:
        patch.setattr(file_digest, "_digest_contents", None)
        for _ in range(2):
            if not in_memory:
                patch.setattr(file_digest, "_REMEMBERED", {})
            assert digest(tree, tmp_path / "memo") == before
    (tree / "inner/new.py").touch()
    assert digest(tree, tmp_path / "memo") != before


@pytest.mark.usefixtures("settled")
def test_what_a_link_led_to_in_vain_is_seen_when_it_appears(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "link.py").symlink_to(tmp_path / "later.py")
    before = digest(tree, tmp_path / "memo")
    with monkeypatch.context() as patch:
        patch.setattr(file_digest, "_digest_contents", None)
        assert digest(tree, tmp_path / "memo") == before
    (tmp_path / "later.py").write_text("c = 3\n")
    assert digest(tree, tmp_path / "memo") != before


@pytest.mark.usefixtures("settled")
def test_a_folder_behind_a_link_is_watched(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "behind").mkdir()
    (tmp_path / "behind/c.py").write_text("c = 3\n")
    (tree / "linked").symlink_to(tmp_path / "behind")
    before = digest(tree, tmp_path / "memo")
    (tmp_path / "behind/d.py").write_text("d = 4\n")
    assert digest(tree, tmp_path / "memo") != before


@pytest.mark.usefixtures("settled")
def test_an_unchanged_tree_is_not_read_again_in_one_process(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(tree)
    with monkeypatch.context() as patch:
        patch.setattr(file_digest, "_digest_contents", None)
        assert digest(tree) == before
    (tree / "a.py").write_text("a = 22\n")
    assert digest(tree) != before


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("open_to_others", ["", "memo", "slot"], ids=["the folder above", "the folder", "the file"])
def test_a_memo_that_others_may_write_is_not_believed(
    open_to_others: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = tmp_path / "above" / "memo"
    true = digest(tree, memo)
    (slot,) = memo.iterdir()
    body = slot.read_bytes().partition(b"\n")[2].replace(true.encode(), b"0" * 64)
    slot.write_bytes(f"{sha256(body).hexdigest()}\n".encode() + body)
    monkeypatch.setattr(file_digest, "_REMEMBERED", {})
    assert digest(tree, memo) == "0" * 64  # who can write it is believed
    {"": tmp_path / "above", "memo": memo, "slot": slot}[open_to_others].chmod(0o777)
    monkeypatch.setattr(file_digest, "_REMEMBERED", {})
    assert digest(tree, memo) == true


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("plant", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_no_file_in_the_memo_is_not_read(plant: Callable[[Path], None], tree: Path, tmp_path: Path) -> None:
    memo = tmp_path / "memo"
    true = digest(tree, memo)
    (slot,) = memo.iterdir()
    slot.unlink()
    plant(slot)
    file_digest._REMEMBERED.clear()
    assert digest(tree, memo) == true


def test_files_that_changed_just_now_are_not_remembered(tree: Path, tmp_path: Path) -> None:
    digest(tree, tmp_path / "memo")
    assert not (tmp_path / "memo").exists()


@pytest.mark.usefixtures("settled")
def test_no_flipped_byte_of_the_memo_gives_another_digest(tree: Path, tmp_path: Path) -> None:
    memo = tmp_path / "memo"
    true = digest(tree, memo)
    (slot,) = memo.iterdir()
    whole = slot.read_bytes()
    for position in range(len(whole)):
        slot.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        file_digest._REMEMBERED.clear()
        assert digest(tree, memo) == true
    slot.write_bytes(b"")
    file_digest._REMEMBERED.clear()
    assert digest(tree, memo) == true


@pytest.mark.usefixtures("settled")
def test_a_memo_that_cannot_be_written_is_no_error(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert digest(tree, tmp_path / "file/memo") == digest(tree)


def test_single_files_count_with_their_name(tree: Path) -> None:
    one = digest_files([tree / "a.py"], base=tree)
    assert one != digest_files([tree / "inner/b.py"], base=tree)
    assert one == digest_trees([tree / "a.py"], base=tree).sha256


def test_no_file_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no files to digest"):
        digest_files([], base=tmp_path)
