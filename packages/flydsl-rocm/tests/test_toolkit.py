"""The folder with the device libraries that code is linked against."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl_rocm.toolkit import toolkit_folder


def libraries_of(folder: Path) -> dict[str, Path]:
    return {file.name: file.resolve() for file in (folder / "amdgcn" / "bitcode").iterdir()}


def test_each_installation_of_rocm_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("flydsl_mlir.toolkit._DEVICE_LIBRARIES", ())
    found = []
    for version in ("one", "two", "one"):
        library = tmp_path / version / "amdgcn" / "bitcode" / "ocml.bc"
        library.parent.mkdir(parents=True, exist_ok=True)
        library.write_bytes(version.encode())
        monkeypatch.setenv("ROCM_PATH", str(tmp_path / version))
        found.append(toolkit_folder())
        assert libraries_of(found[-1]) == {"ocml.bc": library}
    assert found[0] == found[2] != found[1]
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "none"))
    assert libraries_of(toolkit_folder()) == {}
