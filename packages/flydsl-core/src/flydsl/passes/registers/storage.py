"""Storage types: what registers hold for the element types of tensors."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness
from xdsl.ir import Attribute

from flydsl.ir.fly.element import element_bits

_NARROWEST_FLOAT = 16


@cache
def storage_type(element: Attribute) -> Attribute:
    """The element, or the integer of its width for floats that LLVM does not have (fp8, fp6, fp4) and for signs."""
    if isinstance(element, AnyFloat) and element_bits(element) < _NARROWEST_FLOAT:
        return IntegerType(element_bits(element))
    if isinstance(element, IntegerType) and element.signedness.data is not Signedness.SIGNLESS:
        return IntegerType(element.width.data)
    return element
