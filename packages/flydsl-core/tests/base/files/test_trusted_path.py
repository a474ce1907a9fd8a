"""Who may exchange a file: every owner on the way to it, also by way of links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.other_user import OTHER, give_away

from flydsl.base.files.trusted_path import distrust


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a" / "b" / "file"
    file.parent.mkdir(parents=True)
    file.write_text("")
    return file


def test_own_files_and_those_of_root_are_trusted(file: Path) -> None:
    assert distrust([file, os.__file__, "/"]) == ""


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_every_owner_on_the_way_counts(depth: int, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = (file, *file.parents)[depth]
    give_away(theirs, monkeypatch)
    assert f"{str(theirs)!r} belongs to user {OTHER}" in distrust([file])
    assert distrust([file], owners=[OTHER]) == ""


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_every_mode_on_the_way_counts(depth: int, file: Path) -> None:
    part = (file, *file.parents)[depth]
    part.chmod(0o777)
    assert f"{str(part)!r} has mode 777, others may write it" in distrust([file])


def test_owner_of_the_root_folder_counts_as_root(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_away(file, monkeypatch)
    real = os.stat
    root = os.stat_result([*real("/")[:4], OTHER, *real("/")[5:]])
    monkeypatch.setattr(os, "stat", lambda path, **how: root if path == "/" else real(path, **how))
    assert distrust([file]) == ""


def test_group_of_the_user_may_write_and_no_other(file: Path) -> None:
    file.chmod(0o664)
    assert distrust([file]) == ""
    if os.geteuid() == 0:
        os.chown(file, -1, OTHER)
        assert "others may write it" in distrust([file])


def test_folder_in_which_all_may_write_their_own_files_is_trusted(file: Path) -> None:
    file.parent.chmod(0o1777)
    assert distrust([file]) == ""


def test_way_of_a_link_counts_as_well_as_its_target(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "links").mkdir()
    relative, absolute = tmp_path / "links" / "relative", tmp_path / "links" / "absolute"
    relative.symlink_to("../a/b/file")
    absolute.symlink_to(tmp_path / "a")
    for path in (relative, absolute / "b" / "file", absolute / ".." / "links" / "relative"):
        assert distrust([path]) == ""
    give_away(file.parent, monkeypatch)
    for path in (relative, absolute / "b" / "file"):
        assert f"{str(file.parent)!r} belongs to user {OTHER}" in distrust([path])


def test_link_of_another_user_is_not_trusted(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(file)
    give_away(tmp_path / "link", monkeypatch)
    assert f"{str(tmp_path / 'link')!r} belongs to user {OTHER}" in distrust([tmp_path / "link"])


def test_circle_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(OSError, match="too many symbolic links"):
        distrust([tmp_path / "one"])
