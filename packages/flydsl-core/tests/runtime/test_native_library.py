"""Finding and opening the shared library of a distribution."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flydsl.base.errors import FlyDSLError, LibraryMissingError
from flydsl.runtime.native_library import NativeLibrary

HALF = {"half": (ctypes.c_double, (ctypes.c_double,))}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shared library with one function."""
    folder = tmp_path_factory.mktemp("library")
    source, library = folder / "tiny.c", folder / "libtiny.so"
    source.write_text("double half(double x) { return x / 2; }\n")
    compiler = shutil.which("cc")
    assert compiler is not None
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the package of a distribution, installed, whose library is not there."""
    package, metadata = tmp_path / "acme_tiny", tmp_path / "acme_tiny-1.0.dist-info"
    for folder in (package, metadata):
        folder.mkdir()
    (package / "__init__.py").write_text("")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-tiny\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_tiny", raising=False)
    return tmp_path


LIBRARY = NativeLibrary("acme-tiny", "acme_tiny/lib/libtiny.so")


def test_a_library_inside_the_package_is_opened_with_its_types(site: Path, built: Path) -> None:
    (site / "acme_tiny/lib").mkdir()
    shutil.copy(built, site / "acme_tiny/lib")
    assert LIBRARY.path() == site / "acme_tiny/lib/libtiny.so"
    assert LIBRARY.open(HALF).half(5.0) == 2.5


def test_sources_elsewhere_find_the_library_of_the_installed_distribution(
    site: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "acme_tiny/lib").mkdir()
    shutil.copy(built, site / "acme_tiny/lib")
    sources = site / "sources"
    (sources / "acme_tiny").mkdir(parents=True)
    (sources / "acme_tiny/__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(sources))
    assert LIBRARY.path() == site / "acme_tiny/lib/libtiny.so"


@pytest.mark.usefixtures("site")
def test_a_library_that_was_not_built_names_what_to_reinstall() -> None:
    assert LIBRARY.path() is None
    with pytest.raises(LibraryMissingError, match=r"'libtiny\.so' was not found: .*reinstall acme-tiny$") as caught:
        LIBRARY.open({})
    assert isinstance(caught.value, FlyDSLError)
    assert isinstance(caught.value, OSError)


def test_a_distribution_that_is_not_installed_has_no_library() -> None:
    assert NativeLibrary("acme-absent", "acme_absent/libabsent.so").path() is None


def test_a_file_that_is_no_library_is_reported_with_its_path(site: Path) -> None:
    (site / "acme_tiny/lib").mkdir()
    (site / "acme_tiny/lib/libtiny.so").write_text("text")
    with pytest.raises(LibraryMissingError, match=r"lib/libtiny\.so cannot be used, reinstall acme-tiny: "):
        LIBRARY.open(HALF)


def test_a_library_of_another_version_is_reported_with_the_function_that_it_lacks(site: Path, built: Path) -> None:
    (site / "acme_tiny/lib").mkdir()
    shutil.copy(built, site / "acme_tiny/lib")
    with pytest.raises(LibraryMissingError, match=r"reinstall acme-tiny: .*third"):
        LIBRARY.open({**HALF, "third": (None, ())})
