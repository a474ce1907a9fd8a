"""Finding entry points without importing anything."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from flydsl.plugins.entry_points import EntryPoint, find_entry_points, installed_distributions

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Lays down the metadata of a distribution, as an installer does."""

    def lay_down(name: str, version: str, entry_points: str | None, *, site: str = "site", egg: bool = False) -> Path:
        folder = tmp_path / site
        stem = name.replace("-", "_")
        info = folder / (f"{stem}.egg-info" if egg else f"{stem}-{version}.dist-info")
        info.mkdir(parents=True)
        header = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: Version: 9\n\nVersion: 8\n"
        (info / ("PKG-INFO" if egg else "METADATA")).write_text(header)
        if entry_points is not None:
            (info / "entry_points.txt").write_text(entry_points)
        return folder

    return lay_down


def test_entries_of_the_group_are_found_sorted_by_name(install: Install) -> None:
    install("zeta-fly", "1.0", "[console_scripts]\nx = y:z\n\n[flydsl]\nzeta = zeta.plugin\n")
    install("other", "1.0", "[console_scripts]\nflydsl = other:main\n")
    install("silent", "1.0", None)
    folder = install("Alpha.Fly", "2.0", "[flydsl]\n# two\nbeta=alpha.plugin [extra]\nalpha = alpha:plugin\n")
    assert find_entry_points([str(folder)]) == [
        EntryPoint("alpha", "Alpha.Fly", "2.0", "alpha:plugin"),
        EntryPoint("beta", "Alpha.Fly", "2.0", "alpha.plugin"),
        EntryPoint("zeta", "zeta-fly", "1.0", "zeta.plugin"),
    ]


def test_the_first_folder_of_the_path_shadows_later_ones(install: Install) -> None:
    second = install("acme-fly", "1.0", "[flydsl]\nacme = acme.old\n", site="second")
    first = install("acme-fly", "2.0", None, site="first")
    assert find_entry_points([str(first), str(second)]) == []
    assert [e.version for e in find_entry_points([str(second), str(first)])] == ["1.0"]


def test_egg_info_folders_count(install: Install) -> None:
    folder = install("acme-fly", "3.1", "[flydsl]\nacme = acme\n", egg=True)
    assert find_entry_points([str(folder)]) == [EntryPoint("acme", "acme-fly", "3.1", "acme")]


def test_folders_that_do_not_exist_are_passed_over() -> None:
    assert find_entry_points(["/nowhere/at/all", ""]) == find_entry_points([""])


def test_a_distribution_is_found_by_any_spelling_of_its_name(install: Install) -> None:
    folder = install("Some_Thing", "1.0", None)
    assert installed_distributions([str(folder)]) == {"some-thing": str(folder / "Some_Thing-1.0.dist-info")}


def test_the_scan_agrees_with_importlib_metadata() -> None:
    expected = {(e.name, e.value, e.dist.version if e.dist else "") for e in metadata.entry_points(group="flydsl")}
    assert {(e.name, e.module, e.version) for e in find_entry_points()} == expected


def test_zipped_distributions_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "zipped_fly-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("zipped_fly-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped-fly\nVersion: 1.0\n")
        archive.writestr("zipped_fly-1.0.dist-info/entry_points.txt", "[flydsl]\nzipped = zipped.plugin\n")
    monkeypatch.syspath_prepend(str(wheel))
    assert EntryPoint("zipped", "zipped-fly", "1.0", "zipped.plugin") in find_entry_points()


def test_scanning_does_not_import_importlib_metadata() -> None:
    script = (
        "import sys; before = 'importlib.metadata' in sys.modules\n"
        "from flydsl.plugins.entry_points import find_entry_points\n"
        "find_entry_points(); print(before or 'importlib.metadata' not in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
