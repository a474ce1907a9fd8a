"""Base of values with layout information: a payload of the algebra and, when dynamic, an SSA value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, SupportsIndex

from flydsl.expr.tracing.context import current
from flydsl.expr.tracing.unsupported import NoUnknownAttributes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.values.traced_types import Structure


class StructuredValue(NoUnknownAttributes):
    """An int tuple, layout, tile, ... of the language.

    A static value is its payload alone; it becomes an op only as the operand of another op.
    """

    __slots__ = ("_value", "payload")
    _kind: ClassVar[str] = "value"
    payload: Any
    _value: Any

    def __init__(self, value: Any, ssa: SSAValue | None = None) -> None:
        """`value` is the payload, or an SSA value of the type that carries it, or another value of this kind."""
        if isinstance(value, StructuredValue):
            self.payload, self._value = value.payload, value._value
        elif ssa is None and hasattr(value, "owner") and hasattr(value, "type"):  # an SSA value
            self.payload, self._value = getattr(value.type, "value", value.type), value
        else:
            self.payload, self._value = value, ssa

    @property
    def is_static(self) -> bool:
        """Whether the value is known while tracing."""
        return self._value is None

    @property
    def ir_type(self) -> Attribute:
        """The fly type, which carries all layout information."""
        return current().fly_type(self.payload) if self._value is None else self._value.type

    def ir_value(self) -> SSAValue:
        """The SSA value; that of a static value is the result of `fly.static`."""
        return current().static(current().fly_type(self.payload)) if self._value is None else self._value

    def _apply(self, name: str, *others: StructuredValue, **attributes: int | Sequence[int]) -> Structure:
        """The algebra's function `name` of this value and others."""
        from flydsl.expr.layouts.evaluate import apply  # which creates values of subclasses

        return apply(name, self, *others, **attributes)

    def _get(self, mode: SupportsIndex | Sequence[SupportsIndex]) -> Structure:
        """The sub-tree at `mode`, an index or a path of indices."""
        path = mode if isinstance(mode, tuple | list) else (mode,)
        return self._apply("get", mode=tuple(index.__index__() for index in path))

    def _layout(self) -> StructuredValue:
        """The layout of this value as an operand of layout functions."""
        return self

    def _check_coord(self, coord: StructuredValue) -> None:
        """Refuse a coordinate that is statically out of bounds; only storage has bounds."""

    def __extract_to_ir_values__(self) -> list[SSAValue]:
        return [] if self._value is None else [self._value]

    def __construct_from_ir_values__(self, values: list[SSAValue]) -> Self:
        return type(self)(self.payload, values[0]) if values else self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.payload})"
