"""The interpreter gives what the CPU backend gives: examples and tests of `kernels` run once more, interpreted.

Of the tests of `kernels` a part each day, all of them with KERNEL_TESTS_EVERYWHERE=1, as `nox -s simulate` does.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.day import seed_of_the_day
from support.targets import EVERYWHERE

import flydsl.compiler as flyc

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "integration-tests/kernels"
EXAMPLES = ROOT / "examples"

SIZES: dict[str, tuple[Any, ...]] = {
    "01_vector_add": (9, 67),
    "02_tiled_copy": (17, 35),
    "03_tiled_mma": (17, 9, 7),
    "05_gather_scatter": (5, 7, 8),
    "06_shared_memory_transpose": (33, 35),
    "07_block_reduction": (2, 515),
    "08_scan": (1, 259),
    "09_softmax": (1, 1027),
    "10_rmsnorm": (1, 1027),
    "11_layernorm": (1, 1027),
    "12_tiled_gemm": (5, 7, 3),
    "13_attention": (1, 3, 2, True),
    "14_streaming": (5,),
    "15_rows_in_registers": (3, 63, 32),
    "16_wide_transpose": (3, 5),
    "17_running_sum": (5,),
    "18_histogram": (5,),
}
"""What each example's `check` takes: small, and divided by no tile."""

MODULES = sorted(path.stem.removeprefix("test_") for path in KERNELS.glob("test_*.py"))
PARTS = 12
DAY = seed_of_the_day()
TODAY = range(PARTS) if os.environ.get(EVERYWHERE) else [(DAY * 3 + step) % PARTS for step in range(3)]
LARGE = {
    "math.py::test_functions_are_within_a_few_units_in_the_last_place",
    *("math.py::test_powers_round_once", "math.py::test_tangents_and_large_angles"),
    "math.py::test_powers_and_angles_of_every_pair_of_special_numbers",
    "narrow_floats.py::test_doubles_are_narrowed_in_one_rounding",
    "narrow_floats.py::test_numbers_are_narrowed_as_in_ml_dtypes",
    *("tiled_mma.py::test_a_product_with_borders_equals_numpy", "tiled_mma.py::test_random_sizes"),
    "tiled_mma.py::test_every_traversal_order_gives_the_product",
    "vector_add.py::test_adding_by_ones_equals_numpy_on_odd_shapes",
    "vector_add.py::test_adding_by_fours_equals_numpy_on_border_tiles",
    "vector_add.py::test_a_slice_that_starts_at_any_element_is_added_by_fours",
}
LEFT_OUT = {
    **dict.fromkeys(LARGE, "large"),
    "arith.py::test_contract_rounds_a_product_and_a_sum_once": "a flag that allows it and does not demand it",
    "arith.py::test_changed_flags_are_compiled_anew": "a flag that allows it and does not demand it",
    "narrow_floats.py::test_elements_of_a_byte_keep_their_bits": "keeps no bits of what is not a number",
    "promises.py::test_results_without_promises_equal_those_with_them": "about compilation",
    "public_api.py::test_slices_of_tiled_copies_pass_through_kernel_arguments_and_control_flow": "threads write alike",
    "registered_arguments.py::test_an_abi_that_is_not_that_of_the_types_is_refused": "about compiled calls",
    "small_and_wide_integers.py::test_two_integers_of_4_bits_are_read_from_a_byte": "packed numbers",
    "small_and_wide_integers.py::test_a_part_of_a_byte_has_no_address": "a limit of the backend",
    "numeric.py::test_doubles_become_halves_in_one_rounding": "stores what is out of the range of an integer",
    "shared_memory.py::test_more_shared_memory_than_a_block_has_raises": "a limit of the backend",
    "shared_memory.py::test_a_dynamic_allocator_reserves_what_the_kernel_took": "all threads write one byte: a race",
    "vector_add.py::test_one_function_serves_every_shape_with_one_compilation": "about compilation",
}
"""Tests that are not interpreted, and why."""


@pytest.mark.parametrize("name", SIZES)
def test_an_example_checks_its_numbers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    example = importlib.import_module(name)
    with flyc.interpret():
        example.check(np.random.default_rng(0), *SIZES[name])


def test_every_example_is_interpreted() -> None:
    checks = re.compile(r"^def check\(\s*rng", re.MULTILINE)
    found = {path.stem for path in EXAMPLES.glob("[0-9][0-9]_*.py") if checks.search(path.read_text())}
    assert found == set(SIZES)


def test_what_is_left_out_is_there() -> None:
    for name in LEFT_OUT:
        file, _, function = name.partition("::")
        assert f"def {function}(" in (KERNELS / f"test_{file}").read_text()


@pytest.mark.parametrize("part", TODAY)
def test_tests_of_the_backend_pass_in_the_interpreter(part: int) -> None:
    files = [str(KERNELS / f"test_{module}.py") for module in MODULES[part::PARTS]]
    left_out = [f"--deselect={(KERNELS / f'test_{name}').relative_to(ROOT)}" for name in LEFT_OUT]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, *left_out]
    environment = {**os.environ, "FLYDSL_INTERPRET": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
    assert " passed" in done.stdout
