"""Memos of values that rest on files: true while these are the same, and forgotten with the first change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.files import file_digest
from flydsl.base.files.file_memo import files_and_folders, recall_value, remember_value
from flydsl.base.files.sealed_memo import remember

VALUE = {"text": "é", "numbers": (1, 2.5, None), "set": frozenset({3})}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A file and its folder, settled at once."""
    monkeypatch.setattr(file_digest, "SETTLED_NS", -(10**18))
    file = tmp_path / "code" / "one.py"
    file.parent.mkdir()
    file.write_text("x = 1\n")
    return files_and_folders([str(file)])


def test_a_value_is_recalled_as_it_was(files: list[str], tmp_path: Path) -> None:
    memo = tmp_path / "memo"
    assert recall_value(memo, "kind a") is None
    made = remember_value(memo, "kind a", VALUE, files, time.time_ns())
    assert made is not None
    known = recall_value(memo, "kind a")
    assert known == made
    assert known.value == VALUE
    assert recall_value(memo, "kind b") is None
    (file,) = memo.iterdir()
    assert file.name.startswith("kind-")


def edit_in_place(folder: Path) -> None:
    """Same length, same time of modification."""
    status = (folder / "one.py").stat()
    (folder / "one.py").write_text("x = 2\n")
    os.utime(folder / "one.py", ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited in place": edit_in_place,
    "replaced": lambda folder: ((folder / "new").write_text("x = 2\n"), (folder / "new").replace(folder / "one.py")),
    "another beside it": lambda folder: (folder / "one.so").touch(),
    "gone": lambda folder: (folder / "one.py").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_ends_it(change: str, files: list[str], tmp_path: Path) -> None:
    made = remember_value(tmp_path / "memo", "kind", 1, files, time.time_ns())
    assert made is not None
    assert made.is_current()
    CHANGES[change](tmp_path / "code")
    assert not made.is_current()
    assert recall_value(tmp_path / "memo", "kind") is None


def test_what_has_just_changed_is_not_remembered(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_digest, "SETTLED_NS", 2_000_000_000)
    memo = tmp_path / "memo"
    assert remember_value(memo, "kind", 1, files, time.time_ns()) is None
    assert not memo.exists()
    later = time.time_ns() + 3_000_000_000
    assert remember_value(memo, "kind", 1, files, later) is not None
    assert remember_value(memo, "kind", 2, [*files, str(tmp_path / "none")], later) is None
    assert recall_value(memo, "kind").value == 1  # type: ignore[union-attr]


def test_without_a_folder_it_is_for_this_process(files: list[str]) -> None:
    made = remember_value(None, "kind", 1, files, time.time_ns())
    assert made is not None
    assert made.is_current()
    assert recall_value(None, "kind") is None


@pytest.mark.parametrize("body", [b"", b"nonsense", b"i\1\0\0\0", b")\1N"])
def test_a_body_of_another_form_is_no_memo(body: bytes, files: list[str], tmp_path: Path) -> None:
    remember_value(tmp_path / "memo", "kind", 1, files, time.time_ns())
    (file,) = (tmp_path / "memo").iterdir()
    remember(tmp_path / "memo", file.name, body)
    assert recall_value(tmp_path / "memo", "kind") is None
