"""The backend `cuda` for every test of this folder; there need not be a device."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import flydsl.compiler as flyc
from flydsl_cuda.ptxas import find_ptxas


@pytest.fixture(autouse=True)
def cuda_pair(own_choices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for NVIDIA GPUs."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cuda")
    flyc.use_pair("cuda")


@pytest.fixture
def lost_speed(tmp_path: Path) -> Callable[[str], list[str]]:
    """`lost_speed(ptx)`: the assembler's words on products that wait and budgets that are ignored, and on spills."""

    def found(ptx: str) -> list[str]:
        assembler = find_ptxas()
        if assembler is None:
            pytest.skip("there is no ptxas")
        source = tmp_path / "kernel.ptx"
        source.write_text(ptx)
        command = [assembler, "-arch=sm_90a", "-v", str(source), "-o", str(tmp_path / "kernel.cubin")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        spills = [line for line in re.findall(r"\d+ bytes spill \w+", done.stderr) if not line.startswith("0 ")]
        return re.findall(r"\(C75\d\d\)", done.stderr) + spills

    return found
