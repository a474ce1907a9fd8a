"""Single operations of arithmetic by the names that MLIR gives them, as `fx.arith.minsi(a, b)`.

Operands are values of the language, Python numbers beside one of them, and SSA values; results are values of the
language. The operators and functions of `fx` are the ones to write: these are what other kernels call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers import casts
from flydsl.expr.numbers.fast_math import FastMathFlags, Flags, overriding
from flydsl.expr.numbers.meta import NumericMeta
from flydsl.expr.numbers.operands import Operand, as_numeric, is_static, shaping
from flydsl.expr.numbers.operators import CMPF, CMPI, negate
from flydsl.expr.numbers.operators import select as select_operand
from flydsl.expr.numbers.registry import as_dtype, is_ssa_value, named, numeric_of_value
from flydsl.expr.numbers.vector import Vector, vector_class
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.values.traced_types import ScalarOrVector

SIGNED, UNSIGNED, FLOAT, ANY = "signed integers", "unsigned integers", "floats", "integers"
BINARY = {
    **dict.fromkeys(("addi", "subi", "muli", "andi", "ori", "xori", "shli"), ANY),
    **dict.fromkeys(("divsi", "remsi", "floordivsi", "ceildivsi", "minsi", "maxsi", "shrsi"), SIGNED),
    **dict.fromkeys(("divui", "remui", "ceildivui", "minui", "maxui", "shrui"), UNSIGNED),
    **dict.fromkeys(("addf", "subf", "mulf", "divf", "remf"), FLOAT),
    **dict.fromkeys(("maximumf", "minimumf", "maxnumf", "minnumf"), FLOAT),
}
"""The operations of two operands of one type, and what they take them for."""
CONVERSIONS = ("bitcast", "extf", "extsi", "extui", "fptosi", "fptoui", "sitofp", "truncf", "trunci", "uitofp")
_ALIASES = {"trunc_f": "truncf", "index_cast": "index_cast", "index_castui": "index_castui"}


def binary_operation(name: str) -> Callable[..., ScalarOrVector]:
    """The function `name` of two operands of one type."""

    def function(lhs: object, rhs: object, *, fastmath: Flags = None, **_: object) -> ScalarOrVector:
        a, b = _pair(name, lhs, rhs)
        target = shaping(name, a, b)
        dtype = _taken_for(name, target.dtype)
        values = [casts.broadcast_as(operand, target.dtype, target.extents) for operand in (a, b)]
        with overriding(fastmath):
            return target._like(current().value(f"arith.{name}", values, values[0].type), dtype)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`arith.{name}` of two {BINARY[name]} of one type."
    return function


def conversion(name: str) -> Callable[..., ScalarOrVector]:
    """The function `name` of a type and a value."""

    def function(result_type: object, value: object, *, fastmath: Flags = None, **_: object) -> ScalarOrVector:
        source = operand_of(name, value)
        dtype = _element(result_type)
        target = current().type(dtype, source.extents)
        raw = source.ir_value()
        if raw.type == target:
            return source._like(raw, dtype)  # type: ignore[return-value]
        with overriding(fastmath):
            return source._like(current().value(f"arith.{name}", [raw], target), dtype)  # type: ignore[return-value]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`arith.{name}` of a value to a type, an MLIR type or one of the language."
    return function


def constant(value: bool | int | float, *, type: object = None, index: bool = False) -> Numeric:
    """A number as a scalar of a type, by default i1, i32 or f32; with `index` an Index."""
    if index:
        return named("Index").wrap(int(value))
    return as_numeric(value) if type is None else as_dtype(type)(value)


def index(value: int) -> Numeric:
    """A number as an Index."""
    return named("Index").wrap(int(value))


def constant_vector(value: bool | int | float, vector_type: object) -> Vector:
    """A vector of a type, an MLIR type or an alias such as fx.Float32x4, with every element equal to `value`."""
    kind = vector_class(vector_type)
    if kind is None:
        raise FrontendError(f"constant_vector takes a vector type such as fx.Float32x4, found {vector_type!r}")
    return Vector.filled(kind.shape, value, kind.dtype)


def select(condition: object, if_true: object, if_false: object) -> ScalarOrVector:
    """`if_true` where the condition is not zero, else `if_false`; one of them may be a Python number."""
    return select_operand(
        operand_of("select", condition),
        operand_of("select", if_true),
        operand_of("select", if_false),
    )


def unwrap(value: object, *, type: object = None, index: bool = False) -> SSAValue:
    """The SSA value of a value of the language or of a Python number, converted to a type or to an index if given.

    An SSA value of any other type, such as an address, is itself.
    """
    if type is None and not index and is_ssa_value(value):
        return value
    operand: Any = operand_of("unwrap", value)
    if index or type is not None:
        dtype = named("Index") if index else as_dtype(type)
        operand = operand.to(dtype)
    return operand.ir_value()  # type: ignore[no-any-return]


def negf(value: object, *, fastmath: Flags = None, **_: object) -> ScalarOrVector:
    """`arith.negf` of a float or a vector of floats."""
    operand = operand_of("negf", value)
    if not operand.dtype.is_float:
        raise FrontendError(f"negf takes {FLOAT}, found {operand.dtype.__name__}")
    with overriding(fastmath):
        return negate(operand)


def current_fastmath() -> str | None:
    """The fast-math flags of the surrounding `with fx.fastmath(...)` as text, None without."""
    flags = FastMathFlags(current().fast_math)
    return ",".join(flag.name for flag in flags if flag.name) or None


class _ValueForm(type):
    """The metaclass of `ArithValue`: scalars and vectors are instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Operand)


class ArithValue(metaclass=_ValueForm):
    """`ArithValue(v, signed=None)`: the scalar or vector of an SSA value, with the operators of the language."""

    def __new__(cls, value: object, signed: bool | None = None) -> ScalarOrVector:  # type: ignore[misc]
        """The value itself; with `signed`, of the integer type with or without a sign."""
        operand: Any = operand_of("ArithValue", value)
        if signed is None or operand.dtype.is_float or operand.dtype.width == 1 or operand.dtype is named("Index"):
            return operand  # type: ignore[no-any-return]
        return operand._like(operand.ir_value(), named(f"{'Int' if signed else 'Uint'}{operand.dtype.width}"))  # type: ignore[no-any-return]


def operation_class(name: str) -> Callable[..., object]:
    """What `AddFOp(a, b)` and the like of the raw bindings give: an object whose `.result` is the value."""
    function = lookup(name.removesuffix("Op").lower() if name != "IndexCastOp" else "index_cast")

    class Operation:
        """One operation; `.result` is its value."""

        __slots__ = ("result",)

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.result = function(*args, **kwargs)  # type: ignore[operator]

    Operation.__name__ = Operation.__qualname__ = name
    return Operation


class _Predicates:
    """The names of predicates as attributes, as in `CmpIPredicate.eq`: what `cmpi` and `cmpf` take."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        self._name, self._known = name, known

    def __getattr__(self, predicate: str) -> str:
        if predicate.lower() in self._known:
            return predicate.lower()
        raise AttributeError(f"{self._name} has {', '.join(self._known)}, not {predicate!r}")

    def __call__(self, number: int) -> str:
        return self._known[number]


@cache
def lookup(name: str) -> object:
    """The operation, class or function `name` of `fx.arith`; AttributeError for another name."""
    if name in BINARY:
        return binary_operation(name)
    if name in CONVERSIONS or name in _ALIASES:
        return conversion(_ALIASES.get(name, name))
    if name in ("CmpIPredicate", "CmpFPredicate"):
        return _Predicates(name, CMPI if name == "CmpIPredicate" else CMPF)
    if name == "_to_raw":
        return unwrap
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    if name.endswith("Op"):
        return operation_class(name)
    raise AttributeError(name)


_FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (ArithValue, constant, constant_vector, current_fastmath, index, negf, select, unwrap)
}


def operand_of(name: str, value: object) -> ScalarOrVector:
    """A scalar or vector from what a kernel passes; FrontendError for anything else."""
    if isinstance(value, Operand) and not hasattr(value, "__fly_scalar__"):
        return value  # type: ignore[return-value]
    if isinstance(value, bool | int | float) or hasattr(value, "__fly_scalar__") or numeric_of_value(value):
        return as_numeric(value)  # type: ignore[arg-type, return-value]
    if vector_class(getattr(value, "type", None)) is not None:
        return Vector(value)  # type: ignore[arg-type, return-value]
    return _refuse(name, value)


def _pair(name: str, lhs: object, rhs: object) -> tuple[ScalarOrVector, ScalarOrVector]:
    """Two operands of one element type: a Python number takes that of the other."""
    a, b = operand_of(name, lhs), operand_of(name, rhs)
    if a.dtype.mlir_name == b.dtype.mlir_name:
        return a, b
    if is_static(a) or is_static(b):
        known, other = (a, b) if is_static(a) else (b, a)
        converted = other.dtype.wrap(other.dtype(known).value)
        return (converted, b) if known is a else (a, converted)  # type: ignore[return-value]
    raise FrontendError(f"{name} takes two operands of one type, found {a!r} and {b!r}; convert one with .to(...)")


def _taken_for(name: str, dtype: type[Numeric]) -> type[Numeric]:
    """The type of the result, with the sign that the operation takes its operands for."""
    kind = BINARY[name]
    if (kind is FLOAT) != dtype.is_float:
        raise FrontendError(f"{name} takes {kind}, found {dtype.__name__}")
    if kind in (FLOAT, ANY) or dtype.width < 8 or dtype is named("Index"):
        return dtype
    return named(f"{'Int' if kind is SIGNED else 'Uint'}{dtype.width}")


def _element(kind: object) -> type[Numeric]:
    """The element type of a scalar or vector type, one of MLIR or of the language."""
    if isinstance(kind, NumericMeta):
        return kind  # type: ignore[return-value]
    vector = vector_class(kind)
    return vector.dtype if vector is not None else as_dtype(kind)


def _refuse(name: str, value: object) -> NoReturn:
    raise FrontendError(f"{name} takes scalars and vectors, found {value!r}")
