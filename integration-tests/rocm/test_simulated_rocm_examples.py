"""Examples for AMD GPUs equal NumPy on each simulated chip that has their instructions, and name these elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.examples import FOLDER, ROCM_EXAMPLES, load_example

from flydsl_hipsim.bench import HipsimBench

MFMA, WMMA = ("gfx942", "gfx950"), ("gfx1100", "gfx1201", "gfx1250")
FP8, EVERY = (*MFMA, *WMMA[1:]), (*MFMA, *WMMA)
SIZES: dict[str, tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]] = {
    "rocm_01_preshuffled_gemm": (
        MFMA,
        ((1, 1, 64, "f16"), (65, 131, 224, "bf16"), (64, 128, 128, "i8"), (67, 263, 320, "fp8")),
    ),
    "rocm_02_wmma_gemm": (WMMA, ((1, 1, 8), (128, 128, 64), (131, 149, 104))),
    "rocm_03_softmax": (EVERY, ((1, 1), (3, 1024), (5, 1023, "float16"), (7, 2056, "float16"))),
    "rocm_04_norms": (EVERY, ((1, 2), (3, 1024), (5, 1023, "float16"), (7, 2056, "float16"))),
    "rocm_05_quantised_rmsnorm": (FP8, ((3, 1028, "i8"), (5, 2056, "i8"), (3, 1028, "fp8"), (5, 2056, "fp8"))),
    "rocm_06_grouped_gemm": (MFMA, ((1, 1, 1, 32), (3, 131, 133, 96))),
    "rocm_07_paged_attention": (MFMA, (((1, 32, 97), (6, 2, 64, 3)), ((33, 259), (16, 1, 128, 2)))),
    "rocm_08_moe_reduction": (EVERY, ((1, 1, 1), (3, 4, 2048), (5, 2, 1022))),
}
"""Chips, and arguments of an example's `check`: borders of tiles, one beside them, odd."""
RUNS = [(name, chip) for name, (chips, _) in SIZES.items() for chip in chips]


@pytest.mark.parametrize(("name", "chip"), RUNS)
def test_an_example_equals_numpy_whatever_the_order_of_waves(name: str, chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    example = load_example(name)
    for order in ("forward", "backward"):
        hipsim.set_order(order)
        for size in SIZES[name][1]:
            example.check(np.random.default_rng(1), *size)


@pytest.mark.parametrize("name", SIZES)
def test_an_example_passes_every_check(name: str, hipsim: HipsimBench) -> None:
    chips, sizes = SIZES[name]
    hipsim.use(chips[0])
    example = load_example(name)
    hipsim.set_check("all")
    hipsim.set_order("random:3")
    for size in sizes:
        example.check(np.random.default_rng(1), *size)


def run(name: str, chip: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(folder), "FLYDSL_HIPSIM": chip}
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ROCM_EXAMPLES)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    done = run(name, SIZES[name][0][-1], tmp_path)
    assert done.returncode == 0, done.stderr
    assert len({line for line in done.stdout.splitlines() if "equal to NumPy" in line}) > 1, done.stdout


@pytest.mark.parametrize("name", [name for name, (chips, _) in SIZES.items() if chips != EVERY])
def test_an_example_says_which_chips_it_needs(name: str, tmp_path: Path) -> None:
    chips = SIZES[name][0]
    other = next(chip for chip in EVERY if chip not in chips)
    done = run(name, other, tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"this example needs {chips[0]} or")
    assert f"the current device is {other}" in done.stderr


def test_every_example_is_checked() -> None:
    assert sorted(SIZES) == ROCM_EXAMPLES
