"""Random layouts around 2^31 and 2^32, static and dynamic: every way to an element leads to where Python's ints say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.sparse import GIB, sparse

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.layout as fl
from flydsl.base.errors import LayoutError

POINTS = 6
"""Threads of a kernel, each at a coordinate of its own."""
MEMORY = 6 * GIB
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", 150)) if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 3
ASIDE = 8
"""Strides are multiples of 16, so that bytes beside the elements are free."""

CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda words, layout: layout,
    "coalesce": lambda words, layout: words.coalesce(layout),
    "composition": lambda words, layout: words.composition(layout, words.make_layout((2, 2), (2, 1))),
    "logical_divide": lambda words, layout: words.logical_divide(layout, words.make_layout(2, 1)),
    "zipped_divide": lambda words, layout: words.zipped_divide(layout, words.make_layout(2, 1)),
    "select": lambda words, layout: words.select(layout, [1, 0]),
}
WAYS = ("index", "view", "pointer", "slice", "number", "copy", "gather", "changed")


@dataclass(frozen=True)
class Case:
    """A layout, of which `marked` leaves are read at run time, coordinates in it, and what is made of it besides."""

    layout: fl.Layout
    marked: tuple[bool, ...]
    coords: tuple[tuple[int, ...], ...]
    change: str

    @property
    def start(self) -> int:
        """Where the pointer is, so that no index is below the memory."""
        return -sum(min(0, (s - 1) * d) for s, d in zip(flat(self.layout.shape), flat(self.layout.stride), strict=True))

    @property
    def numbers(self) -> list[int]:
        """The coordinates as column-major numbers."""
        return [fl.get_1d_coord(self.nested(c), fl.make_identity_layout(self.layout.shape)) for c in self.coords]

    @property
    def indices(self) -> list[int]:
        return [self.layout(*self.nested(coord)) for coord in self.coords]

    @property
    def changed(self) -> fl.Layout:
        return CHANGES[self.change](fl, self.layout)

    @property
    def changed_numbers(self) -> list[int]:
        return [number % fl.size(self.changed) for number in self.numbers]

    def nested(self, values: Any) -> Any:
        return filled(self.layout.shape, iter(values))

    def dynamic(self) -> list[int]:
        """Values of the marked leaves."""
        leaves = flat(self.layout.shape) + flat(self.layout.stride)
        return [leaf for leaf, marked in zip(leaves, self.marked, strict=True) if marked]

    def with_leaves(self, values: Iterator[Any]) -> tuple[Any, Any]:
        """Shape and stride with the next of `values` for the marked leaves."""
        leaves = flat(self.layout.shape) + flat(self.layout.stride)
        given = iter([next(values) if marked else leaf for leaf, marked in zip(leaves, self.marked, strict=True)])
        return filled(self.layout.shape, given), filled(self.layout.stride, given)

    @property
    def leaf_type(self) -> type[fx.Numeric]:
        """32-bit leaves promise that 2^30 are enough."""
        return fx.Int32 if fl.cosize(self.layout) < 1 << 30 else fx.Int64


def flat(value: Any) -> list[int]:
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, tuple) else [value]


def filled(shape: Any, values: Iterator[Any]) -> Any:
    return tuple([filled(part, values) for part in shape]) if isinstance(shape, tuple) else next(values)


def is_admissible(case: Case) -> bool:
    """Whether the elements lie in the memory and apart, and the change is defined on what is known."""
    try:
        indices = case.indices
        shape, stride = case.with_leaves(iter([fl.Dyn(case.leaf_type.width)] * len(case.marked)))
        CHANGES[case.change](fl, fl.Layout(shape, stride))
        case.changed(0)
    except LayoutError:
        return False
    return fl.cosize(case.layout) <= MEMORY - 256 and len(set(indices)) == POINTS


EXTENTS = st.sampled_from([2, 2, 2, 4, 4, 6])
FAR = [
    1 << 27,
    1 << 28,
    3 << 28,
    1 << 29,
    (1 << 30) - 16,
    1 << 30,
    (1 << 31) - 16,
    1 << 31,
    3 << 30,
    (1 << 32) - 16,
    1 << 32,
]
STRIDES = st.one_of(
    st.sampled_from(FAR), st.sampled_from([16, 48, 1024, 1 << 20]), st.integers(1, 1 << 28).map(lambda n: 16 * n)
)


SHAPES = [(0, 0), (0, 0, 0), ((0, 0), 0), (0, (0, 0)), ((0, 0), (0, 0)), ((0, (0, 0)), 0)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    shape = fl.map_leaves(lambda _: draw(EXTENTS), draw(st.sampled_from(SHAPES)))
    signs = st.sampled_from([1, 1, 1, 1, -1])
    stride = fl.map_leaves(lambda _: draw(STRIDES) * draw(signs), shape)
    layout = fl.Layout(shape, stride)
    count = 2 * len(flat(shape))
    marked = draw(st.one_of(st.just((False,) * count), st.tuples(*[st.booleans()] * count)))
    coord = st.tuples(*[st.one_of(st.just(extent - 1), st.integers(0, extent - 1)) for extent in flat(shape)])
    coords = draw(st.lists(coord, min_size=POINTS, max_size=POINTS, unique=True))
    change = draw(st.sampled_from(sorted(CHANGES)))
    if change in ("composition", "logical_divide", "zipped_divide"):  # they have conditions on extents
        marked = (*[False] * (count // 2), *marked[count // 2 :])
    return Case(layout, marked, tuple(coords), change)


def compiled(case: Case) -> Any:
    """A kernel that goes each way to the element of each thread."""

    @flyc.kernel
    def walk(x: fx.Tensor, y: fx.Tensor, leaves: fx.Tensor, coords: fx.Tensor):
        i = fx.thread_idx.x
        given = [case.leaf_type(leaves[place]) for place in range(len(case.dynamic()))]
        layout = fx.make_layout(*case.with_leaves(iter(given)))
        start = fx.get_iter(x) + case.start
        view = fx.make_view(start, layout)
        coord = case.nested([coords[i, 2 + n] for n in range(len(flat(case.layout.shape)))])
        index = fx.get_scalar(fx.crd2idx(coord, layout))
        y[0, i] = index
        y[1, i] = view[coord]
        y[2, i] = start[index]
        y[3, i] = fx.slice(view, (coord[0], *[None] * (len(coord) - 1)))[coord[1] if len(coord) == 2 else coord[1:]]
        y[4, i] = view[coords[i, 0]]
        register, offsets = fx.make_rmem_tensor(1, fx.Int8), fx.make_rmem_tensor(1, fx.Int64)
        atom = fx.make_copy_atom(fx.UniversalCopy8b(), fx.Int8)
        fx.copy(atom, fx.make_view(start + index, fx.make_layout(1, 1)), register)
        y[5, i] = register[0]
        offsets[0] = index
        fx.gather(atom, start, offsets, register)
        y[6, i] = register[0]
        y[7, i] = fx.get_scalar(fx.crd2idx(coords[i, 1], CHANGES[case.change](fx, layout)))
        fx.make_view(start + ASIDE, layout)[coord] = i + 51
        fx.make_view(start + (ASIDE + 1), layout)[coords[i, 0]] = i + 71

    @flyc.jit
    def run(x: fx.Tensor, y: fx.Tensor, leaves: fx.Tensor, coords: fx.Tensor):
        walk(x, y, leaves, coords).launch(grid=1, block=POINTS)

    return run


def check(case: Case) -> None:
    tags, places = np.arange(POINTS) + 1, np.array(case.indices) + case.start
    x, y = sparse(MEMORY), np.zeros((len(WAYS), POINTS), np.int64)
    x[places] = tags
    coords = np.array(
        [*zip(case.numbers, case.changed_numbers, *zip(*case.coords, strict=True), strict=True)], np.int32
    )
    compiled(case)(x, y, np.array(case.dynamic() or [0]), coords)
    expected = [case.indices, *[tags] * 6, [case.changed(number) for number in case.changed_numbers]]
    for way, found, wanted in zip(WAYS, y, expected, strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=f"{way} of {case}")
    np.testing.assert_array_equal(x[places + ASIDE], tags + 50, err_msg=str(case))
    np.testing.assert_array_equal(x[places + ASIDE + 1], tags + 70, err_msg=str(case))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(cases().filter(is_admissible))
def test_every_way_to_an_element_of_a_large_layout(case: Case) -> None:
    check(case)
