"""A target's own functions of the language, `fx.<name>`: which chips have them, the running trace, operands, types."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flydsl.base.errors import UnsupportedTargetError
from flydsl.base.location import user_location
from flydsl.base.namespace import lazy_names, public_names
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.memory.memory_format import memory_dtype
from flydsl.expr.numbers.operands import Operand
from flydsl.expr.numbers.registry import as_dtype, numeric_by_type
from flydsl.expr.numbers.vector import vector_class
from flydsl.expr.operations import select
from flydsl.expr.tracing.context import current, is_tracing
from flydsl.expr.values.operand_types import CoordLike, IntLike, LayoutLike

if TYPE_CHECKING:  # loaded when they are asked for
    from flydsl.frontend.control.ranges import loop_range
    from flydsl.frontend.control.regions import emit_for, emit_if

__all__ = [
    "CoordLike",
    "IntLike",
    "LayoutLike",
    "Operand",
    "StructuredValue",
    "TargetNamespace",
    "as_dtype",
    "current",
    "emit_for",
    "emit_if",
    "is_tracing",
    "loop_range",
    "memory_dtype",
    "numeric_by_type",
    "public_names",
    "select",
    "user_location",
    "vector_class",
]

__getattr__ = lazy_names(
    __name__,
    {
        "emit_for": "flydsl.frontend.control.regions",
        "emit_if": "flydsl.frontend.control.regions",
        "loop_range": "flydsl.frontend.control.ranges",
    },
)


@dataclass(frozen=True)
class TargetNamespace:
    """A namespace such as `fx.tiny` with functions of the `chips` of one `backend`; `device` names them in errors."""

    namespace: str
    backend: str
    device: str
    chips: tuple[str, ...]

    def arch(self, name: str) -> str:
        """The architecture of the running trace; UnsupportedTargetError, for function `name`, in another backend's."""
        target = current().target
        if target.backend != self.backend:
            raise UnsupportedTargetError(
                f"{self.namespace}.{name} needs {self.device}, and this is compiled by backend {target.backend!r} "
                f"for {target.arch!r}; guard it with the target, or use backend {self.backend!r}"
            )
        return target.arch

    def require(self, name: str, chip: str, having: Collection[str], *, in_kernel: bool = True) -> None:
        """UnsupportedTargetError unless `chip` is among those `having` function `name`.

        With `in_kernel` also FrontendError outside of device code.
        """
        if chip not in having:
            those = [candidate for candidate in self.chips if candidate in having]
            raise UnsupportedTargetError(
                f"{chip} has no {self.namespace}.{name}; chips that have it: {', '.join(those)}"
            )
        if in_kernel:
            current().require_kernel(f"{self.namespace}.{name}")
