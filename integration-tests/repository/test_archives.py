"""Archives of the distributions: what they are built of here, and that flaws in them are found."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    """A module of scripts/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


archives = script("archives")
PACKAGES = archives.packages()
EACH_PACKAGE = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
CORE, MLIR = (next(package for package in PACKAGES if package.name == f"flydsl-{name}") for name in ("core", "mlir"))
BUILD = """
import sys, tomllib
from importlib import import_module
backend = import_module(tomllib.load(open("pyproject.toml", "rb"))["build-system"]["build-backend"])
getattr(backend, sys.argv[1])(sys.argv[2])
"""


def built(package: archives.Package, kind: str, folder: Path) -> Path:
    """The archive of `package` that its build backend makes in `folder`."""
    line = [sys.executable, "-c", BUILD, f"build_{kind}", str(folder)]
    subprocess.run(line, cwd=package.folder, check=True, capture_output=True)
    (archive,) = folder.iterdir()
    return archive


@EACH_PACKAGE
def test_a_source_distribution_holds_the_sources_and_nothing_built(package: archives.Package, tmp_path: Path) -> None:
    sdist = built(package, "sdist", tmp_path)
    assert list(archives.check_sdist(package, sdist)) == []
    with tarfile.open(sdist) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    tracked = subprocess.run(["git", "ls-files", "src", "*.cmake"], cwd=package.folder, capture_output=True, text=True)
    assert set(tracked.stdout.split()) <= names


@pytest.mark.parametrize("package", [p for p in PACKAGES if not p.is_native], ids=lambda package: package.name)
def test_a_wheel_holds_what_it_must(package: archives.Package, tmp_path: Path) -> None:
    assert list(archives.check_wheel(package, built(package, "wheel", tmp_path))) == []


def test_only_the_toolchain_has_a_wheel_for_each_interface_of_python() -> None:
    assert [package.name for package in PACKAGES if len(package.tags) > 1] == ["flydsl-mlir"]
    assert PACKAGES[0] == CORE  # builds of others ask for it


def wheel(folder: Path, package: archives.Package, tag: str, *further: str, without: str = "") -> Path:
    """An archive with empty files under the names of a good wheel."""
    information = f"{package.stem}.dist-info"
    module = package.name.replace("-", "_")
    names = (f"{information}/licenses/LICENSE", f"{information}/METADATA", f"{module}/py.typed", *further)
    path = folder / f"{package.stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            if not without or without not in name:
                file.writestr(name, "")
    return path


@pytest.mark.parametrize(
    ("package", "tag", "further", "flaw"),
    [
        (MLIR, "cp312-abi3-linux_x86_64", (), "indexes refuse the platform 'linux_x86_64'"),
        (MLIR, "cp312-abi3-any", (), "not the platform of a package that is native: True"),
        (CORE, "py3-none-manylinux_2_36_x86_64", (), "not the platform of a package that is native: False"),
        (MLIR, "cp312-abi3-manylinux_2_36_x86_64", ("flydsl_mlir.libs/libLLVM.so",), "a library of the machine"),
        (CORE, "py3-none-any", ("flydsl/__init__.py",), "would hide the other parts of the namespace"),
        (CORE, "py3-none-any", ("flydsl/a/__pycache__/b.cpython-312.pyc",), "does not belong there"),
    ],
)
def test_a_flaw_of_a_wheel_is_named(
    package: archives.Package, tag: str, further: tuple[str, ...], flaw: str, tmp_path: Path
) -> None:
    (problem,) = archives.check_wheel(package, wheel(tmp_path, package, tag, *further))
    assert flaw in problem


@pytest.mark.parametrize("missing", ["LICENSE", "METADATA", "py.typed"])
def test_a_missing_file_of_a_wheel_is_named(missing: str, tmp_path: Path) -> None:
    (problem,) = archives.check_wheel(CORE, wheel(tmp_path, CORE, "py3-none-any", without=missing))
    assert f"{missing} is missing" in problem


def test_missing_and_foreign_archives_are_named(tmp_path: Path) -> None:
    wheel(tmp_path, MLIR, "cp312-cp312-manylinux_2_36_x86_64")
    problems = "\n".join(archives.check_all(tmp_path))
    assert "flydsl-mlir: wheels for cp312-cp312, expected cp311-cp311, cp312-abi3" in problems
    assert f"flydsl-core: {CORE.stem}.tar.gz is missing" in problems
    assert "flydsl-core: wheels for nothing, expected py3-none" in problems


def test_what_a_build_left_is_no_source(tmp_path: Path) -> None:
    path = tmp_path / f"{CORE.stem}.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        for name in ("LICENSE", "README.md", "pyproject.toml", "PKG-INFO", "src/flydsl/_reader.abi3.so"):
            file.addfile(tarfile.TarInfo(f"{CORE.stem}/{name}"))
    (problem,) = archives.check_sdist(CORE, path)
    assert "src/flydsl/_reader.abi3.so does not belong there" in problem
