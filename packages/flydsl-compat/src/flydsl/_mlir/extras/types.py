"""Types by short names, as functions: `T.i32()`, `T.vector(4, T.f32())`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import type_of
from flydsl._mlir.ir import VectorType

if TYPE_CHECKING:
    from xdsl.ir import Attribute

__all__ = ["VectorType", "bool", "i", "vector"]

_NAMES = {
    **{name: name for name in ("i8", "i16", "i32", "i64", "i128", "f16", "bf16", "f32", "f64", "index")},
    **{"i1": "i1", "f8E4M3FN": "f8E4M3FN", "f8E5M2": "f8E5M2", "f8E4M3FNUZ": "f8E4M3FNUZ", "f8E5M2FNUZ": "f8E5M2FNUZ"},
    **{"f4E2M1FN": "f4E2M1FN", "f8E8M0FNU": "f8E8M0FNU", "f6E2M3FN": "f6E2M3FN", "f6E3M2FN": "f6E3M2FN"},
}


def i(width: int) -> Attribute:
    """The integer type of a width in bits."""
    return type_of(f"i{width}")


def vector(*shape_and_element: Any) -> Attribute:
    """`vector(4, 8, T.f32())`: the type of vectors of a shape and an element type."""
    *shape, element = shape_and_element
    return VectorType.get(shape, element)


def bool() -> Attribute:
    """The type of truth values, `i1`."""
    return type_of("i1")


def __getattr__(name: str) -> Callable[[], Attribute]:
    """The function of a scalar type."""
    text = _NAMES.get(name)
    if text is None:
        refuse(__name__, name, (*_NAMES, *__all__), "parse it: ir.Type.parse('...')")

    def scalar_type() -> Attribute:
        return type_of(text)

    scalar_type.__name__ = scalar_type.__qualname__ = name
    scalar_type.__doc__ = f"The type `{text}`."
    return scalar_type
