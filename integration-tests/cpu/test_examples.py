"""Every example runs as a program, and its checked function holds on random odd sizes and on the smallest ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.examples import EXAMPLES, FOLDER, SIZES, load_example

SAYS = {"01_vector_add": "compilers loaded: none"}
"""What an example's output must hold besides its comparison with NumPy."""


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


def test_a_softmax_computes_each_exponential_once() -> None:
    """In two versions of two loops, one for whole vectors and one for the end of a row, and between the loops."""
    x = np.zeros((3, 5000), np.float32)
    ir = load_example("09_softmax").softmax.trace(x, x, backend="cpu", arch="x86-64-v4").lower().llvm_ir()
    first_loop, between, second_loop = (4 + 1) + (1 + 1), 1, 1 + 1  # numbers, and running maxima: alone or as vectors
    assert len(re.findall("call .*@llvm.ldexp", ir)) == first_loop + between + second_loop
    assert "maxnum" not in ir


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((96, 0), "a power of two threads, found 96"),
        ((0, 0), "a power of two threads, found 0"),
        ((128, 3, 3, 2), "loaded 2 vectors at a time; found 3 and 3"),
    ],
)
def test_rows_are_spread_over_threads_that_can_be_halved(numbers: tuple[int, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_example("15_rows_in_registers").RowPlan(2000, *numbers)


@pytest.mark.parametrize("words", [{"lasting": True}, {"cache": ("no_allocate", "evict_first")}], ids=str)
def test_what_rows_tell_the_caches_of_one_vendor_is_no_error_elsewhere(words: dict[str, Any]) -> None:
    example = load_example("15_rows_in_registers")
    x = np.random.default_rng(1).standard_normal((3, 1001)).astype(np.float32)
    y = np.zeros_like(x)
    arguments = [example.marked(array, 4) for array in (x, x[0], x[0], y)]
    example.run("log_softmax", *arguments, example.RowPlan(1001, 64, **words))
    np.testing.assert_allclose(np.exp(y.astype(np.float64)).sum(axis=1), 1, rtol=1e-5)
