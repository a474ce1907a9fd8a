"""Python numbers and SSA scalars in, typed scalars out: the numeric types of the language (fx.Int32, ...)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from flydsl.base.errors import FrontendError
from flydsl.expr import operators
from flydsl.expr.operators import Arithmetic
from flydsl.expr.promote import python_type

__all__ = [
    "BFloat16",
    "Boolean",
    "Float4E2M1FN",
    "Float6E2M3FN",
    "Float6E3M2FN",
    "Float8E4M3FN",
    "Float8E4M3FNUZ",
    "Float8E5M2",
    "Float8E8M0FNU",
    "Float16",
    "Float32",
    "Float64",
    "Index",
    "Int4",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "Numeric",
    "Uint8",
    "Uint16",
    "Uint32",
    "Uint64",
    "as_numeric",
]


class Numeric(Arithmetic):
    """A scalar of a fixed type: static when it holds a Python number, dynamic when it holds an SSA value.

    `Int32(x)` converts a Python number, another scalar, or wraps an SSA value of the right type.
    """

    __slots__ = ("value",)

    mlir_name: ClassVar[str] = ""
    width: ClassVar[int] = 0
    is_float: ClassVar[bool] = False
    is_signed: ClassVar[bool] = True

    value: Any

    def __init__(self, value: Any = 0) -> None:
        self.value = operators.scalar_value(type(self), value)

    @classmethod
    def wrap(cls, value: Any) -> Self:
        """The scalar that stands for `value`, a Python number or an SSA value already of this type."""
        scalar = object.__new__(cls)
        scalar.value = value
        return scalar

    @property
    def dtype(self) -> type[Numeric]:
        """The scalar's own type."""
        return type(self)

    @property
    def shape(self) -> None:
        """A scalar has no vector shape."""
        return None

    @property
    def is_static(self) -> bool:
        """Whether the value is known while tracing."""
        return isinstance(self.value, bool | int | float)

    @classmethod
    def ir_type_of(cls) -> Any:
        """The MLIR type of this numeric type."""
        from flydsl.expr.scalar_types import scalar_type

        return scalar_type(cls.mlir_name)

    @property
    def ir_type(self) -> Any:
        """The MLIR type of the scalar."""
        return self.ir_type_of()

    def ir_value(self) -> Any:
        """The SSA value, made by a constant when the scalar is static."""
        return operators.materialize(self)

    def to(self, dtype: type[Numeric]) -> Numeric:
        """This value converted to `dtype`: C rules for integers, round to nearest for floats."""
        return dtype(self)

    def bitcast(self, dtype: type[Numeric]) -> Numeric:
        """The same bits read as `dtype`, which must have the same width."""
        if dtype.width != self.width:
            raise FrontendError(
                f"cannot bitcast {type(self).__name__} of {self.width} bits to {dtype.__name__} of {dtype.width} bits; "
                "the widths must be equal"
            )
        return dtype.wrap(operators.bitcast(self, dtype))

    def select(self, if_true: Any, if_false: Any) -> Any:
        """`if_true` where this Boolean holds, else `if_false`, as one value without a branch."""
        return operators.select(self, if_true, if_false)

    def shuffle_xor(self, offset: Any, width: Any = None) -> Any:
        """The value of the lane whose number differs by XOR with `offset`; see `fx.shuffle_xor`."""
        from flydsl.expr.shuffle import shuffle_xor

        return shuffle_xor(self, offset, width)

    @classmethod
    def __dsl_size_of__(cls) -> int:
        return max(1, -(-cls.width // 8))

    @classmethod
    def __dsl_align_of__(cls) -> int:
        return cls.__dsl_size_of__()

    @classmethod
    def __peek_from_ptr__(cls, ptr: Any) -> Any:
        return ptr.load(cls)

    @classmethod
    def __poke_into_ptr__(cls, ptr: Any, value: Any) -> None:
        from flydsl.expr.pointer import recast_iter

        recast_iter(cls, ptr).store(value)

    def __bool__(self) -> bool:
        return bool(self._static("a Python condition", "use an if statement, `&`, `|` or .select() on dynamic values"))

    def __int__(self) -> int:
        return int(self._static("int()", "keep it as it is, or convert with fx.Int32(...)"))

    def __float__(self) -> float:
        return float(self._static("float()", "keep it as it is, or convert with fx.Float32(...)"))

    def __index__(self) -> int:
        if self.is_float:
            raise FrontendError(f"a {type(self).__name__} cannot be an index")
        return int(self._static("an index of Python code", "use range_constexpr for indices known while tracing"))

    def __hash__(self) -> int:
        return hash((type(self), self.value if self.is_static else id(self.value)))

    def _static(self, use: str, hint: str) -> bool | int | float:
        if not isinstance(self.value, bool | int | float):
            raise FrontendError(
                f"{use} needs a value known while tracing, found a dynamic {type(self).__name__}; {hint}"
            )
        return self.value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value if self.is_static else '?'})"

    def __extract_to_ir_values__(self) -> list[Any]:
        return [self.ir_value()]

    def __construct_from_ir_values__(self, values: list[Any]) -> Self:
        return type(self).wrap(values[0])


class Boolean(Numeric):
    """One bit, i1."""

    __slots__ = ()
    mlir_name, width, is_signed = "i1", 1, False


class Int4(Numeric):
    """Signed 4-bit integer."""

    __slots__ = ()
    mlir_name, width = "i4", 4


class Int8(Numeric):
    """Signed 8-bit integer."""

    __slots__ = ()
    mlir_name, width = "i8", 8


class Int16(Numeric):
    """Signed 16-bit integer."""

    __slots__ = ()
    mlir_name, width = "i16", 16


class Int32(Numeric):
    """Signed 32-bit integer."""

    __slots__ = ()
    mlir_name, width = "i32", 32


class Int64(Numeric):
    """Signed 64-bit integer."""

    __slots__ = ()
    mlir_name, width = "i64", 64


class Int128(Numeric):
    """Signed 128-bit integer."""

    __slots__ = ()
    mlir_name, width = "i128", 128


class Uint8(Numeric):
    """Unsigned 8-bit integer."""

    __slots__ = ()
    mlir_name, width, is_signed = "i8", 8, False


class Uint16(Numeric):
    """Unsigned 16-bit integer."""

    __slots__ = ()
    mlir_name, width, is_signed = "i16", 16, False


class Uint32(Numeric):
    """Unsigned 32-bit integer."""

    __slots__ = ()
    mlir_name, width, is_signed = "i32", 32, False


class Uint64(Numeric):
    """Unsigned 64-bit integer."""

    __slots__ = ()
    mlir_name, width, is_signed = "i64", 64, False


class Index(Numeric):
    """MLIR's index; 64 bits on every target."""

    __slots__ = ()
    mlir_name, width = "index", 64


class Float16(Numeric):
    """IEEE half precision."""

    __slots__ = ()
    mlir_name, width, is_float = "f16", 16, True


class BFloat16(Numeric):
    """bfloat16."""

    __slots__ = ()
    mlir_name, width, is_float = "bf16", 16, True


class Float32(Numeric):
    """IEEE single precision."""

    __slots__ = ()
    mlir_name, width, is_float = "f32", 32, True


class Float64(Numeric):
    """IEEE double precision."""

    __slots__ = ()
    mlir_name, width, is_float = "f64", 64, True


class Float8E4M3FN(Numeric):
    """OCP 8-bit float, 4 exponent bits."""

    __slots__ = ()
    mlir_name, width, is_float = "f8E4M3FN", 8, True


class Float8E4M3FNUZ(Numeric):
    """8-bit float, 4 exponent bits, no negative zero."""

    __slots__ = ()
    mlir_name, width, is_float = "f8E4M3FNUZ", 8, True


class Float8E5M2(Numeric):
    """OCP 8-bit float, 5 exponent bits."""

    __slots__ = ()
    mlir_name, width, is_float = "f8E5M2", 8, True


class Float8E8M0FNU(Numeric):
    """Power-of-two scale of the microscaling formats."""

    __slots__ = ()
    mlir_name, width, is_float = "f8E8M0FNU", 8, True


class Float6E2M3FN(Numeric):
    """OCP 6-bit float, 2 exponent bits."""

    __slots__ = ()
    mlir_name, width, is_float = "f6E2M3FN", 6, True


class Float6E3M2FN(Numeric):
    """OCP 6-bit float, 3 exponent bits."""

    __slots__ = ()
    mlir_name, width, is_float = "f6E3M2FN", 6, True


class Float4E2M1FN(Numeric):
    """OCP 4-bit float."""

    __slots__ = ()
    mlir_name, width, is_float = "f4E2M1FN", 4, True


def as_numeric(value: Any) -> Numeric:
    """`value` as a scalar of the language: a Numeric stays, a Python number gets its default type.

    A leaf of an int tuple is a scalar too.
    """
    if isinstance(value, Numeric):
        return value
    if isinstance(value, bool | int | float):
        return python_type(value).wrap(value)
    scalar = getattr(value, "__fly_scalar__", None)
    return operators.from_ir_value(value) if scalar is None else scalar()
