"""Kernels whose threads are functions of their own words, bit for bit what clang's code for this machine computes."""

from __future__ import annotations

import ctypes
import os
import re
from typing import Any

import numpy as np
import pytest

from ..conftest import KERNELS

EVERYWHERE = os.environ.get("KERNEL_TESTS_EVERYWHERE") == "1"
EVERY_CHIP = ("gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250", "gfx1100-wave64", "gfx1201-wave64", "gfx90a")
LEVELS: tuple[int | str, ...] = (0, 1, 2, 3, "s")
THREADS, IN_WORDS, OUT_WORDS = 100, 32, 128
FILES = sorted(path.stem for path in (KERNELS / "portable").glob("*.c"))
SPECIAL = [0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3FF00000, 0x80]
_CHOSEN = [(file, chip, level) for file in FILES for chip in EVERY_CHIP for level in LEVELS]
"""All of them are run where everything is; else each file on some chips and each chip with some files and levels."""


def names_in(file: str) -> list[str]:
    """The kernels of a file, as its code object lists them."""
    text = (KERNELS / "portable" / f"{file}.c").read_text()
    return re.findall(r"EACH\((\w+)\)", text)


def words(seed: int) -> np.ndarray:
    """Bits of all kinds: numbers of all magnitudes, floats near 1, few bits, special values."""
    random = np.random.default_rng(seed)
    made = random.integers(0, 2**32, (THREADS, IN_WORDS), dtype=np.uint32)
    kinds = random.integers(0, 8, made.shape)
    made = np.where(kinds == 0, made >> random.integers(0, 32, made.shape).astype(np.uint32), made)
    made = np.where(kinds == 1, random.choice(np.array(SPECIAL, np.uint32), made.shape), made)
    scaled = (random.standard_normal(made.shape) * 10.0 ** random.integers(-4, 6, made.shape)).astype(np.float32)
    made = np.where((kinds >= 2) & (kinds <= 4), scaled.view(np.uint32), made)
    halves = random.standard_normal((THREADS, IN_WORDS, 2)).astype(np.float16).view(np.uint32)[..., 0]
    made = np.where(kinds == 5, halves, made)
    doubles = (random.standard_normal((THREADS, IN_WORDS // 2)) * 100).view(np.uint32)
    return np.ascontiguousarray(np.where(random.integers(0, 4, (THREADS, 1)) == 0, doubles, made).astype(np.uint32))


def chosen() -> list[tuple[str, str, int | str]]:
    if EVERYWHERE:
        return _CHOSEN
    return [
        (file, chip, LEVELS[(2 * f + c) % len(LEVELS)])
        for f, file in enumerate(FILES)
        for c, chip in enumerate(EVERY_CHIP)
        if (f + c) % 3 == 0
    ]


@pytest.mark.parametrize(("file", "chip", "level"), chosen())
def test_threads_compute_what_the_host_does(kernels: Any, file: str, chip: str, level: int | str) -> None:
    program, host = kernels(f"portable/{file}", level, chip), kernels.host(f"portable/{file}")
    assert len(program.code.kernels) >= len(set(names_in(file)))
    for seed, name in enumerate(program.code.kernels):
        a = words(seed)
        found, expected = (np.zeros((THREADS, OUT_WORDS), np.uint32) for _ in range(2))
        check, order = ("", "all")[(seed + len(chip)) % 2], ("forward", "backward")[seed % 2]
        program.run(name, 1, THREADS, [a, found], order=order, check=check)
        getattr(host, name)(ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(expected.ctypes.data), THREADS)
        np.testing.assert_array_equal(found, expected, err_msg=name)
