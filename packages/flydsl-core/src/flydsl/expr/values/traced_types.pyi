"""Static types of values whose kind only the trace knows; for type checkers, never imported by a program.

An element of a tensor is an `fx.Float32`, an `fx.Int8`, ...: which one, the arguments of the call decide. To a type
checker it is a `Scalar`, which counts as each of them: it may go where an `fx.Float32` is expected, and it is no `int`
and no `str`. `Structure` is the same for the results of the layout algebra.
"""

# An operand that counts as every numeric type breaks the rules of overriding and overlap, on purpose.
# mypy: disable-error-code="override, overload-overlap, misc"

from __future__ import annotations

from flydsl.expr.layouts.int_tuple import IntTuple
from flydsl.expr.layouts.layout import ComposedLayout, Layout, Swizzle, Tile
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.storage import Storage
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import (
    BFloat16,
    Boolean,
    Float4E2M1FN,
    Float6E2M3FN,
    Float6E3M2FN,
    Float8E4M3,
    Float8E4M3B11FNUZ,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    Float8E8M0FNU,
    Float16,
    Float32,
    Float64,
    Index,
    Int4,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Uint128,
)
from flydsl.expr.struct import Struct

class Scalar(
    Boolean,
    Int4,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Uint128,
    Index,
    Float16,
    BFloat16,
    Float32,
    Float64,
    Float8E4M3,
    Float8E4M3B11FNUZ,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    Float8E8M0FNU,
    Float6E2M3FN,
    Float6E3M2FN,
    Float4E2M1FN,
):
    """A number whose numeric type only the trace knows, such as an element of a tensor.

    The element of a coordinate tensor is a coordinate, whose modes are indexed.
    """

    def __getitem__(self, mode: int) -> IntTuple: ...

class Leaf(Scalar, int):
    """A leaf of an int tuple: a Python int where it is static, else an `fx.Int32` or `fx.Int64`."""

    def __getitem__(self, mode: int) -> IntTuple: ...

class ScalarOrVector(Scalar, Vector):
    """A vector where an operand is one, else a scalar."""

    def __getitem__(self, index: object) -> ScalarOrVector: ...

class Structure(Layout, IntTuple, ComposedLayout, Swizzle, Tile, Pointer, Tensor):
    """A layout, int tuple, pointer or tensor: of the kind that the operands of the function say."""

class StoredElement(Scalar, Storage):
    """An element of an array in memory: a number, or the storage of a record or array."""

    def __getitem__(self, index: object) -> StoredElement: ...

class Item(ScalarOrVector, Struct):
    """What a thread holds, in algorithms of several threads: a number, a vector, a record or a tuple of them."""

    def __getitem__(self, index: object) -> Item: ...
