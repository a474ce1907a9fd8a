"""Types by parameters (`LayoutType.get(shape, stride)`) and their parameters by name: mixins of the dialect's types.

`get` takes types, layout values, values of the language, Python ints and nested tuples of them; None stands for `*`.
"""

from __future__ import annotations

from typing import Any, Self

from xdsl.ir import Attribute

import flydsl.layout as fl
from flydsl.base.errors import FrontendError, IRError


def payload(value: Any) -> Any:
    """The layout value behind a type, a value of the language or nested tuples of them."""
    if value is None:
        return fl.STAR
    if isinstance(value, tuple | list):
        return tuple(payload(item) for item in value)
    if isinstance(value, Attribute):
        return value.value  # type: ignore[attr-defined]
    return getattr(value, "payload", value)


def type_of(value: Any) -> Any:
    """The type of a layout value."""
    from flydsl.ir.fly.payload_types import payload_type

    return payload_type(value)


def element_type(element: Any) -> Attribute:
    """The MLIR type of an element: a numeric type of the language has one, an MLIR type stays."""
    found = element.ir_type_of() if hasattr(element, "ir_type_of") else element
    if not isinstance(found, Attribute):
        raise FrontendError(f"an element is of a numeric type such as fx.Float32 or of an MLIR type, found {element!r}")
    return found


def space_attribute(space: Any) -> Attribute:
    """The attribute of an address space: one of the dialect by name, a target's attribute stays."""
    from flydsl.ir.fly.attributes import AddressSpace, AddressSpaceAttr

    if isinstance(space, Attribute):
        return space
    spaces = list(AddressSpace)
    if isinstance(space, int) and not hasattr(space, "name") and 0 <= space < len(spaces):
        return AddressSpaceAttr(spaces[space])
    name = str(getattr(space, "name", space)).lower()
    if name not in spaces:
        known = ", ".join(f"fx.AddressSpace.{space.name.capitalize()}" for space in spaces)
        raise FrontendError(f"{space!r} is no address space; known: {known}, and those of the target")
    return AddressSpaceAttr(AddressSpace(name))


class _Structured:
    """What int tuples and layouts share."""

    value: Any

    @property
    def rank(self) -> int:
        """Number of modes."""
        return fl.rank(self.value)

    @property
    def depth(self) -> int:
        """Nesting depth."""
        return fl.depth(self.value)

    @property
    def is_leaf(self) -> bool:
        """Whether there is one mode, which is no tuple."""
        return not isinstance(getattr(self.value, "shape", self.value), tuple)

    @property
    def is_static(self) -> bool:
        """Whether all is known."""
        return bool(fl.is_static(self.value))


class IntTupleAccess(_Structured):
    """`IntTupleType.get((4, (2, None)))`."""

    @classmethod
    def get(cls, value: Any) -> Self:
        """The type of an int tuple."""
        return cls(payload(value))  # type: ignore[call-arg]

    def at(self, mode: int) -> Any:
        """The type of one mode."""
        return type(self)(fl.get(self.value, mode=(mode,)))  # type: ignore[call-arg]

    @property
    def is_leaf_int(self) -> bool:
        """Whether this is one static integer."""
        return isinstance(self.value, int)

    @property
    def is_leaf_basis(self) -> bool:
        """Whether this is one basis element."""
        return isinstance(self.value, fl.Basis)

    @property
    def get_static_leaf_int(self) -> int:
        """The integer of a static leaf."""
        if not isinstance(self.value, int):
            raise IRError(f"{self} is no static integer")
        return self.value

    @property
    def get_leaf_as_basis(self) -> Any:
        """The type of the basis element that this leaf is."""
        from flydsl.ir.fly.payload_types import BasisType

        if not isinstance(self.value, fl.Basis):
            raise IRError(f"{self} is no basis element")
        return BasisType(self.value)


class LayoutAccess(_Structured):
    """`LayoutType.get(shape, stride)`."""

    @classmethod
    def get(cls, shape: Any, stride: Any = None) -> Self:
        """The type of `shape:stride`; without strides, of the compact column-major layout."""
        if stride is None:
            return cls(fl.make_layout(payload(shape)))  # type: ignore[call-arg]
        return cls(fl.Layout(payload(shape), payload(stride)))  # type: ignore[call-arg]

    @property
    def shape(self) -> Any:
        """The type of the shape."""
        return type_of(self.value.shape)

    @property
    def stride(self) -> Any:
        """The type of the strides."""
        return type_of(self.value.stride)

    @property
    def is_static_shape(self) -> bool:
        """Whether the shape is known."""
        return bool(fl.is_static(self.value.shape))

    @property
    def is_static_stride(self) -> bool:
        """Whether the strides are known."""
        return bool(fl.is_static(self.value.stride))


class ComposedLayoutAccess(_Structured):
    """`ComposedLayoutType.get(inner, offset, outer)`."""

    @classmethod
    def get(cls, inner: Any, offset: Any, outer: Any) -> Self:
        """The type of `inner o offset o outer`."""
        return cls(fl.ComposedLayout(payload(inner), payload(offset), payload(outer)))  # type: ignore[call-arg]

    @property
    def inner(self) -> Any:
        """The type of what is applied last."""
        return type_of(self.value.inner)

    @property
    def offset(self) -> Any:
        """The type of the offset between the two."""
        return type_of(self.value.offset)

    @property
    def outer(self) -> Any:
        """The type of what is applied first."""
        return type_of(self.value.outer)

    @property
    def is_static_inner(self) -> bool:
        """Whether the inner part is known."""
        return bool(fl.is_static(self.value.inner))

    @property
    def is_static_offset(self) -> bool:
        """Whether the offset is known."""
        return bool(fl.is_static(self.value.offset))

    @property
    def is_static_outer(self) -> bool:
        """Whether the outer layout is known."""
        return bool(fl.is_static(self.value.outer))


class SwizzleAccess:
    """`SwizzleType.get(mask, base, shift)`."""

    value: Any

    @classmethod
    def get(cls, mask: int, base: int, shift: int) -> Self:
        """The type of the swizzle `S<mask,base,shift>`; `fx.static` makes it a value."""
        return cls(fl.Swizzle(mask, base, shift))  # type: ignore[call-arg]

    @property
    def mask(self) -> int:
        """Number of bits that are XORed."""
        return int(self.value.mask)

    @property
    def base(self) -> int:
        """Position of the lowest bit that changes."""
        return int(self.value.base)

    @property
    def shift(self) -> int:
        """Distance between the bits read and the bits changed."""
        return int(self.value.shift)


class CoordSwizzleAccess:
    """`CoordSwizzleType.get(mask, base_row, mode_row, base_col, mode_col)`."""

    value: Any

    @classmethod
    def get(cls, mask: int, base_row: int, mode_row: Any, base_col: int, mode_col: Any) -> Self:
        """The type of the swizzle that XORs bits of one mode (an index or path) into another."""
        row, col = (tuple(mode) if isinstance(mode, tuple | list) else (mode,) for mode in (mode_row, mode_col))
        return cls(fl.CoordSwizzle(mask, base_row, row, base_col, col))  # type: ignore[call-arg]

    @property
    def mask(self) -> int:
        """Number of bits that are XORed."""
        return int(self.value.mask)

    @property
    def base_row(self) -> int:
        """Position of the bits that are read."""
        return int(self.value.base_row)

    @property
    def mode_row(self) -> tuple[int, ...]:
        """The mode that is read."""
        return tuple(self.value.mode_row)

    @property
    def base_col(self) -> int:
        """Position of the bits that are changed."""
        return int(self.value.base_col)

    @property
    def mode_col(self) -> tuple[int, ...]:
        """The mode that is changed."""
        return tuple(self.value.mode_col)


class TileAccess:
    """`TileType.get([4, None, layout])`."""

    value: Any

    @classmethod
    def get(cls, modes: Any) -> Self:
        """The type of a tile with these modes."""
        return cls(_tile(modes if isinstance(modes, tuple | list) else (modes,)))  # type: ignore[call-arg]

    def at(self, mode: int) -> Any:
        """The type of one mode."""
        return type_of(self.value.modes[mode])

    @property
    def rank(self) -> int:
        """Number of modes."""
        return int(self.value.rank)

    @property
    def is_leaf(self) -> bool:
        """Whether there is one mode."""
        return self.rank == 1


class BasisAccess:
    """The parts of a basis element."""

    value: Any

    @property
    def modes(self) -> tuple[int, ...]:
        """The path of the mode it counts along."""
        return tuple(self.value.path)

    @property
    def is_static(self) -> bool:
        """Whether its value is known."""
        return bool(fl.is_static(self.value))


def _tile(modes: Any) -> fl.Tile:
    return fl.Tile(tuple(_tile(mode) if isinstance(mode, tuple | list) else payload(mode) for mode in modes))
