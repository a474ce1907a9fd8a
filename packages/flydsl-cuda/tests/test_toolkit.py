"""NVIDIA's programs: where they are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl_cuda import toolkit
from flydsl_cuda.toolkit import find_libdevice, find_program


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Path]:
    """A machine without programs; packages that are put here are installed."""
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    installed: dict[str, Path] = {}
    for distribution in ("nvidia_cuda_nvcc", "triton"):
        (tmp_path / f"{distribution}-1.0.dist-info").mkdir()

    def spec_of(name: str) -> object:
        found = installed.get(name)
        return found and type("Spec", (), {"submodule_search_locations": [str(found)]})

    monkeypatch.setattr(toolkit, "find_spec", spec_of)
    return installed


def test_they_are_looked_for_in_order(
    packages: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_program("ptxas") is None
    of_triton = program(tmp_path / "triton/backends/nvidia/bin/ptxas")
    packages["triton"] = tmp_path / "triton"
    assert find_program("ptxas") == of_triton
    on_path = program(tmp_path / "path/ptxas")
    assert find_program("ptxas") == on_path
    of_toolkit = program(tmp_path / "cuda/bin/ptxas")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert find_program("ptxas") == of_toolkit
    of_wheel = program(tmp_path / "nvidia/cu13/bin/ptxas")
    packages["nvidia"] = tmp_path / "nvidia"
    assert find_program("ptxas") == of_wheel
    assert find_program("nvdisasm") is None


@pytest.mark.usefixtures("packages")
def test_what_cannot_be_run_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "cuda/bin/ptxas").chmod(0o644)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert find_program("ptxas") is None


def test_the_device_library_is_looked_for_in_order(
    packages: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_toolkit = "nvvm/libdevice/libdevice.10.bc"
    of_triton = program(tmp_path / "triton/backends/nvidia/lib/libdevice.10.bc")
    packages["triton"] = tmp_path / "triton"
    monkeypatch.setattr(toolkit, "_USUAL", tmp_path / "usual")
    assert find_libdevice() == of_triton
    usual = program(tmp_path / "usual" / in_toolkit)
    assert find_libdevice() == usual
    other = program(tmp_path / "other" / in_toolkit)
    ptxas = program(tmp_path / "other/bin/ptxas")
    (tmp_path / "path").mkdir()
    (tmp_path / "path/ptxas").symlink_to(ptxas)
    assert find_libdevice() == other
    of_toolkit = program(tmp_path / "cuda" / in_toolkit)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert find_libdevice() == of_toolkit
    of_wheel = program(tmp_path / "nvidia/cu13" / in_toolkit)
    packages["nvidia"] = tmp_path / "nvidia"
    assert find_libdevice() == of_wheel


def test_only_installed_distributions_count(
    packages: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the script and in the working folder anybody may have put a folder of that name."""
    program(tmp_path / "script/nvidia/x/bin/ptxas")
    packages["nvidia"] = tmp_path / "script/nvidia"
    assert find_program("ptxas") is None
    program(tmp_path / "here/ptxas")
    monkeypatch.chdir(tmp_path / "here")
    for folder in ("", ".", "../here"):
        monkeypatch.setenv("PATH", f"{folder}:/nowhere")
        assert find_program("ptxas") is None
