"""The memo of the scan for plugins: used while nothing changed, and never after."""

from __future__ import annotations

import marshal
import os
import shutil
import sys
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from flydsl.base.files import file_digest
from flydsl.plugins.entry_points import EntryPoint, find_entry_points, installed_distributions
from flydsl.plugins.scan import installed
from flydsl.plugins.scan.installed import Found, remembered

ALPHA = EntryPoint("alpha", "alpha-fly", "1.0", "alpha.plugin")
OLD_NS = 1_600_000_000_000_000_000


class Site:
    """A folder of installed distributions on `sys.path`, the memo, and how often the scan ran."""

    def __init__(self, root: Path) -> None:
        self.folder, self.memo, self.scans = root / "site", root / "cache/memo", 0
        self.folder.mkdir()
        self.install("alpha-fly", "[flydsl]\nalpha = alpha.plugin\n")
        self.install("other", None)

    def install(self, name: str, entry_points: str | None, version: str = "1.0") -> Path:
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        if entry_points is not None:
            (info / "entry_points.txt").write_text(entry_points)
        return info

    def scan(self) -> Found:
        self.scans += 1
        known = installed_distributions()
        return Found(find_entry_points(installed=known), known)

    def found(self) -> list[EntryPoint]:
        return remembered(self.memo, self.scan).entries


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Folders count as settled at once, and finders of others are none."""
    made = Site(tmp_path)
    monkeypatch.setattr(sys, "path", [str(made.folder), str(tmp_path / "missing")])
    monkeypatch.setattr(installed, "SETTLED_NS", -(10**18))
    monkeypatch.setattr(file_digest, "SETTLED_NS", -(10**18))
    monkeypatch.setattr(installed, "has_foreign_finders", lambda: False)
    return made


def test_what_was_found_is_found_again_without_a_scan(site: Site) -> None:
    first, second = remembered(site.memo, site.scan), remembered(site.memo, site.scan)
    assert (
        first
        == second
        == (
            [ALPHA],
            {
                "alpha-fly": str(site.folder / "alpha_fly-1.0.dist-info"),
                "other": str(site.folder / "other-1.0.dist-info"),
            },
        )
    )
    assert isinstance(second.entries[0], EntryPoint)
    assert site.scans == 1


def edited(path: Path, text: str) -> None:
    """Changed in place, to the same length and with the same time of modification."""
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, tuple[Callable[[Site], object], set[str]]] = {
    "installed": (lambda s: s.install("beta-fly", "[flydsl]\nbeta = beta.plugin\n"), {"alpha", "beta"}),
    "removed": (lambda s: shutil.rmtree(s.folder / "alpha_fly-1.0.dist-info"), set()),
    "renamed": (
        lambda s: (s.folder / "alpha_fly-1.0.dist-info").rename(s.folder / "alpha_fly-2.0.dist-info"),
        {"alpha"},
    ),
    "edited in place": (
        lambda s: edited(s.folder / "alpha_fly-1.0.dist-info/entry_points.txt", "[flydsl]\nalphb = alpha.plugin\n"),
        {"alphb"},
    ),
    "one without gets some": (
        lambda s: (s.folder / "other-1.0.dist-info/entry_points.txt").write_text("[flydsl]\no = other\n"),
        {"alpha", "o"},
    ),
    "they are gone": (lambda s: (s.folder / "alpha_fly-1.0.dist-info/entry_points.txt").unlink(), set()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(site: Site, change: str) -> None:
    make, expected = CHANGES[change]
    assert {entry.name for entry in site.found()} == {"alpha"}
    make(site)
    assert {entry.name for entry in site.found()} == expected
    assert site.scans == 2


def test_the_version_of_a_plugin_is_that_of_its_metadata(site: Site) -> None:
    site.found()
    edited(site.folder / "alpha_fly-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: alpha-fly\nVersion: 1.1\n")
    assert [entry.version for entry in site.found()] == ["1.1"]


def test_another_path_has_a_memo_of_its_own(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.found()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "missing")])
    assert site.found() == []
    monkeypatch.setattr(sys, "path", [str(site.folder), str(tmp_path / "missing")])
    assert site.found() == [ALPHA]
    assert site.scans == 2


def test_a_busy_folder_without_distributions_does_not_matter(site: Site, tmp_path: Path) -> None:
    scripts = tmp_path / "missing"
    assert site.found() == [ALPHA]
    scripts.mkdir()
    for name in ("a.py", "b.py"):
        (scripts / name).touch()
        assert site.found() == [ALPHA]
    assert site.scans == 1


def test_a_folder_that_changed_just_now_is_listed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stat values may be those of two states of it."""
    answers = [True] * len(sys.path)  # the files are settled, the folders are not
    monkeypatch.setattr(installed, "_is_recent", lambda state, began: answers.pop(0))
    before, real = site.folder.stat(), installed._values
    assert site.found() == site.found() == [ALPHA]
    assert site.scans == 1
    site.install("beta-fly", "[flydsl]\nbeta = beta.plugin\n")
    monkeypatch.setattr(installed, "_values", lambda status: real(before if status.st_ino == before.st_ino else status))
    monkeypatch.setattr(installed, "_is_recent", lambda state, began: False)
    assert {entry.name for entry in site.found()} == {"alpha", "beta"}


def test_what_is_installed_during_the_scan_is_seen_by_the_next(site: Site) -> None:
    def scan() -> Found:
        found = site.scan()
        if site.scans == 1:
            site.install("beta-fly", "[flydsl]\nbeta = beta.plugin\n")
        return found

    assert remembered(site.memo, scan).entries == [ALPHA]
    assert {entry.name for entry in remembered(site.memo, scan).entries} == {"alpha", "beta"}


def test_files_that_changed_just_now_are_not_remembered(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_digest, "SETTLED_NS", 2_000_000_000)
    assert [site.found(), site.found()] == [[ALPHA], [ALPHA]]
    assert site.scans == 2
    assert not site.memo.exists()


def without_entries(data: bytes) -> bytes:
    """A memo whose seal is right, and what it covers is not."""
    body = marshal.dumps(marshal.loads(data.partition(b"\n")[2])[:-1])
    return sha256(body).hexdigest().encode() + b"\n" + body


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda data: b"",
    lambda data: b"nonsense",
    lambda data: data[:-1],
    lambda data: data.replace(b"alpha.plugin", b"other.plugin"),
    lambda data: data + b" " * (8 << 20),
    without_entries,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_memo_is_scanned_again(site: Site, damage: Callable[[bytes], bytes]) -> None:
    site.found()
    (file,) = site.memo.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert [site.found(), site.found()] == [[ALPHA], [ALPHA]]
    assert site.scans == 2


def test_without_a_place_for_it_each_process_scans(site: Site) -> None:
    site.memo.parent.write_text("a file")
    assert [site.found(), site.found()] == [[ALPHA], [ALPHA]]
    assert remembered(None, site.scan).entries == [ALPHA]
    assert site.scans == 3


def test_a_folder_that_others_may_write_is_not_used(site: Site) -> None:
    site.memo.mkdir(parents=True)
    site.memo.chmod(0o777)
    assert [site.found(), site.found()] == [[ALPHA], [ALPHA]]
    assert site.scans == 2


def test_zipped_distributions_and_other_finders_are_left_to_the_scan(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "zipped.zip", "w"):
        pass
    monkeypatch.setattr(sys, "path", [str(site.folder), str(tmp_path / "zipped.zip")])
    remembered(site.memo, site.scan)
    monkeypatch.setattr(sys, "path", [str(site.folder)])
    monkeypatch.setattr(installed, "has_foreign_finders", lambda: True)
    remembered(site.memo, site.scan)
    assert site.scans == 2
    assert not site.memo.exists()
