"""A kernel that counts for as long as it is told, on a stream or on arrays."""

from __future__ import annotations

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def count_kernel(x: fx.Pointer, n: fx.Int32) -> None:
    for _ in range(n):
        fx.atomic_add(x, fx.Int32(1))


@flyc.jit
def count_at(x: fx.Pointer, n: fx.Int32, stream: fx.Stream) -> None:
    count_kernel(x, n).launch(grid=4, block=64, stream=stream)


@flyc.jit
def count(x: fx.Tensor, n: fx.Int32) -> None:
    count_kernel(fx.get_iter(x), n).launch(grid=4, block=64)


def launch(address: int, n: int, stream: int) -> None:
    """Count at an address, later."""
    count_at(flyc.from_c_void_p(fx.Int32, address), n, stream)


def launch_and_wait(n: int) -> None:
    """Count in arrays, again and again."""
    while True:
        count(np.zeros(1, np.int32), n)
