"""The versions that are tried: the oldest is the bound of the metadata, and the page of the reference agrees."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
try:
    from absent_libraries import stand_in
    from version_environments import make_environment
    from version_matrix import DEPENDENCIES, Dependency, Program, lower_bound
    from version_table import HEADER, Row, merged, rows_of
finally:
    sys.path.remove(str(ROOT / "scripts"))

PAGE = (ROOT / "docs/reference/versions.md").read_text()
EACH = pytest.mark.parametrize("dependency", DEPENDENCIES, ids=lambda dependency: dependency.name)
ROW = Row("a", "1.10.0", "2026-01-01", "yes", "3 passed, 0 failed", "1 run", "1 run", 0)


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


@EACH
def test_the_oldest_version_is_the_bound_of_the_metadata(dependency: Dependency) -> None:
    versions = [numbers(version) for version in dependency.versions]
    bound = numbers(dependency.bound())
    assert versions == sorted(versions)
    assert versions[0][: len(bound)] == bound
    assert not any(versions[0][len(bound) :])


@EACH
def test_the_page_states_the_bound_and_shows_that_each_version_held(dependency: Dependency) -> None:
    """A version that fails leaves the list, and the bound moves, before its row is shown."""
    rows = [row for row in rows_of(PAGE) if row.dependency == dependency.name]
    assert f"| {dependency.name} | {dependency.bound()} | {', '.join(dependency.versions)} |" in PAGE
    assert {row.version for row in rows} == set(dependency.versions)
    assert [(row.version, row.imported, row.failures) for row in rows if row[3::4] != ("yes", 0)] == []
    assert all(row.tests.endswith(" passed, 0 failed") for row in rows)


@EACH
def test_what_is_run_exists(dependency: Dependency) -> None:
    assert [path for path in dependency.tests if not (ROOT / path).exists()] == []
    assert list(ROOT.glob(dependency.examples)) != []
    assert [program.words[0] for program in dependency.programs if not (ROOT / program.words[0]).exists()] == []


def test_the_versions_of_the_development_environment_are_among_them() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    pinned = {d.name: v for d in DEPENDENCIES for v in d.versions if f'"{d.name}=={v}"' in text}
    assert sorted(pinned) == ["jax", "torch"]


@pytest.mark.parametrize("stated", ["x>=1.2", "x>=1.2,<3"])
def test_a_bound_is_read_from_dependencies_and_from_the_group_of_tests(stated: str) -> None:
    required: dict[str, Any] = {"project": {"dependencies": ["y>=2", stated]}}
    grouped: dict[str, Any] = {"project": {}, "dependency-groups": {"test": [{"include-group": "typing"}, stated]}}
    assert [lower_bound(project, "x") for project in (required, grouped)] == ["1.2", "1.2"]
    with pytest.raises(ValueError, match="no lower bound of z"):
        lower_bound(required, "z")


def test_a_run_of_random_programs_is_as_long_as_is_asked() -> None:
    assert Program(("file.py", "{count}"), 2.5).command(10) == ["file.py", "25"]
    assert Program(("file.py", "{count}"), 0.01).command(1) == ["file.py", "1"]


def test_rows_replace_older_ones_of_their_version_and_are_sorted() -> None:
    older, newer = ROW._replace(version="1.9.2"), ROW._replace(day="2026-02-02", tests="4 passed, 0 failed")
    page = merged("Title\n\n" + merged("", [ROW]) + "\nThe end.\n", [newer, older])
    assert page.splitlines() == ["Title", "", *HEADER, older.text(), newer.text(), "", "The end."]
    assert rows_of(page) == [older, newer]


def test_an_environment_has_its_own_version_and_the_rest_from_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(python: Path, requirements: list[str]) -> None:
        (site,) = Path(python).parents[1].glob("lib/python*/site-packages")
        for requirement in requirements:
            name, _, version = requirement.partition("==")
            (site / f"{name}-{version}.dist-info").mkdir()
            needs = "pytest>=1" if name == "pluggy" else ""
            metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: {needs}\n"
            (site / f"{name}-{version}.dist-info/METADATA").write_text(metadata)

    monkeypatch.setattr("version_environments._install", install)
    python = make_environment(tmp_path / "environment", "pluggy", "0.0.1")
    script = "from importlib.metadata import version; import pytest, pluggy; print(version('pluggy'))"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0.0.1"


def test_absent_libraries_are_stood_in_for(tmp_path: Path) -> None:
    """With versions of symbols, and without; functions of the GPU say that there is none."""
    absent, versions, user = tmp_path / "absent.c", tmp_path / "versions.map", tmp_path / "user.c"
    absent.write_text("int cuCount(void) { return 7; } int helper(void) { return 7; }")
    versions.write_text("VERSION_1 { global: cuCount; };")
    user.write_text("int cuCount(void); int helper(void); int use(void) { return 10 * cuCount() + helper(); }")
    library, place = tmp_path / "libabsent.so.1", tmp_path / "lib"
    place.mkdir()
    shared = ("gcc", "-shared", "-fPIC", "-o")
    script = f"-Wl,--version-script={versions}"
    subprocess.run([*shared, library, absent, script, "-Wl,-soname,libabsent.so.1"], check=True)
    subprocess.run([*shared, place / "libuser.so", user, library, "-Wl,-rpath,$ORIGIN"], check=True)
    library.unlink()
    assert stand_in(place) == ["libabsent.so.1"]
    assert ctypes.CDLL(str(place / "libuser.so")).use() == 1000
    assert stand_in(place) == []
