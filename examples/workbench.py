"""What the examples share around their kernels: the choice of a backend in, random odd sizes and comparisons out."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import flydsl.compiler as flyc

__all__ = ["assert_close", "choose_backend", "framed", "marked", "odd", "padded", "torch_device"]


def choose_backend() -> None:
    """The backend that FLYDSL_COMPILE_BACKEND names, else the CPU: the examples' arrays are in its memory."""
    flyc.use_pair(os.environ.get("FLYDSL_COMPILE_BACKEND") or "cpu")


def torch_device() -> str:
    """Where tensors of torch are for the active pair: on the GPU, if torch has one that it compiles for."""
    import torch

    return "cuda" if flyc.active_pair().backend.name != "cpu" and torch.cuda.is_available() else "cpu"


def odd(rng: np.random.Generator, below: int) -> int:
    """A random odd number, so that no tile divides it."""
    return 2 * int(rng.integers(0, below // 2)) + 1


def marked(array: Any, itemsize: int = 4) -> Any:
    """A long vector as an argument: of any number of 16 bytes, the first at a multiple of 16."""
    return flyc.from_dlpack(array, assumed_align=16).mark_shape_dynamic(divisibility=16 // itemsize)


def padded(columns: int, itemsize: int) -> int:
    """So many that a row is a multiple of 16 bytes."""
    vector = 16 // itemsize
    return -(-columns // vector) * vector


def framed(rows: int, columns: int, dtype: Any, value: float = np.nan) -> np.ndarray:
    """A matrix with rows at multiples of 16 bytes, and columns behind it that nobody may read or write."""
    itemsize = np.dtype(dtype).itemsize
    return np.full((rows, padded(columns, itemsize) + 16 // itemsize), value, dtype)


def assert_close(found: Any, expected: Any, tolerance: float) -> None:
    """`found` differs from the float64 `expected` by no more than `tolerance`, relative to the largest expected."""
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * scale)
