"""Int tuples: checking, structure (flatten, leaves, profiles) and leaf-wise arithmetic.

An int tuple is a leaf or a plain tuple of int tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import index
from typing import TypeAlias

from flydsl.base.errors import LayoutError, shown
from flydsl.layout import leaf
from flydsl.layout.leaf import MAX_DEPTH, STAR, Basis, Dyn, Leaf, Predicate, Star, is_in_range

IntTuple: TypeAlias = Leaf | tuple["IntTuple", ...]

_ONLY_INT = {int}


def checked(op: str, value: object, what: str = "int tuple", *, star: bool = False, depth: int = 0) -> IntTuple:
    """`value` as an int tuple of plain parts, or a LayoutError; `None` becomes `*`, allowed only with `star`.

    `depth` is the number of tuples around it.
    """
    if type(value) is int or isinstance(value, (Dyn, Basis)):
        return value
    if isinstance(value, tuple):
        if type(value) is tuple and {*map(type, value)} == _ONLY_INT:
            return value
        if not value:
            raise LayoutError(op, (value,), f"an empty tuple is no {what}")
        if depth >= MAX_DEPTH:
            raise LayoutError(op, (value,), f"the {what} is nested too deeply: {MAX_DEPTH} levels are allowed")
        return tuple([checked(op, part, what, star=star, depth=depth + 1) for part in value])
    if value is None or isinstance(value, Star):
        if star:
            return STAR
        raise LayoutError(op, (value,), f"{STAR!r} is not allowed in this {what}")
    if not isinstance(value, bool):
        with suppress(TypeError):
            return index(value)  # type: ignore[arg-type]
    raise LayoutError(
        op, (value,), f"a {what} holds integers and tuples, found {type(value).__name__} {shown(value, repr)}"
    )


def check_range(op: str, value: IntTuple, what: str) -> IntTuple:
    """`value`, whose integers must fit into 64 bits."""
    for part in flat(value):
        if type(part) is int and not is_in_range(part):
            raise LayoutError(op, (value,), f"a {what} holds integers of at most 64 bits, found {shown(part)}")
    return value


def checked_shape(op: str, value: object) -> IntTuple:
    """`value` as a shape: integers >= 0 and dynamic leaves only."""
    shape = checked(op, value, "shape")
    for extent in flat(shape):
        if extent < 0 if type(extent) is int else isinstance(extent, Basis):
            raise LayoutError(op, (value,), f"a shape holds extents >= 0, found {extent!r}")
    return check_range(op, shape, "shape")


def text(value: IntTuple) -> str:
    """The dialect's spelling: no blanks, `(8)` for a tuple of one."""
    if isinstance(value, tuple):
        return f"({','.join(map(text, value))})"
    return hex(value) if type(value) is int and not is_in_range(value) else str(value)


def rank(value: IntTuple) -> int:
    """The number of modes; 1 for a leaf."""
    return len(value) if isinstance(value, tuple) else 1


def depth(value: IntTuple) -> int:
    """The levels of nesting; 0 for a leaf."""
    return 1 + max(map(depth, value)) if isinstance(value, tuple) else 0


def flatten(value: IntTuple) -> IntTuple:
    """The leaves in order as a tuple; a leaf stays a leaf."""
    value = checked("flatten", value, star=True)
    return tuple(flat(value)) if isinstance(value, tuple) else value


def flat(value: IntTuple) -> list[Leaf]:
    """The leaves in order."""
    if not isinstance(value, tuple):
        return [value]
    out: list[Leaf] = []
    for part in value:
        if isinstance(part, tuple):
            out += flat(part)
        else:
            out.append(part)
    return out


def leaves(value: IntTuple) -> list[Dyn]:
    """The dynamic leaves in order, those inside basis strides included."""
    parts = [part.value if isinstance(part, Basis) else part for part in flat(value)]
    return [part for part in parts if isinstance(part, Dyn)]


def is_static(value: IntTuple) -> bool:
    """No leaf is dynamic."""
    return not leaves(value)


def map_leaves(function: Callable[[Leaf], IntTuple], value: IntTuple) -> IntTuple:
    """The same structure with `function(leaf)` for every leaf."""
    if isinstance(value, tuple):
        return tuple([map_leaves(function, part) for part in value])
    return function(value)


def unflatten(parts: Iterator[Leaf], profile: IntTuple) -> IntTuple:
    """The leaves that `parts` yields, in the structure of `profile`."""
    return map_leaves(lambda _: next(parts), profile)


def congruent(a: IntTuple, b: IntTuple) -> bool:
    """Both have the same structure."""
    if not isinstance(a, tuple):
        return not isinstance(b, tuple)
    if not isinstance(b, tuple) or len(a) != len(b):
        return False
    return all(map(congruent, a, b))


def product(value: IntTuple) -> Leaf:
    """The product of all leaves."""
    if not isinstance(value, tuple):
        return value
    result: Leaf = 1
    for part in value:
        result = leaf.mul(result, product(part) if isinstance(part, tuple) else part)
    return result


def compact(shape: IntTuple, start: Leaf = 1) -> IntTuple:
    """Compact column-major strides from `start` up."""
    if not isinstance(shape, tuple):
        return start
    strides = []
    for part in shape:
        strides.append(compact(part, start))
        start = leaf.mul(start, product(part))
    return tuple(strides)


def plus(a: IntTuple, b: IntTuple) -> IntTuple:
    """a + b as indexes or coordinates: a basis leaf is a coordinate, and 0 is the zero of every structure."""
    if type(a) is int and type(b) is int:
        return a + b
    if type(a) is int and a == 0:
        return coordinate(b)
    if type(b) is int and b == 0:
        return coordinate(a)
    a, b = coordinate(a), coordinate(b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        long, short = (a, b) if len(a) >= len(b) else (b, a)
        return (*map(plus, a, b), *long[len(short) :])
    if isinstance(a, tuple) or isinstance(b, tuple):
        raise LayoutError("add", (a, b), "a linear index cannot be added to a coordinate")
    return leaf.add(a, b)


def coordinate(value: IntTuple) -> IntTuple:
    """A basis leaf as a coordinate: its value at its path, zeros before; other values unchanged."""
    if not isinstance(value, Basis):
        return value
    coord: IntTuple = value.value
    for mode in reversed(value.path):
        coord = (*(0,) * mode, coord)
    return coord


def _pairwise(op: str, function: Callable[[Leaf, Leaf], IntTuple], a: object, b: object) -> IntTuple:
    return _zip_leaves(op, function, checked(op, a), checked(op, b))


def _zip_leaves(op: str, function: Callable[[Leaf, Leaf], IntTuple], a: IntTuple, b: IntTuple) -> IntTuple:
    if isinstance(a, tuple) and isinstance(b, tuple):
        long, short = (a, b) if len(a) >= len(b) else (b, a)
        done = [_zip_leaves(op, function, x, y) for x, y in zip(a, b, strict=False)]
        return (*done, *long[len(short) :])
    if isinstance(a, tuple) or isinstance(b, tuple):
        raise LayoutError(op, (a, b), "the operands must have the same structure")
    return function(a, b)


def int_tuple_add(lhs: object, rhs: object) -> IntTuple:
    """Leaf-wise sum; the longer tail passes through, and 0 adds to any structure."""
    return plus(checked("int_tuple_add", lhs), checked("int_tuple_add", rhs))


def int_tuple_sub(lhs: object, rhs: object) -> IntTuple:
    """Leaf-wise difference; the longer tail passes through."""
    return _pairwise("int_tuple_sub", leaf.sub, lhs, rhs)


def int_tuple_mul(lhs: object, rhs: object) -> IntTuple:
    """Leaf-wise product; the longer tail passes through."""
    return _pairwise("int_tuple_mul", leaf.mul, lhs, rhs)


def int_tuple_div(lhs: object, rhs: object) -> IntTuple:
    """Leaf-wise quotient, truncated; the longer tail passes through."""
    return _pairwise("int_tuple_div", leaf.div, lhs, rhs)


def int_tuple_mod(lhs: object, rhs: object) -> IntTuple:
    """Leaf-wise remainder; the longer tail passes through."""
    return _pairwise("int_tuple_mod", leaf.mod, lhs, rhs)


def ceil_div(lhs: object, rhs: object) -> IntTuple:
    """Leaf-wise quotient, rounded up; the longer tail passes through."""
    return _pairwise("ceil_div", leaf.ceil_div, lhs, rhs)


def int_tuple_product(value: object) -> Leaf:
    """The product of all leaves."""
    return product(checked("int_tuple_product", value))


def int_tuple_product_each(value: object) -> IntTuple:
    """The product of each mode."""
    modes = checked("int_tuple_product_each", value)
    return tuple(map(product, modes)) if isinstance(modes, tuple) else modes


def int_tuple_product_like(lhs: object, guide: object) -> IntTuple:
    """`lhs` with the structure of `guide`: where the guide has a leaf, the product of that part."""
    op = "int_tuple_product_like"
    return _product_like(checked(op, lhs), checked(op, guide, star=True))


def _product_like(value: IntTuple, guide: IntTuple) -> IntTuple:
    if not isinstance(guide, tuple):
        return product(value)
    if not isinstance(value, tuple) or len(value) != len(guide):
        raise LayoutError("int_tuple_product_like", (value, guide), "the guide must be a coarser structure")
    return tuple(map(_product_like, value, guide))


def shape_div(lhs: object, rhs: object) -> IntTuple:
    """What remains of the shape `lhs` after dividing out `rhs`, mode by mode, from the left where `rhs` is a leaf."""
    return _shape_div(checked_shape("shape_div", lhs), checked_shape("shape_div", rhs))


def _shape_div(a: IntTuple, b: IntTuple) -> IntTuple:
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) < len(b):
            raise LayoutError("shape_div", (a, b), "the divisor has more modes")
        return (*map(_shape_div, a, b), *a[len(b) :])
    if isinstance(a, tuple):
        rest = []
        for part in a:
            rest.append(_shape_div(part, b))
            b = _shape_div(b, product(part))
        return tuple(rest)
    b = product(b)
    if type(a) is int and type(b) is int and (b == 0 or (a % b and b % (a or 1))):
        raise LayoutError("shape_div", (a, b), "one extent must divide the other")
    return leaf.ceil_div(a, b)


def elem_less(lhs: object, rhs: object) -> Predicate:
    """Every leaf of `lhs` is less than its leaf of `rhs`; structures must agree up to the shorter."""
    return _all_leaves("elem_less", leaf.less, checked("elem_less", lhs), checked("elem_less", rhs))


def equal(lhs: object, rhs: object) -> Predicate:
    """Same structure, and all leaves equal."""
    a, b = checked("equal", lhs, star=True), checked("equal", rhs, star=True)
    return _all_leaves("equal", leaf.equal, a, b) if congruent(a, b) else False


def _all_leaves(op: str, function: Callable[[Leaf, Leaf], Predicate], a: IntTuple, b: IntTuple) -> Predicate:
    if isinstance(a, tuple) and isinstance(b, tuple):
        result: Predicate = True
        for x, y in zip(a, b, strict=False):
            result = leaf.logical_and(result, _all_leaves(op, function, x, y))
        return result
    if isinstance(a, tuple) or isinstance(b, tuple):
        raise LayoutError(op, (a, b), "the operands must have the same structure")
    return function(a, b)
