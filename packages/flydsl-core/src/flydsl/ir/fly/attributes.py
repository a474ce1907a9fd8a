"""The enumerations of the dialect as attributes, and readers of builtin attributes as Python values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from flydsl.base.errors import FrontendError
from flydsl.ir.fly.base import FlyAttribute

__all__ = [
    "GENERIC",
    "GLOBAL",
    "REGISTER",
    "SHARED",
    "AddressSpace",
    "AddressSpaceAttr",
    "AtomicOp",
    "AtomicOpAttr",
    "CachePolicy",
    "CachePolicyAttr",
    "ExplicitModuleAttr",
    "GemmTraversalOrder",
    "GemmTraversalOrderAttr",
    "MmaOperand",
    "MmaOperandAttr",
    "as_python",
    "decode",
    "integer",
    "integer_array",
]


class AddressSpace(StrEnum):
    """Where a pointer points; targets add spaces as attributes of their own dialect."""

    GENERIC = "generic"
    GLOBAL = "global"
    SHARED = "shared"
    REGISTER = "register"


class MmaOperand(StrEnum):
    """The matrix an operand of an MMA stands for, in `d = a * b + c`."""

    A = "a"
    B = "b"
    C = "c"
    D = "d"


class AtomicOp(StrEnum):
    """What an atomic copy does with the old value."""

    ADD = "add"
    MAX = "max"
    MIN = "min"
    AND = "and"
    OR = "or"
    INC = "inc"
    DEC = "dec"


class CachePolicy(StrEnum):
    """How a copy treats the caches on its way."""

    CACHE_GLOBAL = "cache_global"
    CACHE_ALWAYS = "cache_always"


class GemmTraversalOrder(StrEnum):
    """Order of the atoms of a `gemm`: the first letter is the fastest; serpentine turns at the end of each line."""

    KMN = "kmn"
    KNM = "knm"
    MKN = "mkn"
    MNK = "mnk"
    NKM = "nkm"
    NMK = "nmk"
    KMN_SERPENTINE = "kmn_serpentine"
    KNM_SERPENTINE = "knm_serpentine"
    MKN_SERPENTINE = "mkn_serpentine"
    MNK_SERPENTINE = "mnk_serpentine"
    NKM_SERPENTINE = "nkm_serpentine"
    NMK_SERPENTINE = "nmk_serpentine"


@irdl_attr_definition
class AddressSpaceAttr(EnumAttribute[AddressSpace], SpacedOpaqueSyntaxAttribute):
    """`#fly<address_space global>`; inside types the bare word."""

    name: ClassVar[str] = "fly.address_space"


@irdl_attr_definition
class MmaOperandAttr(EnumAttribute[MmaOperand], SpacedOpaqueSyntaxAttribute):
    """`#fly<mma_operand a>`; in an op's own syntax the bare word."""

    name: ClassVar[str] = "fly.mma_operand"


@irdl_attr_definition
class AtomicOpAttr(EnumAttribute[AtomicOp], SpacedOpaqueSyntaxAttribute):
    """`#fly<atomic_op max>`; inside types the bare word."""

    name: ClassVar[str] = "fly.atomic_op"


@irdl_attr_definition
class CachePolicyAttr(EnumAttribute[CachePolicy], SpacedOpaqueSyntaxAttribute):
    """`#fly<cache_policy cache_always>`."""

    name: ClassVar[str] = "fly.cache_policy"


@irdl_attr_definition
class GemmTraversalOrderAttr(EnumAttribute[GemmTraversalOrder], SpacedOpaqueSyntaxAttribute):
    """`#fly<gemm_traversal_order nmk>`."""

    name: ClassVar[str] = "fly.gemm_traversal_order"


@dataclass(frozen=True, eq=False, repr=False)
class ExplicitModuleAttr(FlyAttribute):
    """`#fly.explicit_module`: the code object of a gpu.module is loaded by a call, not by a constructor."""

    name: ClassVar[str] = "fly.explicit_module"


GENERIC = AddressSpaceAttr(AddressSpace.GENERIC)
"""The address space of pointers to any memory."""
GLOBAL = AddressSpaceAttr(AddressSpace.GLOBAL)
"""The device's memory."""
SHARED = AddressSpaceAttr(AddressSpace.SHARED)
"""The memory of one block."""
REGISTER = AddressSpaceAttr(AddressSpace.REGISTER)
"""What one thread has to itself."""


def space_attribute(space: object) -> Attribute:
    """The attribute of an address space: one of the dialect by name or number, a target's attribute stays."""
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


def integer(value: int, width: int = 32) -> Attribute:
    """`value : iWIDTH`, for 32 and 64 bits."""
    return IntegerAttr(value, i32 if width == 32 else i64)


def integer_array(*values: int) -> Attribute:
    """`array<i32: values>`."""
    return DenseArrayBase.from_list(i32, values)


def as_python(attribute: Attribute) -> object:
    """The Python value of an attribute: a number, string, enumerator or tuple of them; a type stays a type."""
    reader = _READERS.get(type(attribute))
    return reader(attribute) if reader else attribute


def decode(attributes: Mapping[str, Attribute]) -> dict[str, object]:
    """`as_python` of every value."""
    return {name: as_python(value) for name, value in attributes.items()}


_READERS: dict[type, Callable[..., object]] = {
    IntegerAttr: lambda a: a.value.data,
    IntAttr: lambda a: a.data,
    FloatAttr: lambda a: a.value.data,
    StringAttr: lambda a: a.data,
    UnitAttr: lambda a: True,
    DenseArrayBase: lambda a: a.get_values(),
    ArrayAttr: lambda a: tuple(as_python(e) for e in a.data),
    AddressSpaceAttr: lambda a: a.data,
    MmaOperandAttr: lambda a: a.data,
    AtomicOpAttr: lambda a: a.data,
    CachePolicyAttr: lambda a: a.data,
    GemmTraversalOrderAttr: lambda a: a.data,
}
