"""Atomic copy operations, which combine registers with memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.errors import FrontendError
from flydsl.expr.memory.atomics import has_atomics
from flydsl.expr.numeric import Numeric
from flydsl.expr.tiles.enums import AtomicOp

if TYPE_CHECKING:
    from xdsl.ir import Attribute

__all__ = [
    "CopyOpUniversalAtomicType",
    "UniversalAtomic",
    "UniversalAtomicAdd",
    "UniversalAtomicAnd",
    "UniversalAtomicDec",
    "UniversalAtomicInc",
    "UniversalAtomicMax",
    "UniversalAtomicMin",
    "UniversalAtomicOr",
]

_OF_FLOATS = (AtomicOp.Add, AtomicOp.Max, AtomicOp.Min)


class CopyOpUniversalAtomicType:
    """A copy that atomically replaces the destination by op(destination, source), on every target.

    `syncscope` names the threads that it is atomic for, by default those of the whole system.
    """

    __slots__ = ("atomic_op", "syncscope", "val_type")

    def __init__(self, atomic_op: AtomicOp, val_type: type[Numeric], syncscope: str = "") -> None:
        _check(atomic_op, val_type, syncscope)
        self.atomic_op, self.val_type, self.syncscope = atomic_op, val_type, syncscope

    @classmethod
    def get(cls, atomic_op: AtomicOp, val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:
        """The operation with this combination, element type and scope."""
        return cls(atomic_op, val_type, syncscope)

    @property
    def static_typeid(self) -> str:
        """The name of the kind of operation."""
        return self.typeid

    @property
    def typeid(self) -> str:
        """The name of the kind of operation in the dialect."""
        from flydsl.ir.fly.types import UniversalAtomicType

        return UniversalAtomicType.name

    def ir_type(self) -> Attribute:
        """`!fly.universal_atomic<op, type[, "scope"]>`; the type of unsigned numbers says so: `ui32`."""
        from xdsl.dialects.builtin import IntegerType, Signedness

        from flydsl.ir.fly.attributes import AtomicOp as Combination
        from flydsl.ir.fly.attributes import AtomicOpAttr
        from flydsl.ir.fly.types import UniversalAtomicType

        unsigned = not self.val_type.is_float and not self.val_type.is_signed
        element = IntegerType(self.val_type.width, Signedness.UNSIGNED) if unsigned else self.val_type.ir_type_of()
        return UniversalAtomicType(AtomicOpAttr(Combination(self.atomic_op.name.lower())), element, self.syncscope)


def UniversalAtomic(  # noqa: N802 - the names of operations are capitalised
    atomic_op: AtomicOp, val_type: type[Numeric], syncscope: str = ""
) -> CopyOpUniversalAtomicType:
    """Atomic copy: destination = atomic_op(destination, source)."""
    return CopyOpUniversalAtomicType(atomic_op, val_type, syncscope)


def UniversalAtomicAdd(val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:  # noqa: N802
    """Atomic copy: destination += source."""
    return UniversalAtomic(AtomicOp.Add, val_type, syncscope)


def UniversalAtomicMax(val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:  # noqa: N802
    """Atomic copy: destination = max(destination, source), ignoring a NaN."""
    return UniversalAtomic(AtomicOp.Max, val_type, syncscope)


def UniversalAtomicMin(val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:  # noqa: N802
    """Atomic copy: destination = min(destination, source), ignoring a NaN."""
    return UniversalAtomic(AtomicOp.Min, val_type, syncscope)


def UniversalAtomicAnd(val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:  # noqa: N802
    """Atomic copy: destination &= source."""
    return UniversalAtomic(AtomicOp.And, val_type, syncscope)


def UniversalAtomicOr(val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:  # noqa: N802
    """Atomic copy: destination |= source."""
    return UniversalAtomic(AtomicOp.Or, val_type, syncscope)


def UniversalAtomicInc(val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:  # noqa: N802
    """Atomic copy: the destination counts up to the source and wraps: 0 if it is >= source (unsigned), else + 1."""
    return UniversalAtomic(AtomicOp.Inc, val_type, syncscope)


def UniversalAtomicDec(val_type: type[Numeric], syncscope: str = "") -> CopyOpUniversalAtomicType:  # noqa: N802
    """Atomic copy: the destination counts down and wraps: source if it is 0 or > source (unsigned), else - 1."""
    return UniversalAtomic(AtomicOp.Dec, val_type, syncscope)


def _check(op: object, val_type: object, syncscope: object) -> None:
    if not isinstance(op, AtomicOp):
        raise FrontendError(f"an atomic copy takes one of fx.AtomicOp, found {op!r}")
    if not (isinstance(val_type, type) and issubclass(val_type, Numeric)):
        raise FrontendError(f"an atomic copy is of a numeric type such as fx.Int32, found {val_type!r}")
    if not isinstance(syncscope, str):
        raise FrontendError(f"a syncscope is the target's name of one, found {syncscope!r}")
    if not has_atomics(val_type):
        raise FrontendError(
            f"an atomic copy is of integers of 8 to 64 bits or floats of 16 to 64, found {val_type.__name__}"
        )
    if val_type.is_float and op not in _OF_FLOATS:
        possible = ", ".join(one.name for one in _OF_FLOATS)
        raise FrontendError(f"there is no atomic {op.name} on {val_type.__name__}; possible: {possible}")
