"""Hypothesis strategies for random layouts, and `Concrete`, a dynamic leaf that knows its value."""

from __future__ import annotations

from itertools import product as cartesian
from math import prod

from hypothesis import strategies as st

from flydsl.layout import Basis, Dyn, IntTuple, Layout, Leaf, Swizzle, flatten, leaf, map_leaves
from flydsl.layout.int_tuple import flat, unflatten

MAX_SIZE = 512


class Concrete(Dyn):
    """A dynamic leaf with a value: whatever the algebra asks for is computed, and the claimed divisor is checked."""

    __slots__ = ("value",)
    value: int

    def __new__(cls, value: int, width: int = 32, div: int = 1) -> Concrete:
        self = super().__new__(cls, width, div)
        object.__setattr__(self, "value", value)
        assert value % div == 0, f"{value} is said to be divisible by {div}"
        return self

    def make(self, op: str, a: object, b: object, width: int, div: int) -> Dyn:
        return Concrete(evaluate(op, a, b), width, div)


def number(leaf: object) -> int:
    """The value of a leaf."""
    if isinstance(leaf, Concrete):
        return leaf.value
    assert isinstance(leaf, int), leaf
    return leaf


def evaluate(op: str, a: object, b: object) -> int:
    """What the operation means, on integers >= 0."""
    if isinstance(b, Swizzle):
        x = number(a)
        return x ^ ((x & (((1 << b.mask) - 1) << (b.base + b.shift))) >> b.shift)
    x, y = number(a), number(b)
    return {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "mul": lambda: x * y,
        "div": lambda: x // y,
        "mod": lambda: x % y,
        "ceil_div": lambda: -(-x // y),
        "min": lambda: min(x, y),
        "max": lambda: max(x, y),
        "xor": lambda: x ^ y,
        "less": lambda: int(x < y),
        "equal": lambda: int(x == y),
        "and": lambda: int(bool(x and y)),
        "extend": lambda: x,
    }[op]()


def static(value: IntTuple) -> IntTuple:
    """`value` with every `Concrete` leaf replaced by its number."""
    return map_leaves(_static_leaf, value)


def _static_leaf(leaf: object) -> IntTuple:
    if isinstance(leaf, Basis):
        return Basis(number(leaf.value), leaf.path)
    return leaf.value if isinstance(leaf, Concrete) else leaf


def static_layout(layout: Layout) -> Layout:
    return Layout(static(layout.shape), static(layout.stride))


def erased(value: IntTuple) -> IntTuple:
    """`value` with every `Concrete` leaf replaced by the plain dynamic leaf of its width and divisor."""
    return map_leaves(lambda leaf: Dyn(leaf.width, leaf.div) if isinstance(leaf, Concrete) else leaf, value)


def erased_layout(layout: Layout) -> Layout:
    return Layout(erased(layout.shape), erased(layout.stride))


def extents(value: IntTuple) -> tuple[int, ...]:
    flat = flatten(value)
    return tuple(map(number, flat)) if isinstance(flat, tuple) else (number(flat),)


def split_column_major(coord: Leaf, shape: IntTuple) -> IntTuple:
    """The coordinate of `shape` whose column-major number is `coord`; the last leaf takes what remains."""
    parts: list[Leaf] = []
    for s in flat(shape)[:-1]:
        parts.append(leaf.mod(coord, s))
        coord = leaf.div(coord, s)
    return unflatten(iter([*parts, coord]), shape)


def size(layout: Layout) -> int:
    return prod(extents(layout.shape))


def image(layout: Layout) -> list[int]:
    """All indexes, in column-major order of the coordinates."""
    return [number(layout(i)) for i in range(size(layout))]


def oracle(layout: Layout) -> list[int]:
    """`image` computed without the algebra: dot products over the flattened modes."""
    shape, stride = extents(layout.shape), extents(layout.stride)
    ranges = [range(s) for s in reversed(shape)]
    return [sum(c * d for c, d in zip(reversed(coord), stride, strict=True)) for coord in cartesian(*ranges)]


@st.composite
def nested(draw: st.DrawFn, leaves: list[int], depth: int = 3) -> IntTuple:
    """A random nesting of these leaves."""
    if len(leaves) == 1 and (depth == 0 or draw(st.booleans())):
        return leaves[0]
    if depth == 0:
        return tuple(leaves)
    parts: list[IntTuple] = []
    start = 0
    while start < len(leaves):
        end = draw(st.integers(start + 1, len(leaves)))
        chunk = leaves[start:end]
        parts.append(chunk[0] if len(chunk) == 1 else draw(nested(chunk, depth - 1)))
        start = end
    return tuple(parts)


@st.composite
def leaf_lists(draw: st.DrawFn, powers_of_two: bool = False, limit: int = MAX_SIZE) -> list[int]:
    """Extents whose product is at most `limit`."""
    choices = [1, 2, 4, 8] if powers_of_two else [1, 2, 3, 4, 5, 6, 8]
    found: list[int] = []
    for extent in draw(st.lists(st.sampled_from(choices), min_size=1, max_size=5)):
        if prod(found) * extent <= limit:
            found.append(extent)
    return found


@st.composite
def shapes(draw: st.DrawFn, powers_of_two: bool = False) -> IntTuple:
    return draw(nested(draw(leaf_lists(powers_of_two))))


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Any static layout with strides >= 0."""
    leaves = draw(leaf_lists())
    shape = draw(nested(leaves))
    if draw(st.booleans()):
        return Layout(shape)
    strides = draw(st.lists(st.integers(0, 40), min_size=len(leaves), max_size=len(leaves)))
    return Layout(shape, unflatten(iter(strides), shape))


@st.composite
def injective_layouts(
    draw: st.DrawFn, *, gaps: bool = True, divisible: bool = True, powers_of_two: bool = False, limit: int = MAX_SIZE
) -> Layout:
    """Layouts whose modes do not overlap: strides grow in a random order, by whole multiples when `divisible`."""
    leaves = draw(leaf_lists(powers_of_two, limit))
    shape = draw(nested(leaves))
    strides = [0] * len(leaves)
    reached = draw(st.sampled_from([1, 1, 2, 4])) if gaps else 1
    for mode in draw(st.permutations(range(len(leaves)))):
        strides[mode] = reached
        reached *= leaves[mode]
        if gaps and divisible:
            reached *= draw(st.sampled_from([1, 1, 2]))
        elif gaps:
            reached += draw(st.integers(0, 3))
    return Layout(shape, unflatten(iter(strides), shape))


@st.composite
def awkward_layouts(draw: st.DrawFn, limit: int = 64) -> Layout:
    """Strides that almost fit: equal ones, zeros, gaps that no extent divides, modes that overlap by a little."""
    leaves = draw(leaf_lists(limit=limit))
    shape = draw(nested(leaves))
    kind = draw(st.sampled_from(["any", "powers", "grown"]))
    strides = draw(st.lists(st.integers(0, 16), min_size=len(leaves), max_size=len(leaves)))
    if kind == "powers":
        strides = [1 << stride % 7 for stride in strides]
    elif kind == "grown":
        reached = draw(st.sampled_from([1, 1, 2, 3]))
        for mode in draw(st.permutations(range(len(leaves)))):
            strides[mode], reached = reached, max(1, reached * leaves[mode] + draw(st.integers(-1, 3)))
    return Layout(shape, unflatten(iter(strides), shape))


@st.composite
def with_dynamic_leaves(draw: st.DrawFn, layout: Layout, *, shape: bool = True, stride: bool = True) -> Layout:
    """The same layout with some leaves `Concrete`, of any width and any true divisor."""

    def leaf(value: int) -> IntTuple:
        if type(value) is not int or value < 1 or draw(st.booleans()):
            return value
        divisors = [d for d in (1, 2, 4, 8) if value % d == 0]
        return Concrete(value, draw(st.sampled_from([32, 64])), draw(st.sampled_from(divisors)))

    return Layout(
        map_leaves(leaf, layout.shape) if shape else layout.shape,
        map_leaves(leaf, layout.stride) if stride else layout.stride,
    )
