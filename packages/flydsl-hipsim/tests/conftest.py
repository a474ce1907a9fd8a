"""Kernels in C compiled with clang for the tests of the engine."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from flydsl_hipsim.program import Program

KERNELS = Path(__file__).parent / "kernels"

Compiled = Callable[..., Program]


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """`kernels("numbers", 2)`: kernels/numbers.c at -O2, loaded; for gfx942 unless a third argument says otherwise."""
    folder = tmp_path_factory.mktemp("kernels")

    @cache
    def compiled(name: str, level: int, arch: str = "gfx942") -> Program:
        target = folder / f"{name}.{level}.{arch}.o"
        command = ["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", f"-O{level}"]
        subprocess.run([*command, str(KERNELS / f"{name}.c"), "-o", str(target)], check=True)
        return Program(target.read_bytes())

    return compiled
