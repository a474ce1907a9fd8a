"""Host memory of gigabytes, of which only what is written takes room."""

from __future__ import annotations

import mmap

import numpy as np

GIB = 1 << 30
_NORESERVE = 0x4000  # Linux; Python names it from 3.13 on


def sparse(count: int) -> np.ndarray:
    """`count` bytes that are 0, as int8."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
    return np.frombuffer(mmap.mmap(-1, count, flags=flags), np.int8)
