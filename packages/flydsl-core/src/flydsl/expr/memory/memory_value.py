"""The base of pointers and tensors: typed elements in an address space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.memory.address_space import element_numeric
from flydsl.expr.numeric import Numeric

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue


class Addressed(StructuredValue):
    """Typed elements in an address space: always an SSA value.

    The numeric type of the elements is kept with the value, because the MLIR type has no sign.
    """

    __slots__ = ("_dtype",)

    def __init__(self, value: Any, ssa: SSAValue | None = None, dtype: type[Numeric] | None = None) -> None:
        super().__init__(value, ssa)
        self._dtype = dtype or getattr(value, "_dtype", None) or element_numeric(self.payload)

    @property
    def is_static(self) -> bool:
        """False: an address is never known while tracing."""
        return False

    def __construct_from_ir_values__(self, values: list[Any]) -> Self:
        return type(self)(self.payload, values[0], self._dtype)

    @property
    def value_type(self) -> Attribute:
        """The MLIR type of the elements."""
        return self.payload.element  # type: ignore[no-any-return]

    @property
    def address_space(self) -> Attribute:
        """The address space attribute."""
        return self.payload.space  # type: ignore[no-any-return]

    memspace = address_space

    @property
    def alignment(self) -> int:
        """Guaranteed alignment of the first element, in bytes."""
        return self.payload.align  # type: ignore[no-any-return]

    @property
    def type(self) -> Attribute:  # the last name: it hides the builtin one from annotations
        """The MLIR type, which tells the element type, the address space and, of a tensor, the layout."""
        return self.ir_type
