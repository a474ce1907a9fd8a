"""The examples of JAX run as programs, hold on borders of tiles, and say what to install where JAX is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.examples import FOLDER, JAX_EXAMPLES, load_example

SIZES = {
    "jax_01_vector_add": ((1,), (256,), (3, 5, 7)),
    "jax_02_tiled_copy": ((1, 1), (16, 32), (45, 99)),
    "jax_03_tiled_mma": ((1, 1, 1), (32, 16, 4), (53, 37, 71)),
}
"""Arguments of an example's `check`: borders of tiles, one beside them, odd."""
WITHOUT_JAX = "import runpy, sys; sys.modules['jax'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"


@pytest.mark.parametrize("name", JAX_EXAMPLES)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path)}
    del environment["FLYDSL_COMPILE_BACKEND"]
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len({line for line in done.stdout.splitlines() if "equal to jnp" in line}) > 1, done.stdout


@pytest.mark.parametrize("name, size", [(name, size) for name, sizes in SIZES.items() for size in sizes])
def test_an_example_equals_jax(name: str, size: tuple[int, ...]) -> None:
    load_example(name).check(np.random.default_rng(1), *size)


def test_every_example_is_checked() -> None:
    assert sorted(SIZES) == JAX_EXAMPLES


@pytest.mark.parametrize("name", JAX_EXAMPLES)
def test_an_example_without_jax_says_what_to_install(name: str) -> None:
    command = [sys.executable, "-c", WITHOUT_JAX, str(FOLDER / f"{name}.py")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(FOLDER), *sys.path])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("this example needs JAX: pip install jax flydsl-jax flydsl-cpu")
