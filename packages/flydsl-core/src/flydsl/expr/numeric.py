"""The numeric types of the language (`fx.Int32`, ...)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.expr.numbers.base import Float, Integer, Numeric
from flydsl.expr.numbers.meta import NumericMeta
from flydsl.expr.numbers.operands import as_numeric
from flydsl.expr.numbers.registry import register

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from flydsl.expr.numbers.operator_types import WideFloat, WideInteger
    from flydsl.expr.values.operand_types import ScalarLike
else:
    WideFloat, WideInteger = Float, Integer  # their operators have types of their own

__all__ = [
    "BFloat16",
    "Boolean",
    "Float",
    "Float4E2M1FN",
    "Float6E2M3FN",
    "Float6E3M2FN",
    "Float8E4M3",
    "Float8E4M3B11FNUZ",
    "Float8E4M3FN",
    "Float8E4M3FNUZ",
    "Float8E5M2",
    "Float8E5M2FNUZ",
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
    "Integer",
    "Numeric",
    "NumericMeta",
    "Uint8",
    "Uint16",
    "Uint32",
    "Uint64",
    "Uint128",
    "as_numeric",
]


class Boolean(Integer, width=1, ir_type="i1", signed=True, np_dtype="bool"):
    """A truth value, MLIR's i1; 0 or 1 in arithmetic, one byte in memory."""

    __slots__ = ()

    def __init__(self, a: ScalarLike | SSAValue = 0) -> None:
        super().__init__(a)


class Int4(Integer, width=4, ir_type="i4", signed=True):
    """Signed 4-bit integer."""

    __slots__ = ()


class Int8(Integer, width=8, ir_type="i8", signed=True, np_dtype="int8"):
    """Signed 8-bit integer."""

    __slots__ = ()


class Int16(Integer, width=16, ir_type="i16", signed=True, np_dtype="int16"):
    """Signed 16-bit integer."""

    __slots__ = ()


class Int32(WideInteger, width=32, ir_type="i32", signed=True, np_dtype="int32"):
    """Signed 32-bit integer."""

    __slots__ = ()


class Int64(WideInteger, width=64, ir_type="i64", signed=True, np_dtype="int64"):
    """Signed 64-bit integer."""

    __slots__ = ()


class Int128(WideInteger, width=128, ir_type="i128", signed=True):
    """Signed 128-bit integer."""

    __slots__ = ()


class Uint8(Integer, width=8, ir_type="i8", signed=False, np_dtype="uint8"):
    """Unsigned 8-bit integer."""

    __slots__ = ()


class Uint16(Integer, width=16, ir_type="i16", signed=False, np_dtype="uint16"):
    """Unsigned 16-bit integer."""

    __slots__ = ()


class Uint32(WideInteger, width=32, ir_type="i32", signed=False, np_dtype="uint32"):
    """Unsigned 32-bit integer."""

    __slots__ = ()


class Uint64(WideInteger, width=64, ir_type="i64", signed=False, np_dtype="uint64"):
    """Unsigned 64-bit integer."""

    __slots__ = ()


class Uint128(WideInteger, width=128, ir_type="i128", signed=False):
    """Unsigned 128-bit integer."""

    __slots__ = ()


class Index(WideInteger, width=64, ir_type="index", signed=False):
    """MLIR's index: unsigned, 64 bits on every target."""

    __slots__ = ()


class Float16(Float, width=16, ir_type="f16", np_dtype="float16"):
    """IEEE half precision."""

    __slots__ = ()


class BFloat16(Float, width=16, ir_type="bf16"):
    """bfloat16: 8 exponent bits, 7 mantissa bits."""

    __slots__ = ()


class Float32(WideFloat, width=32, ir_type="f32", np_dtype="float32"):
    """IEEE single precision."""

    __slots__ = ()


class Float64(WideFloat, width=64, ir_type="f64", np_dtype="float64"):
    """IEEE double precision."""

    __slots__ = ()


class Float8E4M3(Float, width=8, ir_type="f8E4M3"):
    """IEEE-like 8-bit float, 4 exponent bits, with infinities."""

    __slots__ = ()


class Float8E4M3FN(Float, width=8, ir_type="f8E4M3FN"):
    """OCP 8-bit float, 4 exponent bits, no infinities."""

    __slots__ = ()


class Float8E4M3FNUZ(Float, width=8, ir_type="f8E4M3FNUZ"):
    """8-bit float, 4 exponent bits, no infinities and no negative zero."""

    __slots__ = ()


class Float8E4M3B11FNUZ(Float, width=8, ir_type="f8E4M3B11FNUZ"):
    """8-bit float, 4 exponent bits of bias 11, no infinities and no negative zero."""

    __slots__ = ()


class Float8E5M2(Float, width=8, ir_type="f8E5M2"):
    """OCP 8-bit float, 5 exponent bits."""

    __slots__ = ()


class Float8E5M2FNUZ(Float, width=8, ir_type="f8E5M2FNUZ"):
    """8-bit float, 5 exponent bits, no infinities and no negative zero."""

    __slots__ = ()


class Float8E8M0FNU(Float, width=8, ir_type="f8E8M0FNU"):
    """OCP 8-bit power-of-two scale of the microscaling formats."""

    __slots__ = ()


class Float6E2M3FN(Float, width=6, ir_type="f6E2M3FN"):
    """OCP 6-bit float, 2 exponent bits."""

    __slots__ = ()


class Float6E3M2FN(Float, width=6, ir_type="f6E3M2FN"):
    """OCP 6-bit float, 3 exponent bits."""

    __slots__ = ()


class Float4E2M1FN(Float, width=4, ir_type="f4E2M1FN"):
    """OCP 4-bit float, 2 exponent bits, no infinities and no NaN."""

    __slots__ = ()


_CLASSES = [kind for kind in globals().values() if isinstance(kind, type) and issubclass(kind, Numeric)]
register(kind for kind in _CLASSES if kind.mlir_name)
