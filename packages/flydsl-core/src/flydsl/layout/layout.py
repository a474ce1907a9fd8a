"""`Layout` and `ComposedLayout`, functions of coordinates, and `Tile`: checked at construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from flydsl.base.errors import LayoutError
from flydsl.layout import int_tuple
from flydsl.layout.coord import coordinate_to_index
from flydsl.layout.int_tuple import IntTuple, check_range, checked, checked_shape, compact, congruent, flat, text
from flydsl.layout.leaf import MAX_DEPTH, STAR, Basis, Dyn, Leaf, Star
from flydsl.layout.swizzle import CoordSwizzle, Swizzle

_Walk: TypeAlias = tuple[tuple[tuple[int, int], ...], int] | tuple[()]


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Layout:
    """`shape:stride`: a function of coordinates to indexes, or to coordinates when the strides are basis leaves."""

    shape: IntTuple
    stride: IntTuple
    _hash: int
    _plain: bool | None
    _walk: _Walk | None

    def __init__(self, shape: object, stride: object = None) -> None:
        """`shape` with `stride`, which is compact column-major when left out; LayoutError unless both are congruent."""
        extents = checked_shape("make_layout", shape)
        strides = (
            compact(extents)
            if stride is None
            else check_range("make_layout", checked("make_layout", stride, "stride"), "stride")
        )
        if not congruent(extents, strides):
            raise LayoutError("make_layout", (shape, stride), "shape and stride must have the same structure")
        _fill(self, extents, strides)

    def __call__(self, *coord: object) -> IntTuple:
        """The index at a coordinate: `layout(5)`, `layout(1, (2, 3))` or `layout((1, (2, 3)))`."""
        if len(coord) != 1:
            return coordinate_to_index(as_coord("crd2idx", coord), self.shape, self.stride)
        number = coord[0]
        walk = self._walk if self._walk is not None else self._set_walk()
        if type(number) is not int or number < 0 or not walk:
            return coordinate_to_index(as_coord("crd2idx", number), self.shape, self.stride)
        total = 0
        for extent, stride in walk[0]:
            total += number % extent * stride
            number //= extent
        return total + number * walk[1]

    def _set_walk(self) -> _Walk:
        """What a call with a number needs: (extent, stride) of all modes but the last, and its stride."""
        shapes, strides = flat(self.shape), flat(self.stride)
        walk: Any = ()
        if {*map(type, shapes), *map(type, strides)} == {int} and 0 not in shapes:
            walk = tuple(zip(shapes[:-1], strides[:-1], strict=True)), strides[-1]
        object.__setattr__(self, "_walk", walk)
        return walk  # type: ignore[no-any-return]

    def __getitem__(self, mode: int) -> Layout:
        if type(mode) is not int or not -self.rank <= mode < self.rank:
            raise LayoutError("get", (self, mode), f"the layout has {self.rank} modes")
        if not isinstance(self.shape, tuple) or not isinstance(self.stride, tuple):
            return self
        return unchecked(self.shape[mode], self.stride[mode])

    def __iter__(self) -> Iterator[Layout]:
        return (self[mode] for mode in range(self.rank))

    def __len__(self) -> int:
        return self.rank

    @property
    def rank(self) -> int:
        return int_tuple.rank(self.shape)

    @property
    def depth(self) -> int:
        return int_tuple.depth(self.shape)

    @property
    def is_static(self) -> bool:
        return int_tuple.is_static(self.shape) and int_tuple.is_static(self.stride)

    @property
    def is_plain(self) -> bool:
        """No leaf carries an emitted value: equal layouts have equal results, so results may be remembered."""
        if self._plain is None:
            plain = all(type(part) is not Basis or is_plain_leaf(part.value) for part in flat(self.stride))
            plain = plain and all(map(is_plain_leaf, flat(self.shape))) and all(map(is_plain_leaf, flat(self.stride)))
            object.__setattr__(self, "_plain", plain)
        return bool(self._plain)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self.shape == other.shape and self.stride == other.stride

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return f"{text(self.shape)}:{text(self.stride)}"

    def __repr__(self) -> str:
        return f"Layout({self})"

    def _repr_svg_(self) -> str | None:
        """A picture for notebooks; None when there is none."""
        return _picture_or_none(self)

    def __reduce__(self) -> tuple[type[Layout], tuple[IntTuple, IntTuple]]:
        return Layout, (self.shape, self.stride)


_new = object.__new__
_set_shape, _set_stride, _set_hash, _set_plain, _set_walk = (
    vars(Layout)[name].__set__ for name in ("shape", "stride", "_hash", "_plain", "_walk")
)


def _fill(layout: Layout, shape: IntTuple, stride: IntTuple) -> None:
    _set_shape(layout, shape)
    _set_stride(layout, stride)
    _set_hash(layout, hash((shape, stride)))
    _set_plain(layout, None)
    _set_walk(layout, None)


def unchecked(shape: IntTuple, stride: IntTuple) -> Layout:
    """A layout of parts computed by the algebra: congruent by construction."""
    layout = _new(Layout)
    _fill(layout, shape, stride)
    return layout


def joined(modes: list[Layout]) -> Layout:
    """A layout of these modes."""
    return unchecked(tuple([mode.shape for mode in modes]), tuple([mode.stride for mode in modes]))


def _picture_or_none(layout: Layout | ComposedLayout) -> str | None:
    from flydsl.layout.render import picture, svg  # drawing is for people: not loaded with the algebra

    try:
        return svg(picture(layout))
    except LayoutError:
        return None


def is_plain_leaf(value: Leaf) -> bool:
    """The leaf carries no emitted value."""
    return not isinstance(value, Dyn) or type(value) is Dyn


@dataclass(frozen=True, slots=True)
class ComposedLayout:
    """`inner o offset o outer`: the function c -> inner(offset + outer(c))."""

    inner: Inner
    offset: IntTuple
    outer: AnyLayout

    def __post_init__(self) -> None:
        if not isinstance(self.inner, (Layout, ComposedLayout, Swizzle, CoordSwizzle)):
            raise LayoutError("make_composed_layout", (self.inner,), "inner must be a layout or a swizzle")
        if not isinstance(self.outer, (Layout, ComposedLayout)):
            raise LayoutError("make_composed_layout", (self.outer,), "outer must be a layout")
        offset = checked("make_composed_layout", self.offset, "offset")
        object.__setattr__(self, "offset", check_range("make_composed_layout", offset, "offset"))
        if _levels(self) > MAX_DEPTH:
            raise LayoutError("make_composed_layout", (), f"more than {MAX_DEPTH} layouts are composed")

    def __call__(self, *coord: object) -> IntTuple:
        """The index at a coordinate, as for `Layout`."""
        index = int_tuple.plus(self.offset, self._outer_index(coord))
        if isinstance(self.inner, Swizzle):
            if isinstance(index, tuple):
                raise LayoutError("crd2idx", (index, self), "a swizzle takes a linear index")
            return self.inner(index)
        return self.inner(index)

    def _outer_index(self, coord: tuple[object, ...]) -> IntTuple:
        """The index to which the offset is added."""
        if type(self.offset) is not int or not isinstance(self.outer, Layout):
            return self.outer(*coord)
        where = as_coord("crd2idx", coord[0] if len(coord) == 1 else coord)
        return coordinate_to_index(where, self.outer.shape, self.outer.stride, self.offset)

    def __getitem__(self, mode: int) -> ComposedLayout:
        return ComposedLayout(self.inner, self.offset, self.outer[mode])

    def __iter__(self) -> Iterator[ComposedLayout]:
        return (self[mode] for mode in range(self.rank))

    def __len__(self) -> int:
        return self.rank

    @property
    def shape(self) -> IntTuple:
        return self.outer.shape

    @property
    def stride(self) -> IntTuple:
        return self.outer.stride

    @property
    def rank(self) -> int:
        return self.outer.rank

    @property
    def depth(self) -> int:
        return self.outer.depth

    @property
    def is_static(self) -> bool:
        inner = not isinstance(self.inner, (Layout, ComposedLayout)) or self.inner.is_static
        return inner and int_tuple.is_static(self.offset) and self.outer.is_static

    @property
    def is_plain(self) -> bool:
        """As `Layout.is_plain`."""
        inner = not isinstance(self.inner, (Layout, ComposedLayout)) or self.inner.is_plain
        return inner and self.outer.is_plain and all(type(leaf) is Dyn for leaf in int_tuple.leaves(self.offset))

    def __str__(self) -> str:
        outer = f"[{self.outer}]" if isinstance(self.outer, ComposedLayout) else str(self.outer)
        return f"{self.inner} o {text(self.offset)} o {outer}"

    def __repr__(self) -> str:
        return f"ComposedLayout({self})"

    def _repr_svg_(self) -> str | None:
        """As `Layout._repr_svg_`."""
        return _picture_or_none(self)


def _levels(layout: Inner) -> int:
    """How many compositions are inside of each other."""
    return 1 + max(_levels(layout.inner), _levels(layout.outer)) if isinstance(layout, ComposedLayout) else 0


@dataclass(frozen=True, slots=True)
class Tile:
    """`[e|e|...]`: one entry a mode, each an extent, `*` (leave the mode alone), a layout or a nested tile."""

    modes: tuple[TileMode, ...]

    def __post_init__(self) -> None:
        modes = self.modes if isinstance(self.modes, tuple) else (self.modes,)
        if not modes:
            raise LayoutError("make_tile", (), "a tile needs at least one mode")
        object.__setattr__(self, "modes", tuple([_tile_mode(mode, 1) for mode in modes]))
        if _tile_levels(self) > MAX_DEPTH:
            raise LayoutError("make_tile", (), f"tiles are nested more than {MAX_DEPTH} levels deep")

    @property
    def rank(self) -> int:
        return len(self.modes)

    @property
    def is_static(self) -> bool:
        return all(
            mode.is_static if isinstance(mode, (Layout, Tile)) else not isinstance(mode, Dyn) for mode in self.modes
        )

    @property
    def is_plain(self) -> bool:
        """As `Layout.is_plain`."""
        return all(mode.is_plain if isinstance(mode, (Layout, Tile)) else is_plain_leaf(mode) for mode in self.modes)

    def __getitem__(self, mode: int) -> TileMode:
        if type(mode) is not int or not -self.rank <= mode < self.rank:
            raise LayoutError("get", (self, mode), f"the tile has {self.rank} modes")
        return self.modes[mode]

    def __len__(self) -> int:
        return len(self.modes)

    def __iter__(self) -> Iterator[TileMode]:
        return iter(self.modes)

    def __str__(self) -> str:
        return f"[{'|'.join(map(str, self.modes))}]"

    def __repr__(self) -> str:
        return f"Tile({self})"


AnyLayout: TypeAlias = Layout | ComposedLayout
Inner: TypeAlias = Layout | ComposedLayout | Swizzle | CoordSwizzle
TileMode: TypeAlias = int | Dyn | Star | Layout | Tile


def _tile_levels(mode: TileMode) -> int:
    return 1 + max(map(_tile_levels, mode.modes)) if isinstance(mode, Tile) else 0


def _tile_mode(value: object, depth: int) -> TileMode:
    if isinstance(value, (Layout, Tile, Dyn)):
        return value
    if isinstance(value, tuple):
        if depth > MAX_DEPTH:
            raise LayoutError("make_tile", (value,), f"tiles are nested more than {MAX_DEPTH} levels deep")
        return Tile(tuple([_tile_mode(mode, depth + 1) for mode in value]))
    extent = check_range("make_tile", checked("make_tile", value, "tile", star=True), "tile")
    if type(extent) is int and extent > 0:
        return extent
    if extent is STAR:
        return STAR
    raise LayoutError("make_tile", (value,), "a tile entry is an extent > 0, *, a layout or a tile")


def as_coord(op: str, value: object) -> IntTuple:
    """`value` as a coordinate of integers and dynamic leaves."""
    coord = checked(op, value, "coordinate")
    if isinstance(coord, Basis):
        raise LayoutError(op, (value,), "a basis leaf is no coordinate")
    return coord


L = TypeVar("L", Layout, ComposedLayout, AnyLayout)


def on_outer(op: str, layout: L, function: Callable[[Layout], Layout]) -> L:
    """`function` of a plain layout; of a composed layout with `function` of its outer part."""
    if isinstance(layout, ComposedLayout):
        return ComposedLayout(layout.inner, layout.offset, on_outer(op, layout.outer, function))
    return function(check_layout(op, layout))


def check_layout(op: str, value: object, what: str = "layout") -> Layout:
    """`value` when it is a plain `Layout`."""
    if not isinstance(value, Layout):
        raise LayoutError(op, (value,), f"the {what} must be a layout, found {type(value).__name__}")
    return value
