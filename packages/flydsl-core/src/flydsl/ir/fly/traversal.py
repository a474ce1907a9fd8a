"""The traversal order of a gemm: the (m, n, k) of its atom calls in order of execution."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from flydsl.ir.fly.attributes import GemmTraversalOrder


def traversal(extents: tuple[int, int, int], order: GemmTraversalOrder | None) -> Iterator[tuple[int, int, int]]:
    """Every (m, n, k): the first letter of the order changes fastest, backwards on every other pass if serpentine."""
    name, _, serpentine = (order or GemmTraversalOrder.NMK).value.partition("_")
    inner, middle, outer = tuple(name)
    sizes = dict(zip("mnk", extents, strict=True))
    for step, (o, i) in enumerate(product(range(sizes[outer]), range(sizes[middle]))):
        line = range(sizes[inner])
        for j in reversed(line) if serpentine and step % 2 else line:
            found = {outer: o, middle: i, inner: j}
            yield found["m"], found["n"], found["k"]
