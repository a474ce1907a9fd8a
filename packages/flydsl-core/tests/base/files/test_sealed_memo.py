"""Sealed memos: what was written whole is read, and everything else is no memo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.files.sealed_memo import LONGEST, recall, remember


def test_what_is_remembered_is_recalled_until_it_is_replaced(tmp_path: Path) -> None:
    memo = tmp_path / "cache/memo"
    assert recall(memo, "slot") is None
    for body in (b"one\ntwo\n", b"", bytes(range(256))):
        remember(memo, "slot", body)
        assert recall(memo, "slot") == body
    assert recall(memo, "other") is None
    assert [file.name for file in memo.iterdir()] == ["slot"]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "no seal": lambda data: b"nonsense",
    "cut short": lambda data: data[:-1],
    "another byte": lambda data: data.replace(b"body", b"bodz"),
    "more": lambda data: data + b"!",
    "too long": lambda data: data + b" " * LONGEST,
    "no text": lambda data: b"\xff" + data,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_memo_is_none(damage: str, tmp_path: Path) -> None:
    remember(tmp_path / "memo", "slot", b"the body")
    file = tmp_path / "memo/slot"
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert recall(tmp_path / "memo", "slot") is None
    remember(tmp_path / "memo", "slot", b"the body")
    assert recall(tmp_path / "memo", "slot") == b"the body"


def test_a_folder_that_others_may_reach_is_not_used(tmp_path: Path) -> None:
    memo = tmp_path / "memo"
    remember(memo, "slot", b"mine")
    memo.chmod(0o777)
    assert recall(memo, "slot") is None
    remember(memo, "slot", b"other")
    memo.chmod(0o700)
    assert recall(memo, "slot") == b"mine"


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    remember(tmp_path / "file/memo", "slot", b"body")
    assert recall(tmp_path / "file/memo", "slot") is None
