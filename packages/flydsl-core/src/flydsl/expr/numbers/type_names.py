"""MLIR types by name (`fx.T.f32`, `fx.T.i32x4`): for operations that take a type of the IR."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from flydsl.expr.numbers.base import Numeric

__all__ = ["T", "Types"]


class Types:
    """The MLIR types of scalars and small vectors as attributes, and `vec(n, element)` for other vectors.

    The IR is loaded on first access.
    """

    __slots__ = ()

    bf16: Attribute
    f16: Attribute
    f32: Attribute
    f64: Attribute
    i8: Attribute
    i16: Attribute
    i32: Attribute
    i64: Attribute
    i128: Attribute
    index: Attribute
    bf16x2: Attribute
    bf16x4: Attribute
    bf16x8: Attribute
    f16x2: Attribute
    f16x4: Attribute
    f16x8: Attribute
    f32x2: Attribute
    f32x4: Attribute
    i8x2: Attribute
    i8x4: Attribute
    i8x8: Attribute
    i8x16: Attribute
    i16x2: Attribute
    i16x4: Attribute
    i16x8: Attribute
    i32x2: Attribute
    i32x4: Attribute
    i64x2: Attribute

    if not TYPE_CHECKING:  # type checkers know the names above alone

        def __getattr__(self, name: str) -> Attribute:
            if name not in Types.__annotations__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            from flydsl.expr.numbers.mlir_types import scalar_type

            vector = re.fullmatch(r"(\w+\d)x(\d+)", name)
            return self.vec(int(vector[2]), scalar_type(vector[1])) if vector else scalar_type(name)

    def vec(self, n: int, elem: type[Numeric] | Attribute) -> Attribute:
        """The type of vectors of `n` elements of a numeric or MLIR type."""
        from xdsl.dialects.builtin import VectorType

        from flydsl.ir.fly.element import element_type

        return VectorType(element_type(elem), [n])

    def __dir__(self) -> list[str]:
        return [*Types.__annotations__, "vec"]


T = Types()
