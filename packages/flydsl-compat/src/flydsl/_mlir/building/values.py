"""Values in and out of builders: those of the language, SSA values, Python numbers; and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from flydsl.backend.language import Operand, current, numeric_by_type, vector_class
from flydsl.base.errors import FrontendError
from flydsl.expr import Numeric, Pointer, Tensor, Vector, as_numeric

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

_SPACES = {"generic": 0, "global": 1, "shared": 3, "register": 5}
"""LLVM's numbers of the address spaces that every target of these kernels has."""


class View:
    """A type seen through MLIR's properties, as `ir.IntegerType(t)` gives it: equal to the type, and taken for it."""

    __slots__ = ("attribute",)

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute

    def __eq__(self, other: object) -> bool:
        return self.attribute == (other.attribute if isinstance(other, View) else other)

    def __hash__(self) -> int:
        return hash(self.attribute)

    def __str__(self) -> str:
        return str(self.attribute)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


def is_type(value: object) -> bool:
    """Whether a value is a type, in one of the forms that `type_of` takes."""
    from xdsl.ir import TypeAttribute

    if isinstance(value, type):
        return issubclass(value, Numeric) or vector_class(value) is not None
    return isinstance(value, View | TypeAttribute)


def type_of(value: object) -> Attribute:
    """The IR type of a numeric or vector type of the language, of one of `ir`, or of MLIR's text."""
    from xdsl.ir import TypeAttribute

    if isinstance(value, View):
        return value.attribute
    if isinstance(value, TypeAttribute):
        return value
    if isinstance(value, str):
        from flydsl.backend.text import parse_type

        return parse_type(value)
    if isinstance(value, type) and issubclass(value, Numeric):
        return value.ir_type_of()
    kind = vector_class(value)
    if kind is not None:
        return Vector.make_type(kind.shape, kind.dtype)
    raise FrontendError(f"a type is needed, such as T.f32(), ir.Type.parse('!llvm.ptr') or fx.Float32; found {value!r}")


def is_number(value: object) -> TypeGuard[bool | int | float | Numeric]:
    """Whether a value is a Python number, or a scalar that is known while tracing: its type can follow another's."""
    return isinstance(value, bool | int | float) or (isinstance(value, Numeric) and bool(value.is_static))


def raw(value: object, like: Attribute | None = None) -> SSAValue:
    """The SSA value of an operand; a Python number has the type `like`, or the one that the language gives it.

    A pointer or tensor of the language is its address: `!llvm.ptr` in its own address space.
    """
    from xdsl.ir import SSAValue

    if isinstance(value, SSAValue):
        return value
    if is_number(value):
        return _constant(value, like)
    if isinstance(value, Operand):
        return value.ir_value()  # type: ignore[attr-defined, no-any-return]
    if isinstance(value, Pointer | Tensor):
        return address(value)
    if hasattr(value, "ir_value"):
        return value.ir_value()  # type: ignore[no-any-return]
    if hasattr(value, "result"):  # an operation stands for its result
        return raw(value.result)
    raise FrontendError(f"an operand is a value of the language, an SSA value or a number; found {value!r}")


def address(value: Pointer | Tensor | SSAValue, space: int | None = None) -> SSAValue:
    """The address of a pointer or tensor as `!llvm.ptr<space>`, by default in its own address space.

    It may be an SSA value; one that is an address already is converted to the address space.
    """
    from xdsl.ir import SSAValue

    if isinstance(value, SSAValue):
        if value.type.name == "llvm.ptr":
            return _in_space(value, space)
        value = current().box(value)
    if not isinstance(value, Pointer | Tensor):
        raise FrontendError(f"an address is that of a tensor or pointer, found {value!r}")
    pointer = value.iter if isinstance(value, Tensor) else value
    name = str(getattr(pointer.address_space, "data", ""))
    number = _SPACES.get(name, 0) if space is None else space
    emitter = current()
    attributes = {"llvm_address_space": emitter.integer(number)} if number else {}
    return emitter.fly("to_llvm_ptr", [pointer.ir_value()], attributes)


def _in_space(value: SSAValue, space: int | None) -> SSAValue:
    wanted = value.type if space is None else type_of(f"!llvm.ptr<{space}>" if space else "!llvm.ptr")
    return value if value.type == wanted else current().value("llvm.addrspacecast", [value], wanted)


def wrapped(value: SSAValue) -> object:
    """The value of the language for an SSA value; the SSA value itself where there is none, as of `!llvm.ptr`."""
    kind = value.type
    return current().box(value) if kind in numeric_by_type() or vector_class(kind) is not None else value


def _constant(value: bool | int | float | Numeric, like: Attribute | None) -> SSAValue:
    kind = vector_class(like)
    if kind is not None:
        return Vector.filled(kind.shape, value, kind.dtype).ir_value()
    dtype = None if like is None else numeric_by_type().get(like)
    return (as_numeric(value) if dtype is None else dtype(value)).ir_value()
