"""Copies and sums of long vectors at the speed of the memory: every thread moves 16 bytes of each, and is done.

What the threads of a wave access is one piece of memory, an access is as wide as there are, and the many blocks of a
multiprocessor have enough of them in flight. More for each thread gains nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from workbench import choose_backend, marked, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 256
BITS = 128  # that a thread moves of each vector


def own_vectors(tensors: list[fx.Tensor]) -> tuple[Any, list[Any]]:
    """Whether this thread has a vector of these tensors, and which."""
    width = BITS // tensors[0].dtype.width
    which = fx.block_idx.x * THREADS + fx.thread_idx.x
    exists = which * width < fx.get_scalar(fx.size(tensors[0]))
    return exists, [fx.zipped_divide(tensor, fx.make_tile(width))[None, which] for tensor in tensors]


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    exists, (own_x, own_y) = own_vectors([x, y])
    atom = fx.make_copy_atom(fx.UniversalCopy(BITS), x.dtype)
    registers = fx.make_fragment_like(own_x)
    if exists:
        fx.copy(atom, own_x, registers)
        fx.copy(atom, registers, own_y)


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    exists, (own_a, own_b, own_c) = own_vectors([a, b, c])
    atom = fx.make_copy_atom(fx.UniversalCopy(BITS), c.dtype)
    left, right = fx.make_fragment_like(own_a), fx.make_fragment_like(own_b)
    if exists:
        fx.copy(atom, own_a, left)
        fx.copy(atom, own_b, right)
        left.store(left.load() + right.load())
        fx.copy(atom, left, own_c)


def blocks(tensor: fx.Tensor) -> Any:
    return fx.ceil_div(tensor.shape[0], THREADS * (BITS // tensor.dtype.width))


@flyc.jit
def copy(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    copy_kernel(x, y).launch(grid=blocks(x), block=THREADS, stream=stream)


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    add_kernel(a, b, c).launch(grid=blocks(c), block=THREADS, stream=stream)


def check(rng: np.random.Generator, count: int, dtype: str = "float32") -> None:
    """A copy and a sum of random vectors of `count` times 16 bytes, equal to the bit."""
    size = count * (BITS // 8) // np.dtype(dtype).itemsize
    a, b = (rng.standard_normal(size).astype(dtype) for _ in range(2))
    width = size // count
    for call, arguments, expected in ((copy, (a,), a), (add, (a, b), a + b)):
        framed = np.full(size + 2 * width, -1, dtype)  # nothing outside of the result may be written
        call(*[marked(array, a.itemsize) for array in (*arguments, framed[width:-width])])
        np.testing.assert_array_equal(framed, np.pad(expected, width, constant_values=-1))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for dtype in ("float32", "float16", "int32"):
        count = odd(rng, 10000)
        check(rng, count, dtype)
        print(f"copy and sum of {16 * count} bytes of {dtype}: equal to NumPy's")


if __name__ == "__main__":
    main()
