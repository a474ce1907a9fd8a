"""What the examples share around their kernels: the choice of a backend in, random odd sizes and comparisons out."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import flydsl.compiler as flyc

__all__ = ["assert_close", "choose_backend", "marked", "odd"]


def choose_backend() -> None:
    """The backend that FLYDSL_COMPILE_BACKEND names, else the CPU: the examples' arrays are in its memory."""
    flyc.use_pair(os.environ.get("FLYDSL_COMPILE_BACKEND") or "cpu")


def odd(rng: np.random.Generator, below: int) -> int:
    """A random odd number, so that no tile divides it."""
    return 2 * int(rng.integers(0, below // 2)) + 1


def marked(array: Any, itemsize: int = 4) -> Any:
    """A long vector as an argument: of any number of 16 bytes, the first at a multiple of 16."""
    return flyc.from_dlpack(array, assumed_align=16).mark_shape_dynamic(divisibility=16 // itemsize)


def assert_close(found: Any, expected: Any, tolerance: float) -> None:
    """`found` differs from the float64 `expected` by no more than `tolerance`, relative to the largest expected."""
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * scale)
