"""Metadata of the distributions: one version, one licence, and what an index and its users need."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import trove_classifiers

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
EACH_PACKAGE = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
SUPPORTED = ("3.11", "3.12", "3.13")


def project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


def cmake_of(folder: Path) -> str:
    file = folder / "CMakeLists.txt"
    return file.read_text() if file.exists() else ""


def set_version() -> Any:
    spec = importlib.util.spec_from_file_location("set_version", ROOT / "scripts/set_version.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_packages() -> None:
    assert "flydsl-core" in {package.name for package in PACKAGES}


def test_all_distributions_have_one_version() -> None:
    assert len({project(folder)["version"] for folder in (ROOT, *PACKAGES)}) == 1


@EACH_PACKAGE
def test_siblings_are_required_in_the_series_of_this_version(package: Path) -> None:
    metadata = project(package)
    groups = [metadata.get("dependencies", []), *metadata.get("optional-dependencies", {}).values()]
    siblings = [word for group in groups for word in group if word.startswith("flydsl-")]
    bounds = [re.fullmatch(r"flydsl-[a-z]+(?:\[[a-z]+\])?(.*)", word) for word in siblings]
    expected = set_version().sibling_range(metadata["version"])
    assert {bound and bound.group(1) for bound in bounds} <= {expected}


@EACH_PACKAGE
def test_setting_a_version_sets_it_everywhere(package: Path) -> None:
    text = (package / "pyproject.toml").read_text()
    current = project(package)["version"]
    changed = set_version().with_version(text, "7.8.9")
    assert tomllib.loads(changed)["project"]["version"] == "7.8.9"
    assert set_version().with_version(changed, current) == text
    siblings = [line for line in changed.splitlines() if re.search(r'"flydsl-[a-z]+[\[>]', line)]
    assert all(">=7.8,<7.9" in line for line in siblings)


@pytest.mark.parametrize(
    ("version", "expected"), [("0.1.3", ">=0.1,<0.2"), ("1.9.0", ">=1.9,<1.10"), ("0.2.0rc1", ">=0.2.0rc1,<0.3")]
)
def test_a_range_admits_releases_of_one_series(version: str, expected: str) -> None:
    assert set_version().sibling_range(version) == expected


@EACH_PACKAGE
def test_a_package_carries_the_licence_of_the_project(package: Path) -> None:
    metadata = project(package)
    assert (metadata["license"], metadata["license-files"]) == ("Apache-2.0", ["LICENSE"])
    assert (package / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@EACH_PACKAGE
def test_a_package_says_what_it_is_who_makes_it_and_where_it_runs(package: Path) -> None:
    metadata = project(package)
    assert metadata["name"] == package.name
    assert (package / metadata["readme"]).read_text().startswith(f"# {package.name}\n")
    assert metadata["authors"]
    assert metadata["keywords"]
    assert {f"Programming Language :: Python :: {version}" for version in SUPPORTED} <= set(metadata["classifiers"])


@EACH_PACKAGE
def test_classifiers_exist(package: Path) -> None:
    assert set(project(package)["classifiers"]) <= trove_classifiers.classifiers


@pytest.mark.parametrize("package", [p for p in PACKAGES if "flydsl.runtime.abi" in cmake_of(p)], ids=lambda p: p.name)
@pytest.mark.parametrize("is_sdist", [True, False], ids=["sdist", "repository"])
def test_a_build_that_needs_the_header_of_the_core_asks_for_the_core(
    package: Path, is_sdist: bool, tmp_path: Path
) -> None:
    """In the repository the header is there, and the core of this version is in no index yet."""
    shutil.copy(package / "pyproject.toml", tmp_path)
    if is_sdist:
        (tmp_path / "PKG-INFO").write_text("Metadata-Version: 2.4\n")
    code = "from scikit_build_core import build; print(*build.get_requires_for_build_wheel(), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    needed = f"flydsl-core{set_version().sibling_range(project(package)['version'])}"
    assert (needed in done.stdout.splitlines()) == is_sdist, done.stdout
