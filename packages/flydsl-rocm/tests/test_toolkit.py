"""The device libraries that code is linked with: found, and trusted only if nobody else could have put them there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.other_user import give_away

from flydsl_rocm import toolkit as toolkit_module
from flydsl_rocm.toolkit import Toolkit, toolkit


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only device library of this machine."""
    monkeypatch.setattr("flydsl_rocm.device_libraries._FOLDERS", ())
    return install(tmp_path / "rocm", monkeypatch)


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    library = folder / "amdgcn" / "bitcode" / "ocml.bc"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"BC")
    monkeypatch.setenv("ROCM_PATH", str(folder))
    return library


def test_the_toolkit_is_that_of_the_rocm_that_is_set_now(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert toolkit() == Toolkit(tmp_path / "rocm")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "none"))
    assert "apt install rocm-device-libs" in toolkit().reason


def test_toolkit_without_libraries_has_none(library: Path) -> None:
    library.unlink()
    assert not (toolkit().folder / "amdgcn").exists()


def test_nothing_is_linked_into_the_cache_folder(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    toolkit()
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("depth", [0, 1, 2], ids=["the file", "its folder", "the folder above"])
def test_library_that_another_user_could_exchange_is_not_used(
    depth: int, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = (library, *library.parents)[depth]
    give_away(theirs, monkeypatch)
    assert toolkit().folder == toolkit_module._PACKAGE
    assert f"{str(theirs)!r} belongs to user" in toolkit().reason


def test_library_that_others_may_write_is_not_used(library: Path) -> None:
    library.chmod(0o666)
    assert "has mode 666, others may write it" in toolkit().reason


def test_libraries_of_the_owner_of_this_package_are_used(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_away(library, monkeypatch)
    owner = os.stat(library, follow_symlinks=False).st_uid
    package = os.stat_result([*os.stat(toolkit_module._PACKAGE)[:4], owner, *os.stat(toolkit_module._PACKAGE)[5:]])
    real = Path.stat
    monkeypatch.setattr(
        Path, "stat", lambda path, **how: package if path == toolkit_module._PACKAGE else real(path, **how)
    )
    assert toolkit().reason == ""


@pytest.mark.parametrize("name", ["with space", "a=b,c", "{braces}", "it's"])
def test_option_is_quoted(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / name, monkeypatch)
    assert toolkit().option == f'"{tmp_path / name}"'
    install(tmp_path / 'say "hi"', monkeypatch)
    assert toolkit().option == f"'{tmp_path}/say \"hi\"'"


def test_libraries_that_are_missing_are_told_with_what_to_install(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flydsl_rocm.backend import RocmBackend

    assert RocmBackend().missing_tools() == []
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "none"))
    (told,) = RocmBackend().missing_tools()
    assert "apt install rocm-device-libs" in told
