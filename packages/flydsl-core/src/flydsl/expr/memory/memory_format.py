"""The memory format of values: a Boolean is a byte, 0 or 1.

Registers may hold single bits, as in `make_rmem_tensor(n, fx.Boolean)`, which predicates are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Boolean, Int8, Numeric

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue


def memory_dtype(dtype: type[Numeric], element: Attribute | None = None) -> type[Numeric]:
    """The numeric type that represents `dtype` in memory with elements of the MLIR type `element`."""
    return Int8 if dtype is Boolean and element != Boolean.ir_type_of() else dtype


def loaded(dtype: type[Numeric], element: Attribute, value: SSAValue, shape: Sequence[int] | None = None) -> Any:
    """The scalar, or the vector of `shape`, of type `dtype`, from the loaded SSA value."""
    memory = memory_dtype(dtype, element)
    result = memory.wrap(value) if shape is None else Vector(value, tuple(shape), memory)
    return result if memory is dtype else result != 0


def stored(element: Attribute, value: Numeric | Vector) -> SSAValue:
    """The SSA value to store for a scalar or vector of the element type of the tensor or pointer."""
    memory = memory_dtype(value.dtype, element)
    return (value if memory is value.dtype else value.to(memory)).ir_value()
