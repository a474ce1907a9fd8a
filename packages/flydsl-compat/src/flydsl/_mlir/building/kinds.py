"""The classes of types and values in `ir`: they are asked with `isinstance`, make types, and show one's properties."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl._mlir.building.text import parse
from flydsl._mlir.building.values import View, is_type, type_of
from flydsl.backend.language import Operand, StructuredValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute as IRAttribute

_FLOATS = {
    **{"F16Type": "f16", "BF16Type": "bf16", "F32Type": "f32", "F64Type": "f64"},
    **{f"Float8{kind}Type": f"f8{kind}" for kind in ("E4M3", "E4M3FN", "E4M3FNUZ", "E5M2", "E5M2FNUZ", "E8M0FNU")},
    **{"Float6E2M3FNType": "f6E2M3FN", "Float6E3M2FNType": "f6E3M2FN", "Float4E2M1FNType": "f4E2M1FN"},
}
_XDSL = ("BlockArgument", "OpResult", "Region")
NAMES = (*_FLOATS, *_XDSL, "Block")
"""What `named` knows."""


class Kind(type):
    """The metaclass of types: an instance is any type of the kind, or a view of one."""

    def __instancecheck__(cls, instance: object) -> bool:
        attribute = instance.attribute if isinstance(instance, View) else instance
        return isinstance(attribute, cls._classes())  # type: ignore[attr-defined]


class Type(View, metaclass=Kind):
    """Any type; `Type.parse(text)` reads one."""

    __slots__ = ()

    def __init__(self, other: object) -> None:
        attribute = other.attribute if isinstance(other, View) else other
        if not isinstance(attribute, type(self)):
            found = f"{attribute}" if is_type(attribute) else repr(attribute)
            raise ValueError(f"cannot cast type to {type(self).__name__} (from {found})")
        super().__init__(attribute)  # type: ignore[arg-type]

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.ir import TypeAttribute

        return (TypeAttribute,)

    @classmethod
    def isinstance(cls, other: object) -> bool:
        """Whether `other` is a type of this kind."""
        return isinstance(other, cls)

    @staticmethod
    def parse(text: str, context: object = None) -> IRAttribute:
        """The type of MLIR's text, such as `!llvm.ptr<3>` or `vector<4xf32>`."""
        return parse(text)


class IntegerType(Type):
    """`i32` and other integers."""

    __slots__ = ()

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import IntegerType

        return (IntegerType,)

    @staticmethod
    def get_signless(width: int, context: object = None) -> IRAttribute:
        """The integer type of a width in bits."""
        return type_of(f"i{width}")

    @staticmethod
    def get_signed(width: int, context: object = None) -> IRAttribute:
        """The integer type with a sign."""
        return type_of(f"si{width}")

    @staticmethod
    def get_unsigned(width: int, context: object = None) -> IRAttribute:
        """The integer type without a sign."""
        return type_of(f"ui{width}")

    @property
    def width(self) -> int:
        """Its bits."""
        return _int(self.attribute.width)  # type: ignore[attr-defined]

    @property
    def is_signless(self) -> bool:
        """Whether the type says nothing about a sign."""
        return str(self).startswith("i")


class IndexType(Type):
    """`index`."""

    __slots__ = ()

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import IndexType

        return (IndexType,)

    @staticmethod
    def get(context: object = None) -> IRAttribute:
        """The type."""
        return type_of("index")


class FloatType(Type):
    """Any float."""

    __slots__ = ()
    _text: ClassVar[str] = ""

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import AnyFloat

        return (type(type_of(cls._text)) if cls._text else AnyFloat,)  # type: ignore[return-value]

    @classmethod
    def get(cls, context: object = None) -> IRAttribute:
        """The type."""
        return type_of(cls._text)

    @property
    def width(self) -> int:
        """Its bits."""
        return self.attribute.bitwidth  # type: ignore[attr-defined, no-any-return]


class NoneType(Type):
    """`none`."""

    __slots__ = ()

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import NoneType

        return (NoneType,)


class FunctionType(Type):
    """`(i32) -> f32`."""

    __slots__ = ()

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import FunctionType

        return (FunctionType,)


class ShapedType(Type):
    """Types with elements and a shape."""

    __slots__ = ()

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import MemRefType, VectorType

        return (VectorType, MemRefType)

    @property
    def element_type(self) -> IRAttribute:
        """The type of the elements."""
        return self.attribute.element_type  # type: ignore[attr-defined, no-any-return]

    @property
    def shape(self) -> list[int]:
        """The extents."""
        return [_int(one) for one in self.attribute.shape]  # type: ignore[attr-defined]

    @property
    def rank(self) -> int:
        """The number of extents."""
        return len(self.shape)

    def get_dim_size(self, dim: int) -> int:
        """One extent."""
        return self.shape[dim]


class VectorType(ShapedType):
    """`vector<4xf32>`."""

    __slots__ = ()

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import VectorType

        return (VectorType,)

    @staticmethod
    def get(shape: Sequence[int], element_type: object, **_: object) -> IRAttribute:
        """The type of vectors of a shape."""
        from xdsl.dialects.builtin import VectorType

        return VectorType(type_of(element_type), list(shape))


class MemRefType(ShapedType):
    """`memref<4xf32>`, which no tensor of the language is."""

    __slots__ = ()

    @classmethod
    def _classes(cls) -> tuple[type, ...]:
        from xdsl.dialects.builtin import MemRefType

        return (MemRefType,)


class Attribute:
    """Any attribute; `Attribute.parse(text)` reads one."""

    @staticmethod
    def parse(text: str, context: object = None) -> IRAttribute:
        """The attribute of MLIR's text, such as `#llvm.fastmath<fast>` or `[1, 2]`."""
        return parse(text)


class _ValueKind(type):
    def __instancecheck__(cls, instance: object) -> bool:
        from xdsl.ir import SSAValue

        return isinstance(instance, SSAValue | Operand | StructuredValue)

    def __getattr__(cls, name: str) -> Any:
        text = "values are objects of Python here: pass them as they are, without a C API" if "CAPI" in name else ""
        raise AttributeError(f"ir.Value has no {name!r}" + (f"; {text}" if text else ""), name=name)


class Value(metaclass=_ValueKind):
    """What operations compute with: SSA values, and values of the language; `Value(x)` is x."""

    def __new__(cls, value: Any) -> Any:
        """The value itself."""
        if not isinstance(value, Value):
            raise ValueError(f"not a value: {value!r}")
        return value


@cache
def named(name: str) -> Any:
    """The class `name` of a float type, or of xDSL for annotations; None for another name."""
    if name in _FLOATS:
        body = {"_text": _FLOATS[name], "__slots__": (), "__doc__": f"`{_FLOATS[name]}`."}
        return Kind(name, (FloatType,), body)
    if name in _XDSL:
        from xdsl import ir

        return getattr(ir, name)
    if name == "Block":
        from flydsl._mlir.building.regions import Block  # the operations that have blocks, and xDSL with them

        return Block
    return None


def _int(value: Any) -> int:
    return int(getattr(value, "data", value))
