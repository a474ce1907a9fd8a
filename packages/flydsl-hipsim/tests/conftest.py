"""Kernels in C compiled with clang for the tests of the engine."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

from flydsl_hipsim.program import Program

KERNELS = Path(__file__).parent / "kernels"
WAVE_64 = "-wave64"


class Compiler:
    """Compiles each file once for each level and chip."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.compiled = cache(self._compile)
        self.image = cache(self._image)

    def _compile(self, name: str, level: int, chip: str) -> Program:
        return Program(self.image(name, level, chip))

    def _image(self, name: str, level: int, chip: str) -> bytes:
        target = self._folder / f"{name}.{level}.{chip}.o"
        arch = chip.removesuffix(WAVE_64)
        command = ["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", f"-O{level}"]
        command += ["-mcode-object-version=6"] if arch.endswith("-generic") else []
        if arch != chip:
            command += ["-mwavefrontsize64", "-DWAVE_64"]
        subprocess.run([*command, str(KERNELS / f"{name}.c"), "-o", str(target)], check=True)
        return target.read_bytes()


class Kernels:
    """`kernels("numbers", 2)`: kernels/numbers.c at -O2, loaded, for this chip unless a third argument names one."""

    def __init__(self, compiler: Compiler, chip: str) -> None:
        self._compiler, self.chip = compiler, chip

    def __call__(self, name: str, level: int, chip: str = "") -> Program:
        return self._compiler.compiled(name, level, chip or self.chip)

    def image(self, name: str, level: int, chip: str = "") -> bytes:
        """The code object for this chip, or for any target."""
        return self._compiler.image(name, level, chip or self.chip)

    @property
    def arch(self) -> str:
        """The chip without what is said of its waves."""
        return self.chip.removesuffix(WAVE_64)

    @property
    def wave(self) -> int:
        """Lanes of a wave."""
        return 64 if self.chip.startswith("gfx9") or self.chip.endswith(WAVE_64) else 32


@pytest.fixture(scope="session")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def kernels(request: pytest.FixtureRequest, compiler: Compiler) -> Kernels:
    return Kernels(compiler, getattr(request, "param", "gfx942"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests with kernels run on each of their module's CHIPS; on a gfx942 where there are none."""
    chips = getattr(metafunc.module, "CHIPS", None)
    if chips and "kernels" in metafunc.fixturenames:
        metafunc.parametrize("kernels", chips, indirect=True)
