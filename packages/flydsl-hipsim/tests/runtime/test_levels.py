"""The library of each level of x86-64 that this machine runs: which one is loaded, and that all do the same."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flydsl.runtime.machine import x86_levels
from flydsl_hipsim import settings

from ..conftest import Compiler

LEVELS = [level for level in settings.LEVELS if level in x86_levels()]
TRIALS = [(seed, chip) for seed in (7000, 7001) for chip in ("gfx942", "gfx1100", "gfx1201")]
RUN = """
import pickle, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from reference.check import trial
from flydsl_hipsim.program import Program
from flydsl_hipsim.toolkit import library_path
given, folder = pickle.load(sys.stdin.buffer), Path(sys.argv[2])
differences = [text for seed, chip in given["trials"] for text in trial(seed, chip, 300, folder).differences]
for code, kernel, args in given["matrices"]:
    with Program(code) as program:
        program.run(kernel, 1, 64, args)
sums = [args[2] for *_, args in given["matrices"]]
pickle.dump({"level": library_path().parent.name, "differences": differences, "sums": sums}, sys.stdout.buffer)
"""


def matrices(compiler: Compiler) -> Iterator[tuple[bytes, str, list[np.ndarray]]]:
    """Sums that are rounded, of halves without NaNs."""
    rng = np.random.default_rng(21)
    for file, chip, kernels in (
        ("matrix", "gfx942", ("f32_32x32x8_f16", "f32_16x16x16_f16", "f32_16x16x4_4b_f16", "f32_4x4x4_16b_f16",
                              "f32_32x32x8_bf16", "i32_32x32x16_i8", "f64_16x16x4_f64")),
        ("wmma", "gfx1100", ("f32_f16", "f16_f16", "i32_i8")),
    ):  # fmt: skip
        for kernel in kernels:
            a, b = (rng.normal(size=64 * 16).astype(np.float16) for _ in range(2))
            yield compiler.image(file, 2, chip), kernel, [a, b, np.zeros(64 * 32, np.uint32)]


@pytest.fixture(scope="module")
def found(compiler: Compiler, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Of a process with each setting: its level, where it differs from the reference, and its sums."""
    given, folder = {"trials": TRIALS, "matrices": list(matrices(compiler))}, tmp_path_factory.mktemp("levels")
    command = [sys.executable, "-c", RUN, str(Path(__file__).parents[1]), str(folder)]
    made = {}
    for level in LEVELS:
        environment = {**os.environ, "FLYDSL_HIPSIM_LEVEL": level}
        done = subprocess.run(command, input=pickle.dumps(given), env=environment, check=True, capture_output=True)
        made[level] = pickle.loads(done.stdout)
    return made


@pytest.mark.parametrize("level", LEVELS)
def test_the_setting_bounds_the_level(found: dict[str, dict[str, Any]], level: str) -> None:
    assert found[level]["level"] == ("lib" if level == settings.LEVELS[-1] else level)


@pytest.mark.parametrize("level", LEVELS)
def test_random_instructions_do_what_the_reference_does(found: dict[str, dict[str, Any]], level: str) -> None:
    differences = found[level]["differences"]
    assert not differences, "\n".join(differences[:20])


@pytest.mark.parametrize("level", LEVELS[1:])
def test_rounded_sums_of_matrices_have_the_same_bits(found: dict[str, dict[str, Any]], level: str) -> None:
    for best, other in zip(found[LEVELS[0]]["sums"], found[level]["sums"], strict=True):
        np.testing.assert_array_equal(other, best)


def test_a_level_that_does_not_exist_is_refused() -> None:
    command = [sys.executable, "-c", "from flydsl_hipsim.native import load_library; load_library()"]
    environment = {**os.environ, "FLYDSL_HIPSIM_LEVEL": "x86-64-v9"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "FLYDSL_HIPSIM_LEVEL is 'x86-64-v9', expected one of x86-64-v3, x86-64-v2" in done.stderr
