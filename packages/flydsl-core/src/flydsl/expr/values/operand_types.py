"""Type aliases of operands: shapes, layouts, scalars, ... in the forms that functions of the language accept.

Annotations are text while a program runs: nothing here is evaluated, and nothing is imported for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsFloat, SupportsIndex, TypeAlias, TypeVar

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl import layout as algebra
    from flydsl.expr.layouts.int_tuple import Basis
    from flydsl.expr.layouts.layout import LayoutValue, Tile
    from flydsl.expr.layouts.value import StructuredValue
    from flydsl.expr.memory.pointer import Pointer
    from flydsl.expr.memory.storage import Storage
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.numbers.arithmetic import Arithmetic
    from flydsl.expr.numbers.operands import Operand
    from flydsl.expr.numbers.vector import Vector
    from flydsl.expr.numeric import Float, Numeric

Structured = TypeVar("Structured", bound="StructuredValue")
"""An int tuple, layout, tile or tensor: many functions return the type of their operand."""

Layered = TypeVar("Layered", bound="LayoutValue | Tensor")
"""A layout or tensor."""

MemoryLike: TypeAlias = "Tensor | Pointer | Storage"
"""Memory: a tensor, an address of elements, or what an allocation gave."""

IntLike: TypeAlias = SupportsIndex
"""An integer: of Python or NumPy, a scalar such as `fx.Int32`, or a leaf of an int tuple."""

ScalarLike: TypeAlias = SupportsFloat | SupportsIndex
"""A number: of Python or NumPy, a scalar of the language, or a leaf of an int tuple."""

VectorLike: TypeAlias = "Vector | ScalarLike"
"""An operand of arithmetic: a vector, or a number, which is broadcast."""

ArithmeticLike: TypeAlias = "Operand | VectorLike"
"""The same for functions below the classes of vectors and scalars, which know them by their base."""

IntTupleLike: TypeAlias = "IntLike | Basis | algebra.Basis | tuple[IntTupleLike, ...] | Sequence[IntLike | None] | None"
"""An int tuple: integers, basis elements, None (keep the mode) and tuples of them, nested to any depth."""

ShapeLike: TypeAlias = IntTupleLike
"""Extents in elements, one for each mode; nested like the modes."""

StrideLike: TypeAlias = IntTupleLike
"""Distances in elements, or basis elements, congruent with a shape."""

CoordLike: TypeAlias = IntTupleLike
"""A coordinate, congruent with a shape; None keeps the mode, as in `x[None, 3]`."""

FullCoord: TypeAlias = "IntLike | tuple[FullCoord, ...]"
"""A coordinate without None, which selects one element."""

LayoutLike: TypeAlias = "LayoutValue | algebra.Layout | algebra.ComposedLayout | ShapeLike"
"""A layout, or a shape that stands for its compact column-major layout."""

LayoutSource: TypeAlias = "StructuredValue | LayoutLike"
"""A layout, or something that has one, such as a tensor."""

TileMode: TypeAlias = "LayoutValue | Tile | algebra.Layout | algebra.Tile | IntLike | None"
"""The divisor of one mode: an extent, a layout, a nested tile, or None (keep the mode)."""

TilerLike: TypeAlias = "TileMode | tuple[TilerLike, ...] | Sequence[TileMode]"
"""A divisor: a layout, or a tile, tuple or list of one divisor for each mode."""

StructuredLike: TypeAlias = "StructuredValue | IntTupleLike"
"""An int tuple, layout, tile or tensor."""

Value: TypeAlias = "Arithmetic | StructuredValue"
"""A value of the language that is numbers, layout or memory: it has an SSA value when it is an operand."""

OperandLike: TypeAlias = "Value | SSAValue | ScalarLike"
"""An operand of an operation: a value of the language, an SSA value, or a number."""

NumericType: TypeAlias = "type[Numeric]"
"""A numeric type: `fx.Float32`, `fx.Int32`, ..."""

Number: TypeAlias = bool | int | float
"""A Python number: the value of a scalar that is known while tracing."""

VectorT = TypeVar("VectorT", bound="Vector")
"""A vector type that an argument names: `pointer.load(fx.Float32x4)`."""

ArithmeticT = TypeVar("ArithmeticT", bound="Numeric | Vector")
"""A scalar or vector: the result is of the type of the operand."""

FloatT = TypeVar("FloatT", bound="Float | Vector")
"""A float or a vector of floats."""

NumericT = TypeVar("NumericT", bound="Numeric")
"""A numeric type that an argument names: `x.to(fx.Float32)` is an `fx.Float32`."""

ElementType: TypeAlias = "type[Numeric] | type[Vector] | Attribute"
"""The type of a load: a numeric type, a vector type such as `fx.Float32x4`, or an MLIR type."""

StorableType: TypeAlias = object
"""A type whose values can be stored in memory: a numeric type, `fx.Array[T, n]`, `fx.Align[T, n]`, a struct, or a
user-defined type with the methods of `fx.Storable`. Type checkers have no type for such expressions."""

StoredValue: TypeAlias = "object"
"""A value to store in memory; which ones are allowed depends on the type that is stored."""

PredicateTensor: TypeAlias = "Tensor"
"""A register tensor of `fx.Boolean`, one flag for each call of an atom."""
