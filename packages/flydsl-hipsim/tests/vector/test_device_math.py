"""Functions of the device libraries, executed, against the host's in f64: errors in units of the last place."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from flydsl_hipsim.program import Program

from ..device_libraries import link_flags

COUNT = 64 * 32
FUNCTIONS: dict[str, tuple[float, float, Callable[[float], float], float]] = {  # range, reference, ulp of f32
    "exp": (-87, 88, math.exp, 1.5),
    "exp2": (-125, 127, math.exp2, 1.5),
    "log": (1e-6, 1e6, math.log, 2.5),
    "log2": (1e-6, 1e6, math.log2, 2.5),
    "sin": (-1e5, 1e5, math.sin, 2),
    "cos": (-1e5, 1e5, math.cos, 2),
    "tan": (-100, 100, math.tan, 3),
    "tanh": (-8, 8, math.tanh, 2),
    "sinh": (-80, 80, math.sinh, 2),
    "asin": (-1, 1, math.asin, 3),
    "atan": (-50, 50, math.atan, 2.5),
    "erf": (-4, 4, math.erf, 2),
    "rsqrt": (1e-6, 1e6, lambda x: 1 / math.sqrt(x), 2),
    "cbrt": (-1e6, 1e6, np.cbrt, 2),
    "expm1": (-20, 80, math.expm1, 2),
    "log1p": (-0.9, 1e6, math.log1p, 2),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("device_math")
    source = Path(__file__).parents[1] / "kernels" / "device_math.c"
    command = ["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O2", "-w"]
    flags = link_flags("gfx942", folder, ("ocml",))
    subprocess.run([*command, *flags, str(source), "-o", str(folder / "math.o")], check=True)
    return Program((folder / "math.o").read_bytes())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_f32_is_as_exact_as_documented(program: Program, name: str, rng: np.random.Generator) -> None:
    low, high, reference, limit = FUNCTIONS[name]
    a, c = rng.uniform(low, high, COUNT).astype(np.float32), np.zeros(COUNT, np.float32)
    program.run(f"{name}_f32", COUNT // 64, 64, [a, c])
    expected = np.array([reference(float(x)) for x in a])
    errors = np.abs(c.astype(np.float64) - expected) / np.spacing(np.abs(expected).astype(np.float32)).astype(
        np.float64
    )
    assert errors.max() <= limit


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_f64_agrees_with_the_host(program: Program, name: str, rng: np.random.Generator) -> None:
    low, high, reference, _ = FUNCTIONS[name]
    a, c = rng.uniform(low, high, COUNT), np.zeros(COUNT)
    program.run(f"{name}_f64", COUNT // 64, 64, [a, c])
    expected = np.array([reference(float(x)) for x in a])
    assert (np.abs(c - expected) / np.spacing(np.abs(expected))).max() <= 4
