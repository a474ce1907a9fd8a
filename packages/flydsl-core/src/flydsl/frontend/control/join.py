"""Joining the values of two paths: pairs of one type, which an `if` yields.

A variable without a common type is undefined afterwards: reading it is an error, and most temporaries are not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from flydsl.base.errors import FrontendError
from flydsl.base.wording import with_article
from flydsl.expr.layouts.int_tuple import IntTuple
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.promotion import arithmetic_type
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Int32, Int64, Numeric, as_numeric
from flydsl.expr.tracing.context import current
from flydsl.frontend.control.pytree import flatten, ordered_like, structure
from flydsl.frontend.control.raw_values import RawValue, is_same_leaf
from flydsl.frontend.control.undefined import RETURNED, Absent, Undefined, undefined
from flydsl.ir.location import get_location
from flydsl.layout import Dyn


class Leaf:
    """A dynamic leaf of an int tuple, which becomes a scalar where it is needed."""

    __slots__ = ("dtype", "source")
    shape = None

    def __init__(self, source: IntTuple) -> None:
        self.source, self.dtype = source, Int64 if source.payload.width == 64 else Int32

    def to(self, dtype: type[Numeric]) -> Numeric:
        """The leaf as a scalar of type `dtype`, emitted here."""
        return as_numeric(self.source).to(dtype)


class Pending:
    """A number or vector that is converted to `dtype` where its path ends."""

    __slots__ = ("dtype", "source")

    def __init__(self, source: Any, dtype: type[Numeric]) -> None:
        self.source, self.dtype = source, dtype

    def materialized(self) -> Any:
        """The converted number or vector, emitted here."""
        return self.source.to(self.dtype)

    def ir_value(self) -> Any:
        """The converted SSA value, emitted here."""
        return self.materialized().ir_value()

    def __construct_from_ir_values__(self, values: list[Any]) -> Any:
        shape = self.source.shape
        return self.dtype.wrap(values[0]) if shape is None else Vector(values[0], shape, self.dtype)


def join(name: str, lhs: Any, rhs: Any) -> tuple[list[Any], list[Any], Any]:
    """The parts of a variable that differ between two paths, pair by pair of one type, and how to rebuild it.

    Each part has `ir_value()`, to be called at the end of its path; the third value maps joined SSA values to the
    variable.
    """
    if isinstance(lhs, Absent) or isinstance(rhs, Absent):
        lhs, rhs = (stand_in(rhs), rhs) if isinstance(lhs, Absent) else (lhs, stand_in(lhs))
    if isinstance(lhs, Undefined) or isinstance(rhs, Undefined):
        return _no_value(lhs if isinstance(lhs, Undefined) else rhs)
    rhs = ordered_like(rhs, lhs)
    left, build = flatten(lhs)
    right, _ = flatten(rhs)
    if structure(lhs) != structure(rhs):
        one, other = _shape(left, lhs), _shape(right, rhs)
        difference = f"has {one} on one path and {other}{' with other attributes' if one == other else ''} on the other"
        return _no_value(undefined(name, f"{difference}; make them alike"))
    pairs = [join_leaf(name, a, b) for a, b in zip(left, right, strict=True)]

    def finish(results: Sequence[Any]) -> Any:
        remaining = iter(results)
        return build([a if b is None else a.__construct_from_ir_values__([next(remaining)]) for a, b in pairs])

    return [a for a, b in pairs if b is not None], [b for _, b in pairs if b is not None], finish


def _no_value(value: Undefined) -> tuple[list[Any], list[Any], Any]:
    return [], [], lambda _: value


def stand_in(value: Any) -> Any:
    """A placeholder of the type of `value` that is never read: `value` itself if it is static, else zeros."""
    leaves, build = flatten(value)
    return build([_zeros(leaf) for leaf in leaves])


def _zeros(leaf: Any) -> Any:
    if isinstance(leaf, RawValue) and (value := leaf.boxed()) is not None:
        return _zeros(value)
    if isinstance(leaf, Vector):
        return Zeros(leaf.shape, leaf.dtype, leaf.extents)
    if isinstance(leaf, Numeric) and not leaf.is_static:
        return type(leaf).wrap(0)
    if isinstance(leaf, RawValue) or (isinstance(leaf, StructuredValue) and not leaf.is_static):
        raise FrontendError(
            f"{_describe(leaf)} is returned on some paths only; let every path return, with if and else, "
            "or return numbers"
        )
    return leaf


class Zeros:
    """A vector of zeros that is emitted where it is needed."""

    __slots__ = ("dtype", "extents", "shape")

    def __init__(self, shape: tuple[Any, ...], dtype: type[Numeric], extents: tuple[int, ...] | None = None) -> None:
        self.shape, self.dtype, self.extents = shape, dtype, shape if extents is None else extents

    def materialized(self) -> Vector:
        """The vector, emitted here."""
        return Vector(current().constant(self.dtype, 0, self.extents), self.shape, self.dtype)

    def ir_value(self) -> Any:
        """Its SSA value, emitted here."""
        return self.materialized().ir_value()

    def to(self, dtype: type[Numeric]) -> Zeros:
        """Zeros of another type."""
        return Zeros(self.shape, dtype, self.extents)

    def __construct_from_ir_values__(self, values: list[Any]) -> Vector:
        return Vector(values[0], self.shape, self.dtype)


def join_leaf(name: str, a: Any, b: Any, paths: tuple[str, str] = ("on one path", "on the other")) -> tuple[Any, Any]:
    """(a, b) of one type, (value, None) when both paths agree, (`Undefined`, None) when they cannot.

    `paths` names the two paths in messages.
    """
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return (a if isinstance(a, Undefined) else b), None
    if is_same_leaf(a, b) or _same_static(a, b):
        return a, None
    if isinstance(a, RawValue) or isinstance(b, RawValue):
        return _join_raw(name, a, b, paths)
    if isinstance(a, StructuredValue) and type(a) is type(b) and a.ir_type == b.ir_type and not a.is_static:
        return a, b
    if _is_number(a) and _is_number(b):
        return _join_numbers(name, a, b, paths)
    return undefined(name, f"{_difference(a, b, paths)}; {_advice(name, a, b)}"), None


def _join_raw(name: str, a: Any, b: Any, paths: tuple[str, str]) -> tuple[Any, Any]:
    """Bare SSA values of one type as they are; one with a number or another value, as the value that stands for it."""
    if isinstance(a, RawValue) and isinstance(b, RawValue) and a.ir_type == b.ir_type:
        return a, b
    x, y = (value.boxed() if isinstance(value, RawValue) else value for value in (a, b))
    if x is None or y is None:
        return undefined(name, f"{_difference(a, b, paths)}; {_advice(name, a, b)}"), None
    return join_leaf(name, x, y, paths)


def _advice(name: str, a: Any, b: Any) -> str:
    if a is None or b is None:
        if name == RETURNED:
            return "a function that returns a value returns one on every path: end it with a return"
        return "give it a number of the right type before, as in `x = fx.Float32(0)`"
    return "which one it is must be known while tracing: make both of one type"


def _join_numbers(name: str, a: Any, b: Any, paths: tuple[str, str]) -> tuple[Any, Any]:
    x, y = _number(a), _number(b)
    if x.shape != y.shape:
        return undefined(name, f"{_difference(x, y, paths)}; make their shapes equal"), None
    dtype = x.dtype if x.dtype is y.dtype else arithmetic_type(x.dtype, y.dtype)
    first, second = (
        Pending(value, dtype) if isinstance(value, Leaf) or value.dtype is not dtype else value for value in (x, y)
    )
    return first, second


def _number(value: Any) -> Any:
    if isinstance(value, Vector | Zeros):
        return value
    return Leaf(value) if isinstance(value, IntTuple) and not value.is_static else as_numeric(value)


def _is_number(value: Any) -> bool:
    if isinstance(value, IntTuple):
        return isinstance(value.payload, int | Dyn)
    return isinstance(value, Numeric | Vector | Zeros | bool | int | float)


def _same_static(a: Any, b: Any) -> bool:
    if isinstance(a, Numeric) and isinstance(b, Numeric):
        return type(a) is type(b) and bool(a.is_static and b.is_static) and _is_same_number(a.value, b.value)
    if isinstance(a, StructuredValue) and isinstance(b, StructuredValue):
        return a.is_static and b.is_static and a.payload == b.payload
    if isinstance(a, Arithmetic | StructuredValue) or isinstance(b, Arithmetic | StructuredValue):
        return False
    if type(a) is not type(b):
        return False
    return _is_same_number(a, b) if isinstance(a, float) else bool(a == b)


def _is_same_number(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)  # 0.0 and -0.0 differ, and NaN equals itself


def _shape(leaves: Sequence[Any], value: Any) -> str:
    return f"{len(leaves)} parts" if isinstance(value, tuple | list | dict) else f"{with_article(type(value).__name__)}"


def _difference(a: Any, b: Any, paths: tuple[str, str]) -> str:
    return f"is {_describe(a)}{_defined_at(a)} {paths[0]} and {_describe(b)}{_defined_at(b)} {paths[1]}"


def _defined_at(value: Any) -> str:
    """The line that computes a value, for messages; empty if it is unknown."""
    ssa = getattr(value, "value" if isinstance(value, Numeric | Vector | RawValue) else "_value", None)
    owner = getattr(ssa, "owner", None)
    line = get_location(owner) if isinstance(owner, Operation) else None
    return f" computed at line {line.line}" if line is not None else ""


def _describe(value: Any) -> str:
    if isinstance(value, RawValue):
        return f"an SSA value of type {value.ir_type}"
    if isinstance(value, StructuredValue):
        return f"{with_article(type(value).__name__)} of type {value.ir_type}"
    if isinstance(value, Numeric):
        return repr(value) if value.is_static else f"a dynamic {type(value).__name__}"
    if isinstance(value, Vector | Zeros):
        return f"a vector of {value.shape} {value.dtype.__name__}"
    return "None" if value is None else f"a Python {type(value).__name__} ({value!r})"
