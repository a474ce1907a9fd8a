"""The device libraries of the machine: those of ROCM_PATH as it is now, and only files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flydsl_rocm.device_libraries import device_libraries


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `ocml.bc`, for ROCM_PATH."""
    bitcode = folder / "amdgcn" / "bitcode"
    bitcode.mkdir(parents=True)
    (bitcode / "ocml.bc").write_bytes(b"BC")
    monkeypatch.setenv("ROCM_PATH", str(folder))
    return bitcode


def test_libraries_are_those_of_the_rocm_that_is_set_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flydsl_rocm.device_libraries._FOLDERS", ())
    first = install(tmp_path / "rocm", monkeypatch)
    assert device_libraries() == [first / "ocml.bc"]
    other = install(tmp_path / "other", monkeypatch)
    (other / "ockl.bc").write_bytes(b"BC")
    os.mkfifo(other / "hip.bc")
    (other / "oclc_abi_version_500.bc").write_bytes(b"BC")
    assert device_libraries() == [other / "ockl.bc", other / "ocml.bc"]
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "none"))
    assert device_libraries() == []


def test_a_name_of_any_version_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = install(tmp_path / "clang" / "22", monkeypatch)
    (tmp_path / "clang" / "21").mkdir()
    monkeypatch.delenv("ROCM_PATH")
    monkeypatch.setattr(
        "flydsl_rocm.device_libraries._FOLDERS", (f"{tmp_path}/none/*/bitcode", f"{tmp_path}/clang/*/amdgcn/bitcode")
    )
    assert device_libraries() == [found / "ocml.bc"]
    monkeypatch.setattr("flydsl_rocm.device_libraries._FOLDERS", (f"{tmp_path}/clang/*/bitcode",))
    assert device_libraries() == []
