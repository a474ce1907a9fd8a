"""Fields of an operation class: its operands, with what is read and written through them, and its attributes.

class PtrStoreOp(FlyOp):
    name = "fly.ptr.store"
    value, ptr = Operand(), Operand(WRITE)
    mode = OptionalAttr(int)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, overload

from xdsl.ir import SSAValue
from xdsl.traits import MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.fly.attributes import as_python

if TYPE_CHECKING:
    from flydsl.ir.fly.op import FlyOp

T = TypeVar("T")

READ, WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE
"""What an operation does to the memory that an operand leads to: `Operand(WRITE)`."""


class OperandField:
    """Base of operand fields; `least` and `most` (None: any number) say how many values one takes.

    `effect` is what the operation does to the memory that the operand points to; None when it does nothing.
    """

    least: ClassVar[int] = 1
    most: ClassVar[int | None] = 1

    def __init__(self, effect: MemoryEffectKind | None = None) -> None:
        self.effect = effect

    def __set_name__(self, owner: type[FlyOp], name: str) -> None:
        self.name = name
        self.index = len(owner.__dict__.get("operand_fields", ()))
        owner.operand_fields = (*owner.__dict__.get("operand_fields", ()), self)

    def values(self, op: FlyOp) -> Sequence[SSAValue]:
        """The operands of `op` that belong to this field."""
        operands = op._operands  # xDSL's `operands` is a view, and slower than what is asked of it here
        if not op.segmented:
            return operands[self.index :] if self.most is None else operands[self.index : self.index + 1]
        sizes = op.segment_sizes
        start = sum(sizes[: self.index])
        return operands[start : start + sizes[self.index]]


class Operand(OperandField):
    """One operand, always there."""

    @overload
    def __get__(self, op: None, owner: type[FlyOp]) -> Self: ...
    @overload
    def __get__(self, op: FlyOp, owner: type[FlyOp]) -> SSAValue: ...
    def __get__(self, op: FlyOp | None, owner: type[FlyOp]) -> Self | SSAValue:
        if op is None:
            return self
        return op._operands[op.operand_start(self.index) if op.segmented else self.index]


class OptionalOperand(OperandField):
    """One operand or none."""

    least = 0

    @overload
    def __get__(self, op: None, owner: type[FlyOp]) -> Self: ...
    @overload
    def __get__(self, op: FlyOp, owner: type[FlyOp]) -> SSAValue | None: ...
    def __get__(self, op: FlyOp | None, owner: type[FlyOp]) -> Self | SSAValue | None:
        if op is None:
            return self
        found = self.values(op)
        return found[0] if found else None


class VariadicOperand(OperandField):
    """Any number of operands; the last field of its operation."""

    least = 0
    most = None

    @overload
    def __get__(self, op: None, owner: type[FlyOp]) -> Self: ...
    @overload
    def __get__(self, op: FlyOp, owner: type[FlyOp]) -> tuple[SSAValue, ...]: ...
    def __get__(self, op: FlyOp | None, owner: type[FlyOp]) -> Self | tuple[SSAValue, ...]:
        return self if op is None else tuple(op.operands[op.operand_start(self.index) :])


class Attr(Generic[T]):
    """An attribute that must be there, as a Python value of type `kind`; `key` is its MLIR name if that differs."""

    required: ClassVar[bool] = True

    def __init__(self, kind: type[T] | tuple[type, ...], key: str = "") -> None:
        self.kind, self.key = kind, key

    def __set_name__(self, owner: type[FlyOp], name: str) -> None:
        self.key = self.key or name
        owner.attribute_fields = (*owner.__dict__.get("attribute_fields", ()), self)

    @overload
    def __get__(self, op: None, owner: type[FlyOp]) -> Self: ...
    @overload
    def __get__(self, op: FlyOp, owner: type[FlyOp]) -> T: ...
    def __get__(self, op: FlyOp | None, owner: type[FlyOp]) -> Self | T:
        return self if op is None else self.read(op)

    def read(self, op: FlyOp) -> Any:
        """The value on `op`; a missing or ill-typed one raises `VerifyException`."""
        attribute = op.get_attr_or_prop(self.key)
        if attribute is None:
            if self.required:
                raise VerifyException(f"{op.name} needs the attribute {self.key!r}")
            return None
        value = as_python(attribute)
        if not isinstance(value, self.kind):
            raise VerifyException(f"the attribute {self.key!r} of {op.name} cannot be {attribute}")
        return value


class OptionalAttr(Attr[T]):
    """An attribute that may be missing: then None."""

    required = False

    @overload  # type: ignore[override]
    def __get__(self, op: None, owner: type[FlyOp]) -> Self: ...
    @overload
    def __get__(self, op: FlyOp, owner: type[FlyOp]) -> T | None: ...
    def __get__(self, op: FlyOp | None, owner: type[FlyOp]) -> Self | T | None:
        return self if op is None else self.read(op)
