"""MLIR types by name (`fx.T.f32`, `fx.T.i32x4`): for operations that take a type of the IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from flydsl.expr.numbers.base import Numeric

__all__ = ["T", "Types"]

_SCALARS = ("bf16", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "index")
_VECTORS = (
    *("bf16x2", "bf16x4", "bf16x8", "f16x2", "f16x4", "f16x8", "f32x2", "f32x4"),
    *("i8x2", "i8x4", "i8x8", "i8x16", "i16x2", "i16x4", "i16x8", "i32x2", "i32x4", "i64x2"),
)


class Types:
    """The MLIR types of scalars and small vectors as attributes, and `vec(n, element)` for other vectors.

    They load the IR when they are asked for.
    """

    __slots__ = ()

    def vec(self, n: int, elem: type[Numeric] | Attribute) -> Attribute:
        """The type of vectors of `n` elements of a numeric or MLIR type."""
        from xdsl.dialects.builtin import VectorType

        from flydsl.ir.fly.element import element_type

        return VectorType(element_type(elem), [n])

    def __dir__(self) -> list[str]:
        return [*_SCALARS, *_VECTORS, "vec"]


def _scalar(name: str) -> property:
    def read(self: Types) -> Attribute:
        from flydsl.expr.numbers.mlir_types import scalar_type

        return scalar_type(name)

    return property(read, doc=f"The MLIR type {name}.")


def _vector(name: str) -> property:
    element, _, count = name.rpartition("x")

    def read(self: Types) -> Attribute:
        return self.vec(int(count), getattr(self, element))

    return property(read, doc=f"The MLIR type vector<{count}x{element}>.")


for _name in _SCALARS:
    setattr(Types, _name, _scalar(_name))
for _name in _VECTORS:
    setattr(Types, _name, _vector(_name))

T = Types()
