"""Types, attributes and values of the IR, as `ir` of MLIR's bindings has them.

Types and attributes are those of xDSL. `ir.IntegerType(t)` gives a view of a type with MLIR's properties (`.width` is
an int), which is taken wherever a type is; `isinstance(t, ir.IntegerType)` asks what a type is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl._mlir.building import attributes, kinds
from flydsl._mlir.building.builders import Operation as Operation
from flydsl._mlir.building.insertion import Context as Context
from flydsl._mlir.building.insertion import InsertionPoint as InsertionPoint
from flydsl._mlir.building.insertion import Location as Location
from flydsl._mlir.building.kinds import Attribute as Attribute
from flydsl._mlir.building.kinds import FloatType as FloatType
from flydsl._mlir.building.kinds import FunctionType as FunctionType
from flydsl._mlir.building.kinds import IndexType as IndexType
from flydsl._mlir.building.kinds import IntegerType as IntegerType
from flydsl._mlir.building.kinds import MemRefType as MemRefType
from flydsl._mlir.building.kinds import NoneType as NoneType
from flydsl._mlir.building.kinds import ShapedType as ShapedType
from flydsl._mlir.building.kinds import Type as Type
from flydsl._mlir.building.kinds import Value as Value
from flydsl._mlir.building.kinds import VectorType as VectorType
from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import type_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.ir import Attribute as IRAttribute

OpView = Operation

_MODULES = (
    "the module of a trace is made by @flyc.jit; look at it with FLYDSL_DUMP_IR=1, or with `flydsl compile --emit fly`"
)
_INSTEAD = {
    **dict.fromkeys(("Module", "SymbolTable", "PassManager"), _MODULES),
    **dict.fromkeys(("MLIRError",), "errors of the IR are flydsl.base.errors.IRError"),
    **dict.fromkeys(("AffineMap", "AffineExpr", "AffineMapAttr"), "layouts are fx.make_layout"),
    **dict.fromkeys(("RankedTensorType", "UnrankedTensorType", "TupleType"), "kernels have scalars and vectors"),
}


class IntegerAttr:
    """Integer attributes."""

    @staticmethod
    def get(type: object, value: int) -> IRAttribute:
        """`value` of an integer type or of index."""
        return attributes.integer(value, type_of(type))


class FloatAttr:
    """Float attributes."""

    @staticmethod
    def get(type: object, value: float) -> IRAttribute:
        """`value` of a float type."""
        return attributes.typed(float(value), type_of(type))

    @staticmethod
    def get_f32(value: float) -> IRAttribute:
        """`value` as f32."""
        return FloatAttr.get("f32", value)

    @staticmethod
    def get_f64(value: float) -> IRAttribute:
        """`value` as f64."""
        return FloatAttr.get("f64", value)


class BoolAttr:
    """Truth values, integers of one bit."""

    @staticmethod
    def get(value: bool) -> IRAttribute:
        """True or False."""
        return attributes.plain(bool(value))


class StringAttr:
    """Strings."""

    @staticmethod
    def get(value: str) -> IRAttribute:
        """A string."""
        return attributes.plain(value)


class UnitAttr:
    """What is there or not."""

    @staticmethod
    def get() -> IRAttribute:
        """The attribute."""
        from xdsl.dialects.builtin import UnitAttr as Unit

        return Unit()


class TypeAttr:
    """Types as attributes."""

    @staticmethod
    def get(type: object) -> IRAttribute:
        """The type, which is an attribute already."""
        return type_of(type)


class ArrayAttr:
    """Arrays of attributes."""

    @staticmethod
    def get(items: Sequence[object]) -> IRAttribute:
        """An array of attributes, or of Python values."""
        return attributes.plain(list(items))


class DictAttr:
    """Attributes by name."""

    @staticmethod
    def get(items: Mapping[str, object]) -> IRAttribute:
        """A dictionary of attributes, or of Python values."""
        from xdsl.dialects.builtin import DictionaryAttr

        return DictionaryAttr({name: attributes.plain(value) for name, value in items.items()})


class DenseI32ArrayAttr:
    """Arrays of integers of 32 bits."""

    @staticmethod
    def get(values: Sequence[int]) -> IRAttribute | None:
        """The integers."""
        return attributes.attribute("builtin", "i32s", list(values))


class DenseI64ArrayAttr:
    """Arrays of integers of 64 bits."""

    @staticmethod
    def get(values: Sequence[int]) -> IRAttribute | None:
        """The integers."""
        return attributes.attribute("builtin", "i64s", list(values))


class DenseElementsAttr:
    """The elements of a constant vector."""

    @staticmethod
    def get_splat(type: object, value: Any) -> IRAttribute:
        """A vector with every element equal to `value`, an attribute or a number."""
        number = getattr(getattr(value, "value", value), "data", value)
        return attributes.typed(number, type_of(type))


def __getattr__(name: str) -> Any:
    """A scalar type such as `F32Type`, `OpResult` and other classes of values, or what to use instead."""
    found = kinds.named(name)
    if found is not None:
        return found
    return refuse(__name__, name, __dir__(), _INSTEAD.get(name, ""))


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name[0].isupper()), *kinds.NAMES})
