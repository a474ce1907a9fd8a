"""Bare SSA values in variables, as raw bindings give them: they pass through branches and loops as they are."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute, IRNode, SSAValue

from flydsl.base.errors import FrontendError
from flydsl.expr.values.wrap import box
from flydsl.frontend.control.undefined import Undefined

IR_OBJECTS = (SSAValue, Attribute, IRNode)
"""What the IR consists of: dataclasses that are no records of the user, and whose parts lead to the whole module."""


class RawValue:
    """A leaf that is an SSA value, of any type."""

    __slots__ = ("value",)

    def __init__(self, value: SSAValue) -> None:
        self.value = value

    @property
    def ir_type(self) -> Attribute:
        """Its type."""
        return self.value.type

    def ir_value(self) -> SSAValue:
        """The SSA value."""
        return self.value

    def boxed(self) -> Any:
        """The value of the language for it; None where there is none, as of an address of LLVM."""
        try:
            return box(self.value)
        except FrontendError:
            return None

    def __extract_to_ir_values__(self) -> list[SSAValue]:
        return [self.value]

    def __construct_from_ir_values__(self, values: list[SSAValue]) -> RawValue:
        return RawValue(values[0])


def leaf_of(value: SSAValue) -> object:
    """The value of the language for a part of an object, or the part as it is: an address of LLVM, a resource."""
    raw = RawValue(value)
    boxed = raw.boxed()
    return raw if boxed is None else boxed


def is_same_leaf(a: Any, b: Any) -> bool:
    """Whether two leaves are one value."""
    return a is b or (isinstance(a, RawValue) and isinstance(b, RawValue) and a.value is b.value)


def bare(leaf: Any) -> Any:
    """The SSA value that a variable gets back in place of a raw one; a stand-in without a value stays."""
    return leaf if isinstance(leaf, Undefined) or not hasattr(leaf, "ir_value") else leaf.ir_value()
