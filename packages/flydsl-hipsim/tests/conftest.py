"""Kernels in C compiled with clang for the tests of the engine."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path

import pytest

from flydsl_hipsim.program import Program

KERNELS = Path(__file__).parent / "kernels"
PORTABLE = ["-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-w"]
"""What makes results the same on the host."""
WAVE_64 = "-wave64"


HOST = ["-Xclang", "-ffloat16-excess-precision=none", "-Xclang", "-fbfloat16-excess-precision=none", "-shared", "-fPIC"]
DEVICE = ["-target", "amdgcn-amd-amdhsa"]
HIP = ["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-fuse-ld=lld"]
Level = int | str
"""0 to 3, or a letter: `s`."""


class Compiler:
    """Compiles each file once for each level and chip."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.compiled = cache(self._compile)
        self.image = cache(self._image)
        self.host = cache(self._host)

    def _compile(self, name: str, level: Level, chip: str) -> Program:
        return Program(self.image(name, level, chip))

    def _host(self, name: str) -> ctypes.CDLL:
        """The same functions for this machine; halves are rounded after each operation."""
        target = self._target(name, "host.so")
        source = str(KERNELS / f"{name}.c")
        subprocess.run(["clang-22", "-O1", *PORTABLE, *HOST, source, "-o", str(target), "-lm"], check=True)
        return ctypes.CDLL(str(target))

    def _target(self, name: str, suffix: str) -> Path:
        return self._folder / f"{name.replace('/', '.')}.{suffix}"

    def _image(self, name: str, level: Level, chip: str) -> bytes:
        target = self._target(name, f"{level}.{chip}.o")
        arch = chip.removesuffix(WAVE_64)
        source = next(path for suffix in (".c", ".hip") if (path := KERNELS / f"{name}{suffix}").exists())
        for_chip = [*HIP, f"--offload-arch={arch}"] if source.suffix == ".hip" else [*DEVICE, f"-mcpu={arch}"]
        command = ["clang-22", *for_chip, "-nogpulib", f"-O{level}"]
        command += ["-mcode-object-version=6"] if arch.endswith("-generic") else []
        if name.startswith("portable/"):
            command += PORTABLE
        if arch != chip:
            command += ["-mwavefrontsize64", "-DWAVE_64"]
        subprocess.run([*command, str(source), "-o", str(target)], check=True)
        return target.read_bytes()


class Kernels:
    """`kernels("numbers", 2)`: kernels/numbers.c at -O2, loaded, for this chip unless a third argument names one."""

    def __init__(self, compiler: Compiler, chip: str) -> None:
        self._compiler, self.chip = compiler, chip

    def __call__(self, name: str, level: Level, chip: str = "") -> Program:
        return self._compiler.compiled(name, level, chip or self.chip)

    def host(self, name: str) -> ctypes.CDLL:
        """A file of kernels/portable as functions of this machine."""
        return self._compiler.host(name)

    def image(self, name: str, level: Level, chip: str = "") -> bytes:
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
