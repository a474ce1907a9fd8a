"""Composition of layouts: R with R(i) = A(B(i)); with a tile, mode by mode."""

from __future__ import annotations

from dataclasses import dataclass, field

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.coalesce import merged_past_end
from flydsl.layout.int_tuple import IntTuple
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, Tile, TileMode, joined, on_outer, unchecked
from flydsl.layout.leaf import STAR, Basis, Leaf
from flydsl.layout.operation import operation
from flydsl.layout.swizzle import CoordSwizzle, Swizzle


@dataclass(slots=True)
class _Domain:
    """The left operand, or the part of it that one basis path of the right operand counts, as merged modes.

    `reach[j]` is the largest digit of mode j that the right operand produces so far: were it to pass the extent, the
    digits of two modes of the right operand would carry into the next mode, and no layout is the composition.
    """

    shapes: list[Leaf]
    strides: list[Leaf]
    reach: list[int] = field(default_factory=list)


class _Composer:
    """One composition: splits each leaf of B over the merged modes of A."""

    __slots__ = ("a", "b", "domains")

    def __init__(self, a: Layout, b: Layout) -> None:
        self.a, self.b = a, b
        self.domains: dict[tuple[int, ...], _Domain] = {}

    def run(self, shape: IntTuple, stride: IntTuple) -> tuple[IntTuple, IntTuple]:
        if isinstance(shape, tuple) and isinstance(stride, tuple):
            done = [self.run(s, d) for s, d in zip(shape, stride, strict=True)]
            if len(done) == 1:
                return done[0]
            return tuple([s for s, _ in done]), tuple([d for _, d in done])
        if shape == 1:
            return 1, 0
        if stride == 0:
            return shape, 0
        if isinstance(stride, Basis):
            return self.split(self.domain(stride.path), shape, stride.value)  # type: ignore[arg-type]
        return self.split(self.domain(()), shape, stride)  # type: ignore[arg-type]

    def domain(self, path: tuple[int, ...]) -> _Domain:
        """The part of A that a leaf of B with this basis path counts; the whole of A for the empty path."""
        domain = self.domains.get(path)
        if domain is None:
            for other in self.domains:
                if path[: len(other)] == other[: len(path)]:
                    raise self.error("the strides of the right operand mix indexes with coordinates")
            shapes, strides = merged_past_end(*self.mode(path))
            if 0 in shapes[:-1]:
                raise self.error("the left operand has an empty mode")
            domain = self.domains[path] = _Domain(shapes, strides, [0] * len(shapes))
        return domain

    def mode(self, path: tuple[int, ...]) -> tuple[IntTuple, IntTuple]:
        shape, stride = self.a.shape, self.a.stride
        for mode in path:
            if not isinstance(shape, tuple) or not isinstance(stride, tuple):
                shape, stride = (shape,), (stride,)
            if mode >= len(shape):
                raise self.error(f"the left operand has no mode for the basis path {path}")
            shape, stride = shape[mode], stride[mode]
        return shape, stride

    def split(self, domain: _Domain, rest_shape: Leaf, rest_stride: Leaf) -> tuple[IntTuple, IntTuple]:
        last = len(domain.shapes) - 1
        if last == 0:
            return rest_shape, leaf.mul(rest_stride, domain.strides[0])
        shapes: list[Leaf] = []
        strides: list[Leaf] = []
        for j in range(last):
            s = domain.shapes[j]
            if rest_shape == 1:
                break
            self.check_stride(s, rest_stride)
            count = leaf.ceil_div(s, rest_stride)
            if count != 1:
                taken = leaf.minimum(count, rest_shape)
                self.check_shape(domain, j, s, rest_stride, rest_shape, taken)
                shapes.append(taken)
                strides.append(leaf.mul(rest_stride, domain.strides[j]))
                rest_shape = leaf.div(rest_shape, taken)
            rest_stride = leaf.ceil_div(rest_stride, s)
        if rest_shape != 1 or not shapes:
            shapes.append(rest_shape)
            strides.append(leaf.mul(rest_stride, domain.strides[last]))
        return (shapes[0], strides[0]) if len(shapes) == 1 else (tuple(shapes), tuple(strides))

    def check_stride(self, extent: Leaf, stride: Leaf) -> None:
        if type(extent) is int and type(stride) is int and (stride < 1 or (stride > extent and stride % extent)):
            raise self.error(f"the stride {stride} is neither a multiple of the extent {extent} nor less than it")

    def check_shape(self, domain: _Domain, j: int, extent: Leaf, stride: Leaf, shape: Leaf, taken: Leaf) -> None:
        if type(taken) is not int:
            return
        if type(shape) is int and (taken == 0 or shape % taken):
            raise self.error(f"the extent {shape} is not divisible by the {taken} that fit into a mode of {extent}")
        if type(extent) is int and type(stride) is int:
            if taken != shape and extent % stride:
                raise self.error(f"the stride {stride} does not divide the extent {extent} it runs past")
            domain.reach[j] += (taken - 1) * stride
            if domain.reach[j] >= extent:
                raise self.error(f"two modes of the right operand carry past the extent {extent} of the left")

    def error(self, condition: str) -> LayoutError:
        return LayoutError("composition", (self.a, self.b), condition)


def composed(a: Layout, b: Layout) -> Layout:
    """R with R(i) = A(B(i)), the structure of B at the top, canonical."""
    return unchecked(*_Composer(a, b).run(b.shape, b.stride))


def as_tiler(op: str, value: object) -> Layout | Tile:
    """The right operand of a composition or division: a layout, a tile (also as a tuple), or n meaning n:1."""
    if isinstance(value, (Layout, Tile)):
        return value
    tile = Tile((value,)) if not isinstance(value, tuple) else Tile(value)  # type: ignore[arg-type]
    if isinstance(value, tuple):
        return tile
    if tile.modes[0] is STAR:
        raise LayoutError(op, (value,), "* is a tile entry, not a tiler")
    return tile_mode_layout(tile.modes[0])


def tile_mode_layout(mode: TileMode) -> Layout | Tile:
    """An extent n as n:1; a layout or tile as it is."""
    return mode if isinstance(mode, (Layout, Tile)) else unchecked(mode, 1)


@operation
def composition(outer: AnyLayout | Swizzle | CoordSwizzle, inner: AnyLayout | Tile | int) -> AnyLayout:
    """The layout i -> outer(inner(i)); with a tile, each mode with its entry (`*` or none leaves the mode alone)."""
    if isinstance(inner, ComposedLayout) or isinstance(outer, (Swizzle, CoordSwizzle)):
        if not isinstance(inner, (Layout, ComposedLayout)):
            raise LayoutError("composition", (outer, inner), "a swizzle composes with a layout")
        return ComposedLayout(outer, 0, inner)
    tiler = as_tiler("composition", inner)
    return on_outer("composition", outer, lambda plain: composed_with(plain, tiler))


def composed_with(layout: Layout, tiler: Layout | Tile) -> Layout:
    """`composition` of plain operands."""
    return composed(layout, tiler) if isinstance(tiler, Layout) else _by_mode(layout, tiler)


def _by_mode(layout: Layout, tile: Tile) -> Layout:
    modes = list(layout)
    if tile.rank > len(modes):
        raise LayoutError("composition", (layout, tile), "the tile has more modes than the layout")
    for number, entry in enumerate(tile.modes):
        if entry is not STAR:
            tiler = tile_mode_layout(entry)
            modes[number] = composed_with(modes[number], tiler)
    return joined(modes) if isinstance(layout.shape, tuple) else modes[0]
