"""Types of pointers, of tensors in memory, and of tensors of coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import ClassVar, Self

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.base.errors import FrontendError
from flydsl.ir.fly.attributes import GLOBAL, AddressSpace, AddressSpaceAttr, space_attribute
from flydsl.ir.fly.base import FlyType, text_of
from flydsl.ir.fly.element import element_bits, element_bytes, element_type
from flydsl.ir.fly.reader import Reader
from flydsl.ir.fly.types.payload import payload
from flydsl.layout.int_tuple import text as tuple_text

_SPACES = {space.value: AddressSpaceAttr(space) for space in AddressSpace}


class _InMemory(FlyType):
    """Base of pointers and tensors: elements in an address space, `align` bytes aligned (0: as the element)."""

    element: Attribute
    space: Attribute
    align: int

    def __post_init__(self) -> None:
        if not isinstance(self.element, TypeAttribute | VectorType):
            raise VerifyException(f"an element must be a type, found {self.element}")
        if self.align == 0:
            object.__setattr__(self, "align", element_bytes(self.element))
        self.verify()

    def verify(self) -> None:
        size = element_bytes(self.element)
        if self.align <= 0 or self.align % size:
            raise VerifyException(f"align<{self.align}> is not a multiple of the {size} bytes of {self.element}")

    @property
    def element_type(self) -> Attribute:
        """The MLIR type of the elements."""
        return self.element

    @property
    def address_space(self) -> Attribute:
        """Where the elements are."""
        return self.space

    @property
    def alignment(self) -> int:
        """Guaranteed alignment in bytes."""
        return self.align


@dataclass(frozen=True, eq=False, repr=False)
class PointerType(_InMemory):
    """`!fly.ptr<f16, shared, align<16>, S<3,3,3>>`: an address of elements.

    `align` is in bytes (0 means the element's own). The swizzle permutes the bits of the *byte* address at each access.
    """

    name: ClassVar[str] = "fly.ptr"
    element: Attribute
    space: Attribute = GLOBAL
    align: int = 0
    swizzle: fl.Swizzle | None = None

    def __post_init__(self) -> None:
        if isinstance(kind := self.element, PointerType):  # `PointerType(p.type)`, as other programs write
            for field in ("element", "space", "align", "swizzle"):
                object.__setattr__(self, field, getattr(kind, field))
        super().__post_init__()

    @classmethod
    def get(
        cls, elem_ty: object, address_space: object = None, alignment: int | None = None, swizzle: object = None
    ) -> Self:
        """The type of a pointer to `elem_ty`, into global memory and aligned as its element by default (bytes)."""
        return cls(*_element_and_space(elem_ty, address_space), *_suffix(elem_ty, alignment, swizzle))

    def body(self) -> str:
        return f"{text_of(self.element)}, {_space_text(self.space)}{_suffix_text(self)}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        element, space = _read_element_and_space(reader)
        return cls(element, space, *_read_suffix(reader))

    @property
    def divisibility(self) -> int:
        """What the address is a multiple of, in elements."""
        return max(1, self.align * 8 // element_bits(self.element))

    def with_offset(self, divisibility: int) -> PointerType:
        """The pointer moved by an offset in elements that `divisibility` divides (0: by nothing)."""
        offset_bytes = divisibility * element_bits(self.element) // 8
        align = max(gcd(self.align, offset_bytes), element_bytes(self.element))
        return self if align == self.align else replace(self, align=align)


@dataclass(frozen=True, eq=False, repr=False)
class MemRefType(_InMemory):
    """`!fly.memref<f32, global, (8,64):(?{i64},1)>`: a tensor, that is a pointer and a (composed) layout."""

    name: ClassVar[str] = "fly.memref"
    element: Attribute
    space: Attribute
    layout: fl.Layout | fl.ComposedLayout
    align: int = 0
    swizzle: fl.Swizzle | None = None

    @classmethod
    def get(
        cls,
        elem_ty: object,
        layout: object,
        address_space: object = None,
        alignment: int | None = None,
        swizzle: object = None,
    ) -> Self:
        """The type of a tensor of `elem_ty` with a layout, in global memory by default; `alignment` in bytes."""
        element_and_space = _element_and_space(elem_ty, address_space)
        return cls(*element_and_space, payload(layout), *_suffix(elem_ty, alignment, swizzle))

    def body(self) -> str:
        return f"{text_of(self.element)}, {_space_text(self.space)}, {self.layout}{_suffix_text(self)}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        element, space = _read_element_and_space(reader)
        reader.expect(",")
        layout = reader.payload(fl.parse_any_layout_at)
        return cls(element, space, layout, *_read_suffix(reader))

    @property
    def leading_dim(self) -> int | None:
        """The first mode of static stride 1, None when there is none."""
        strides = self.layout.stride if isinstance(self.layout.stride, tuple) else (self.layout.stride,)
        return next((index for index, stride in enumerate(strides) if stride == 1), None)

    @property
    def pointer(self) -> PointerType:
        """The type of the tensor's iterator."""
        return PointerType(self.element, self.space, self.align, self.swizzle)


@dataclass(frozen=True, eq=False, repr=False)
class CoordTensorType(FlyType):
    """`!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>`: a tensor of coordinates, without storage."""

    name: ClassVar[str] = "fly.coord_tensor"
    base: fl.IntTuple
    layout: fl.Layout | fl.ComposedLayout

    @classmethod
    def get(cls, base: object, layout: object) -> Self:
        """The type of a tensor of coordinates from `base` on."""
        return cls(payload(base), payload(layout))

    @property
    def rank(self) -> int:
        """Number of modes."""
        return fl.rank(self.layout)

    @property
    def depth(self) -> int:
        """Nesting depth of the shape."""
        return fl.depth(self.layout)

    @property
    def is_leaf(self) -> bool:
        """Whether there is one mode, which is no tuple."""
        return not isinstance(self.layout.shape, tuple)

    @property
    def is_static(self) -> bool:
        return fl.is_static(self.base) and self.layout.is_static

    def body(self) -> str:
        return f"{tuple_text(self.base)}, {self.layout}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        base = reader.payload(fl.parse_int_tuple_at)
        reader.expect(",")
        return cls(base, reader.payload(fl.parse_any_layout_at))


def _element_and_space(element: object, space: object) -> tuple[Attribute, Attribute]:
    return element_type(element), GLOBAL if space is None else space_attribute(space)


def _suffix(element: object, alignment: int | None, swizzle: object) -> tuple[int, fl.Swizzle | None]:
    kind = element_type(element)
    size = -(-element_bits(kind) // 8)
    align = 0 if alignment is None else alignment
    if not isinstance(align, int) or align < 0 or align % size:
        raise FrontendError(f"the alignment of a pointer to {kind} is a multiple of {size} bytes, found {alignment!r}")
    return align, None if swizzle is None else payload(swizzle)


def _space_text(space: Attribute) -> str:
    return space.data.value if isinstance(space, AddressSpaceAttr) else text_of(space)


def _suffix_text(type_: PointerType | MemRefType) -> str:
    align = "" if type_.align == element_bytes(type_.element) else f", align<{type_.align}>"
    return align if type_.swizzle is None else f"{align}, {type_.swizzle}"


def _read_element_and_space(reader: Reader) -> tuple[Attribute, Attribute]:
    element = reader.attribute()
    reader.expect(",")
    if reader.accept("#"):
        reader.position -= 1
        return element, reader.attribute()
    word = reader.word("an address space")
    if word not in _SPACES:
        known = ", ".join(_SPACES)
        reader.error(f"unknown address space {word!r}: choose from {known} or a target's attribute", reader.token)
    return element, _SPACES[word]


def _read_suffix(reader: Reader) -> tuple[int, fl.Swizzle | None]:
    align, swizzle = 0, None
    while reader.accept(","):
        if align == 0 and swizzle is None and reader.accept("align<"):
            align = reader.integer("an alignment in bytes")
            reader.expect(">")
            if align <= 0:
                reader.error(f"an alignment is positive, found {align}", reader.token)
        elif swizzle is None:
            swizzle = reader.payload(fl.parse_swizzle_at)
        else:
            reader.error("unexpected parameter after the swizzle")
    return align, swizzle
