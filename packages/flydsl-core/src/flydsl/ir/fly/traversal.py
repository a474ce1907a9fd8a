"""The extents of a matrix product and an order in, the (m, n, k) of its atoms in order of execution out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.attributes import GemmTraversalOrder

__all__ = ["traversal"]


def traversal(
    extents: tuple[int, int, int], order: GemmTraversalOrder, layout: Any = None
) -> Iterator[tuple[int, int, int]]:
    """By an order, or by a static layout that maps steps to places of the column-major (M, N, K)."""
    if layout is not None:
        yield from _along(extents, layout)
        return
    name, _, serpentine = order.value.partition("_")
    inner, middle, outer = tuple(name)
    sizes = dict(zip("mnk", extents, strict=True))
    for step, (o, i) in enumerate(product(range(sizes[outer]), range(sizes[middle]))):
        line = range(sizes[inner])
        for j in reversed(line) if serpentine and step % 2 else line:
            found = {outer: o, middle: i, inner: j}
            yield found["m"], found["n"], found["k"]


def _along(extents: tuple[int, int, int], layout: Any) -> Iterator[tuple[int, int, int]]:
    m, n, k = extents
    if not isinstance(layout, fl.Layout) or not layout.is_static:
        raise IRError(f"fly.gemm: the traversal layout must be static, found {layout}")
    count = fl.size(layout)
    assert isinstance(count, int)
    indexes: list[Any] = [layout(index) for index in range(count)]
    if sorted(indexes) != list(range(m * n * k)):
        raise IRError(f"fly.gemm: the traversal layout {layout} must visit each of {extents} once")
    yield from ((index % m, index // m % n, index // (m * n)) for index in indexes)
