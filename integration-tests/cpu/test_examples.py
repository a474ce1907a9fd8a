"""Every example runs as a program, and its checked function holds on random odd sizes and on the smallest ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.examples import EXAMPLES, FOLDER, load_example

SAYS = {"01_vector_add": "compilers loaded: none"}
"""What an example's output must hold besides its comparison with NumPy."""

SIZES = {
    "01_vector_add": ((1, 1), (8, 64), (77, 333)),
    "02_tiled_copy": ((1, 1), (16, 32), (45, 99)),
    "03_tiled_mma": ((1, 1, 1), (32, 16, 4), (53, 37, 71)),
    "05_gather_scatter": ((1, 1, 1), (131, 3, 257)),
    "06_shared_memory_transpose": ((1, 1), (32, 32), (77, 133)),
    "07_block_reduction": ((1, 1), (5, 256), (7, 999)),
    "08_scan": ((1, 1), (5, 512), (7, 999)),
    "09_softmax": ((1, 1), (3, 2), (5, 1023), (3, 1024), (7, 4099)),
    "10_rmsnorm": ((1, 1), (3, 2), (5, 1023), (3, 1024), (7, 4099), (5, 1027, "float16")),
    "11_layernorm": ((1, 3), (5, 1023), (3, 1024), (7, 4099)),
    "12_tiled_gemm": ((1, 1, 1), (64, 64, 16), (65, 63, 17), (129, 7, 255)),
}
"""Arguments of an example's `check`: borders of tiles, one beside them, odd."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path)}
    del environment["FLYDSL_COMPILE_BACKEND"]  # an example chooses the CPU itself
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len({line for line in done.stdout.splitlines() if "equal to NumPy" in line}) > 1, done.stdout
    assert SAYS.get(name, "") in done.stdout


@pytest.mark.parametrize(("name", "size"), [(name, size) for name, sizes in SIZES.items() for size in sizes])
def test_an_example_equals_numpy(name: str, size: tuple[int, ...]) -> None:
    load_example(name).check(np.random.default_rng(1), *size)


def test_every_example_is_checked() -> None:
    assert sorted(SIZES) == EXAMPLES
