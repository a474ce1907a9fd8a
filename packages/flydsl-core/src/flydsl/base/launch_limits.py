"""What a launch may have at most on a target."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

Extents = tuple[int | None, ...]
"""Sizes along x, y and z; None where only the launch tells."""


class LaunchLimits(NamedTuple):
    """Sizes that no launch on a target exceeds; 0 limits nothing."""

    threads: int = 1024
    """Of a block."""
    block: tuple[int, int, int] = (0, 0, 0)
    """Threads of a block along each side."""
    grid: tuple[int, int, int] = (0, 0, 0)
    """Blocks along each side."""
    grid_threads: int = 0
    """Threads of a grid along one side."""
    shared_bytes: int = 0
    """Shared memory of a block."""

    def exceeded(self, grid: Extents, block: Extents, shared: int | None) -> str | None:
        """What is too large, in words; None when nothing is known to be."""
        if None not in block and self.threads and prod(n or 0 for n in block) > self.threads:
            return f"a block of {block} threads is above the limit of {self.threads} threads"
        for axis, threads, most in zip("xyz", block, self.block, strict=True):
            if most and (threads or 0) > most:
                return f"a block has at most {most} threads along {axis}, found {block}"
        for axis, blocks, most in zip("xyz", grid, self.grid, strict=True):
            if most and (blocks or 0) > most:
                return f"a grid has at most {most} blocks along {axis}, found {blocks}: have blocks do more, or use x"
        for axis, blocks, threads in zip("xyz", grid, block, strict=True):
            if self.grid_threads and (blocks or 0) * (threads or 0) > self.grid_threads:
                return f"a grid has at most {self.grid_threads} threads along {axis}, found {blocks} x {threads}"
        if self.shared_bytes and (shared or 0) > self.shared_bytes:
            return f"{shared} bytes of shared memory are above the limit of {self.shared_bytes} bytes of a block"
        return None
