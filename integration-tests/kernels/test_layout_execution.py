"""Layout computations in compiled kernels against the algebra: every index of random layouts, static and dynamic."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.layout as fl
from flydsl.base.errors import LayoutError

POINTS = 128
"""Threads of a kernel: the greatest size of a layout."""
EXAMPLES = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 25

Operation = Callable[[Any, Any, Any], Any]
OPERATIONS: dict[str, Operation] = {
    "itself": lambda words, layout, other: layout,
    "coalesce": lambda words, layout, other: words.coalesce(layout),
    "composition": lambda words, layout, other: words.composition(layout, other),
    "logical_divide": lambda words, layout, other: words.logical_divide(layout, other),
    "zipped_divide": lambda words, layout, other: words.zipped_divide(layout, other),
    "flat_divide": lambda words, layout, other: words.flat_divide(layout, other),
    "logical_product": lambda words, layout, other: words.logical_product(layout, other),
    "blocked_product": lambda words, layout, other: words.blocked_product(layout, other),
    "raked_product": lambda words, layout, other: words.raked_product(layout, other),
    "append": lambda words, layout, other: words.append(layout, other),
    "group": lambda words, layout, other: words.group(layout, 0, 2),
    "select": lambda words, layout, other: words.select(layout, [1, 0]),
    "take": lambda words, layout, other: words.take(layout, 1, 2),
    "complement": lambda words, layout, other: words.complement(layout, 96),
    "right_inverse": lambda words, layout, other: words.right_inverse(layout),
    "left_inverse": lambda words, layout, other: words.left_inverse(layout),
    "make_layout_like": lambda words, layout, other: words.make_layout_like(layout),
    "recast": lambda words, layout, other: words.recast_layout(layout, 16, 8),
}
STATIC_ONLY = frozenset({"complement", "right_inverse", "left_inverse", "make_layout_like", "recast"})
"""Their answer depends on what is known: modes in the order of their strides, modes of stride 1."""
DIVIDING = frozenset({"composition", "logical_divide", "zipped_divide", "flat_divide"})
PRODUCTS = frozenset({"logical_product", "blocked_product", "raked_product"})
"""These have conditions on extents, and products on strides, which cannot be checked on dynamic leaves."""


@dataclass(frozen=True)
class Case:
    """An operation on a layout, of which `marked` leaves (in order of shape and stride) are read at run time."""

    operation: str
    layout: fl.Layout
    other: fl.Layout
    marked: tuple[bool, ...]

    def apply(self, words: Any, layout: Any, other: Any) -> Any:
        """The result in the words of the algebra or of the language."""
        return OPERATIONS[self.operation](words, layout, other)

    def expected(self) -> list[int]:
        """The index at every point."""
        result = self.apply(fl, self.layout, self.other)
        return [result(i) for i in range(fl.size(result))]

    def dynamic(self) -> list[int]:
        """Values of the marked leaves."""
        leaves = flat(self.layout.shape) + flat(self.layout.stride)
        return [leaf for leaf, marked in zip(leaves, self.marked, strict=False) if marked]

    def with_leaves(self, values: Iterator[Any]) -> tuple[Any, Any]:
        """Shape and stride with the next of `values` in the marked places."""
        marks = iter(self.marked)
        return tuple(replaced(part, marks, values) for part in (self.layout.shape, self.layout.stride))  # type: ignore[return-value]


def flat(value: Any) -> list[int]:
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, tuple) else [value]


def replaced(value: Any, marks: Iterator[bool], values: Iterator[Any]) -> Any:
    if isinstance(value, tuple):
        return tuple([replaced(part, marks, values) for part in value])
    return next(values) if next(marks) else value


def shapes(depth: int = 2) -> st.SearchStrategy[Any]:
    leaf = st.sampled_from([1, 2, 2, 3, 4])
    if depth == 0:
        return leaf
    return st.lists(st.one_of(leaf, shapes(depth - 1)), min_size=1, max_size=3).map(tuple)


def with_strides(shape: Any) -> st.SearchStrategy[fl.Layout]:
    """Compact ones, mostly, and any others."""
    count = len(flat(shape))
    compact = st.sampled_from(
        [fl.make_layout(shape), fl.make_ordered_layout(shape, tuple(reversed(range(len(shape)))))]
    )
    other = st.lists(st.integers(0, 40), min_size=count, max_size=count)
    anything = other.map(lambda strides: fl.Layout(shape, replaced(shape, iter([True] * count), iter(strides))))
    return st.one_of(compact, anything)


layouts = shapes().filter(lambda shape: fl.size(fl.make_layout(shape)) <= 48).flatmap(with_strides)
tilers = st.sampled_from(
    [fl.Layout(2, 1), fl.Layout(4, 1), fl.Layout(2, 2), fl.Layout(3, 1), fl.Layout((2, 2), (1, 4))]
)
marks = st.lists(st.booleans(), min_size=24, max_size=24).map(tuple)
cases = st.builds(Case, st.sampled_from(sorted(OPERATIONS)), layouts, tilers, marks)


def is_admissible(case: Case) -> bool:
    """Whether the operation is defined on the values, and on what is known of them."""
    try:
        points = case.expected()
        case.apply(fl, fl.Layout(*case.with_leaves(iter(fl.Dyn() for _ in case.marked))), case.other)
    except LayoutError:
        return False
    return len(points) <= POINTS and all(isinstance(point, int) for point in points)


def settled(case: Case) -> Case:
    """The case with static leaves only where its operation wants that."""
    extents, strides = flat(case.layout.shape), flat(case.layout.stride)
    if case.operation in STATIC_ONLY:
        fixed = [True] * len(extents + strides)
    elif case.operation in DIVIDING | PRODUCTS:
        fixed = [True] * len(extents) + [case.operation in PRODUCTS and stride == 0 for stride in strides]
    else:
        fixed = [False] * len(extents + strides)
    return replace(case, marked=tuple(marked and not kept for marked, kept in zip(case.marked, fixed, strict=False)))


def compiled(batch: list[Case]) -> Any:
    """A kernel that writes row k = the indexes of case k."""

    @flyc.kernel
    def fill(out: fx.Tensor, leaves: fx.Tensor):
        point = fx.thread_idx.x
        place = 0
        for row, case in enumerate(batch):
            count = len(case.dynamic())
            shape, stride = case.with_leaves(iter([leaves[place + n] for n in range(count)]))
            place += count
            result = case.apply(fx, fx.make_layout(shape, stride), fx.make_layout(case.other.shape, case.other.stride))
            out[row, point] = fx.get_scalar(fx.crd2idx(point, result))

    @flyc.jit
    def run(out: fx.Tensor, leaves: fx.Tensor):
        fill(out, leaves).launch(grid=1, block=POINTS)

    return run


def check(batch: list[Case]) -> None:
    out = np.full((len(batch), POINTS), -1, np.int32)
    leaves = np.array([leaf for case in batch for leaf in case.dynamic()] or [0], np.int32)
    compiled(batch)(out, leaves)
    for row, case in enumerate(batch):
        expected = case.expected()
        np.testing.assert_array_equal(out[row, : len(expected)], expected, err_msg=str(case))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.lists(cases.map(settled).filter(is_admissible), min_size=12, max_size=12))
def test_every_index_of_a_compiled_layout_is_the_algebras(batch: list[Case]) -> None:
    check(batch)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_each_operation_is_executed(operation: str) -> None:
    layout, everything = fl.Layout((4, (2, 3)), (6, (3, 1))), (True,) * 24
    candidates = [Case(operation, layout, fl.Layout(2, 1), marked) for marked in (everything, (False,) * 24)]
    batch = list({settled(case) for case in candidates})
    assert any(map(is_admissible, batch))
    check([case for case in batch if is_admissible(case)])


@pytest.mark.parametrize("extents", [(8, 16), (7, 9), (1, 3), (12, 10)])
def test_tiles_of_tensors_of_any_extents(extents: tuple[int, int]) -> None:
    """Extents and strides are known at run time; the tile may reach over the border."""
    rows, columns = extents

    @flyc.kernel
    def fill(out: fx.Tensor, rows: fx.Int32, columns: fx.Int32):
        tiles = fx.flat_divide(fx.make_layout((rows, columns), (columns, 1)), fx.make_tile(4, 8))
        for row in range(4):
            inside = fx.slice(tiles, (None, None, row % 2, row // 2))
            start = fx.get_scalar(fx.crd2idx((0, 0, row % 2, row // 2), tiles))
            out[row, fx.thread_idx.x] = start + fx.get_scalar(fx.crd2idx(fx.thread_idx.x, inside))

    @flyc.jit
    def run(out: fx.Tensor, rows: fx.Int32, columns: fx.Int32):
        fill(out, rows, columns).launch(grid=1, block=32)

    out = np.full((4, 32), -1, np.int32)
    run(out, rows, columns)
    expected = [[(i % 4 + 4 * (tile % 2)) * columns + i // 4 + 8 * (tile // 2) for i in range(32)] for tile in range(4)]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("swizzle", [fl.Swizzle(2, 0, 3), fl.Swizzle(3, 2, 3), fl.Swizzle(1, 1, 2)])
def test_swizzled_layouts(swizzle: fl.Swizzle) -> None:
    layout = fl.ComposedLayout(swizzle, 3, fl.Layout((8, 16), (16, 1)))

    @flyc.kernel
    def fill(out: fx.Tensor, width: fx.Int32):
        inner = fx.SwizzleType.get(swizzle.mask, swizzle.base, swizzle.shift)
        for row, step in enumerate((16, width)):
            composed = fx.make_composed_layout(fx.static(inner), 3, fx.make_layout((8, 16), (step, 1)))
            out[row, fx.thread_idx.x] = fx.get_scalar(fx.crd2idx(fx.thread_idx.x, composed))

    @flyc.jit
    def run(out: fx.Tensor, width: fx.Int32):
        fill(out, width).launch(grid=1, block=POINTS)

    out = np.full((2, POINTS), -1, np.int32)
    run(out, 16)
    np.testing.assert_array_equal(out, [[layout(i) for i in range(POINTS)]] * 2)
