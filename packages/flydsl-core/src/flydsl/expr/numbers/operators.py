"""Operators as functions of scalars and vectors: one `arith` op, or a folded constant for static operands."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from flydsl.base.arithmetic import wrapped
from flydsl.base.errors import FrontendError
from flydsl.base.wording import with_article
from flydsl.expr.numbers import casts
from flydsl.expr.numbers.float_functions import unary
from flydsl.expr.numbers.floor_division import floor_division
from flydsl.expr.numbers.folding import fold, wrap_static
from flydsl.expr.numbers.literals import literal
from flydsl.expr.numbers.operands import (
    Operand,
    as_numeric,
    check_keywords,
    float_operand,
    integer_operand,
    is_static,
    shaping,
)
from flydsl.expr.numbers.promotion import arithmetic_type, python_number, true_division_type
from flydsl.expr.numbers.registry import is_ssa_value, named
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.values.operand_types import ArithmeticLike, Number
    from flydsl.expr.values.traced_types import ScalarOrVector

# operator -> (float op, signed op, unsigned op)
_OPS: dict[str, tuple[str | None, str | None, str | None]] = {
    "add": ("arith.addf", "arith.addi", "arith.addi"),
    "sub": ("arith.subf", "arith.subi", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli", "arith.muli"),
    "truediv": ("arith.divf", None, None),
    "floordiv": (None, "arith.floordivsi", "arith.divui"),
    "mod": (None, "arith.remsi", "arith.remui"),
    "and": (None, "arith.andi", "arith.andi"),
    "or": (None, "arith.ori", "arith.ori"),
    "xor": (None, "arith.xori", "arith.xori"),
    "lshift": (None, "arith.shli", "arith.shli"),
    "rshift": (None, "arith.shrsi", "arith.shrui"),
    "maximum": ("arith.maximumf", "arith.maxsi", "arith.maxui"),
    "minimum": ("arith.minimumf", "arith.minsi", "arith.minui"),
}
_BITWISE = frozenset({"and", "or", "xor"})
_SHIFTS = frozenset({"lshift", "rshift"})
# predicate -> (ordered float, signed, unsigned) numbers of arith.cmpf and arith.cmpi
_PREDICATES = {
    "eq": (1, 0, 0),
    "ne": (13, 1, 1),
    "lt": (4, 2, 6),
    "le": (5, 3, 7),
    "gt": (2, 4, 8),
    "ge": (3, 5, 9),
}

CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
"""The predicates of comparisons, in the order of their numbers."""


def binary(name: str, lhs: ArithmeticLike, rhs: ArithmeticLike) -> ScalarOrVector:
    """`lhs name rhs` by the typing rules; a Python number has its default type."""
    a, b = _operands(name, lhs, rhs)
    dtype = _result_type(name, a, b)
    if is_static(a) and is_static(b):
        return dtype.wrap(fold(name, dtype, wrap_static(dtype, a.value), wrap_static(dtype, b.value)))  # type: ignore[return-value]
    if name in ("floordiv", "mod") and dtype.is_float:
        return floor_division(name, dtype, a, b)
    return _emit_binary(name, dtype, a, b)


def compare(predicate: str, lhs: ArithmeticLike, rhs: ArithmeticLike) -> ScalarOrVector:
    """`lhs predicate rhs` as Boolean; NaN compares unequal."""
    a, b = _operands(predicate, lhs, rhs)
    dtype = a.dtype if a.dtype is b.dtype else arithmetic_type(a.dtype, b.dtype)
    if is_static(a) and is_static(b):
        return named("Boolean").wrap(bool(getattr(operator, predicate)(*(wrap_static(dtype, x.value) for x in (a, b)))))  # type: ignore[return-value]
    numbers = _PREDICATES[predicate]
    number = numbers[0] if dtype.is_float else numbers[1] if dtype.is_signed else numbers[2]
    return emit_comparison(predicate, "arith.cmpf" if dtype.is_float else "arith.cmpi", number, dtype, a, b)


def emit_comparison(name: str, op: str, number: int, dtype: type[Numeric], a: Operand, b: Operand) -> ScalarOrVector:
    """The comparison `op` with predicate `number` of operands as `dtype`, as Boolean."""
    target, emitter = shaping(name, a, b), current()
    operands = [casts.broadcast_as(a, dtype, target.extents), casts.broadcast_as(b, dtype, target.extents)]
    properties = {"predicate": emitter.integer(number, 64)}
    boolean = named("Boolean")
    value = emitter.value(op, operands, emitter.type(boolean, target.extents), properties=properties)
    return target._like(value, boolean)  # type: ignore[no-any-return]


def negate(operand: ArithmeticLike) -> ScalarOrVector:
    """`-operand`; exact for floats, also for zero."""
    operand = _operand("negate", operand)
    if not operand.dtype.is_float:
        return binary("sub", operand.dtype.wrap(0), operand)
    if is_static(operand):
        return operand.dtype.wrap(-operand.value)  # type: ignore[no-any-return]
    value = current().value("arith.negf", [operand.value], current().type(operand.dtype, operand.extents))
    return operand._like(value, operand.dtype)  # type: ignore[no-any-return]


def invert(operand: ArithmeticLike) -> ScalarOrVector:
    """`~operand`, of the same type."""
    operand = _operand("invert", operand)
    return binary("xor", operand, operand.dtype.wrap(wrap_static(operand.dtype, -1)))


def absolute(operand: ArithmeticLike) -> ScalarOrVector:
    """`abs(operand)`, of the same type."""
    operand = _operand("abs", operand)
    if operand.dtype is named("Boolean"):
        raise FrontendError(f"abs needs a number, found {operand!r}")
    if operand.dtype.is_float:
        return unary("absf", operand)
    if not operand.dtype.is_signed:
        return operand  # type: ignore[return-value]
    return binary("maximum", operand, negate(operand))


def select(condition: Operand, if_true: ArithmeticLike, if_false: ArithmeticLike) -> ScalarOrVector:
    """`if_true` where `condition` is not zero, else `if_false`, element by element and promoted to one type."""
    if not isinstance(condition, Operand):
        raise FrontendError(f"select needs a scalar or vector as its condition, found {condition!r}")
    a, b = _operands("select", if_true, if_false)
    dtype = a.dtype if a.dtype is b.dtype else arithmetic_type(a.dtype, b.dtype)
    if is_static(condition):
        chosen: Any = a if condition.value else b
        target = shaping("select", a, b)
        if target.extents is None:
            return dtype(chosen)  # type: ignore[return-value]
        return target._like(casts.broadcast_as(chosen, dtype, target.extents), dtype)  # type: ignore[no-any-return]
    if condition.dtype.width != 1:
        condition = compare("ne", condition, condition.dtype.wrap(0))
    target = shaping("select", a, b, condition)
    lanes = None if condition.extents is None else target.extents
    operands = [
        casts.broadcast_as(condition, condition.dtype, lanes),
        *(casts.broadcast_as(one, dtype, target.extents) for one in (a, b)),
    ]
    return target._like(current().value("arith.select", operands, operands[1].type), dtype)  # type: ignore[no-any-return]


def float_extreme(name: str, lhs: ArithmeticLike, rhs: ArithmeticLike) -> ScalarOrVector:
    """`maximumf` or `minimumf` of two floats; NaN propagates."""
    return binary(name.removesuffix("f"), float_operand(lhs), float_operand(rhs))


def shrui(
    value: ArithmeticLike, amount: ArithmeticLike, *, is_exact: bool | None = None, **kwargs: object
) -> ScalarOrVector:
    """An integer shifted right logically by `amount` bits, also a signed one; `is_exact`: no set bit is lost."""
    check_keywords("shrui", kwargs)
    operand, count = integer_operand("shrui", value), integer_operand("shrui", amount)
    if is_static(operand) and is_static(count):
        if not 0 <= count.value < operand.dtype.width:
            raise FrontendError(f"shrui of {with_article(operand.dtype.__name__)} by {count.value!r} bits")
        bits = wrapped(int(operand.value), operand.dtype.width, signed=False) >> count.value
        return operand.dtype.wrap(wrap_static(operand.dtype, bits))  # type: ignore[no-any-return]
    target = shaping("shrui", operand, count)
    lanes = [casts.broadcast_as(one, operand.dtype, target.extents) for one in (operand, count)]
    exact = {"isExact": current().unit()} if is_exact else {}
    return target._like(current().value("arith.shrui", lanes, lanes[0].type, properties=exact), operand.dtype)  # type: ignore[no-any-return]


def bitcast(operand: Operand, dtype: type[Numeric]) -> SSAValue:
    """The SSA value of `operand` with its bits reinterpreted as `dtype`."""
    value = materialize(operand)
    target = current().type(dtype, operand.extents)
    return value if value.type == target else current().value("arith.bitcast", [value], target)


def materialize(operand: Operand) -> Any:
    """The SSA value of `operand`, a constant if it is static."""
    if is_static(operand):
        return current().constant(operand.dtype, operand.value)
    return operand.value


def scalar_value(cls: type[Numeric], value: ArithmeticLike | SSAValue) -> SSAValue | Number:
    """The payload of a scalar of type `cls` converted from `value`: a Python number or an SSA value."""
    if cls.mlir_name == "":
        raise FrontendError("Numeric is abstract; use a concrete type such as fx.Int32 or fx.Float32")
    number = python_number(value)
    if isinstance(number, bool | int | float):
        return literal(cls, number)
    source = as_numeric(value)
    if is_static(source):
        return wrap_static(cls, source.value)
    return casts.convert(source, cls)


def _emit_binary(name: str, dtype: type[Numeric], a: Operand, b: Operand) -> ScalarOrVector:
    target = shaping(name, a, b)
    op = _OPS[name][0 if dtype.is_float else 1 if dtype.is_signed else 2]
    if op is None:
        raise FrontendError(f"{name} is not defined on {dtype.__name__}; convert the operands first")
    operands = [casts.broadcast_as(a, dtype, target.extents), casts.broadcast_as(b, dtype, target.extents)]
    return target._like(current().value(op, operands, operands[0].type), dtype)  # type: ignore[no-any-return]


def _operands(name: str, lhs: ArithmeticLike, rhs: ArithmeticLike) -> tuple[Operand, Operand]:
    try:
        return _operand(name, lhs), _operand(name, rhs)
    except _NotANumber:
        raise FrontendError(
            f"{name} is not defined between {type(lhs).__name__} and {type(rhs).__name__}; "
            "both must be numbers or vectors"
        ) from None


class _NotANumber(FrontendError):
    pass


def _operand(name: str, value: ArithmeticLike) -> Operand:
    """A scalar or vector, also of an SSA value or a leaf of an int tuple; a Python number gets its default type."""
    if isinstance(value, bool | int | float) or hasattr(value, "__fly_scalar__"):
        return as_numeric(value)
    if isinstance(value, Operand):
        return value
    if (number := python_number(value)) is not value:
        return as_numeric(number)
    if is_ssa_value(value) and isinstance(boxed := current().box(value), Operand):
        return boxed
    raise _NotANumber(f"{name} needs a number or a vector, found {type(value).__name__}")


def _result_type(name: str, a: Operand, b: Operand) -> type[Numeric]:
    if name == "truediv":
        return true_division_type(a.dtype, b.dtype)
    if a.dtype is b.dtype and (name in _BITWISE or (name in _SHIFTS and a.dtype.width == 1)):
        dtype: type[Numeric] = a.dtype
    elif name in _BITWISE and (_is_bit(a, b) or _is_bit(b, a)):
        dtype = named("Boolean")
    else:
        dtype = arithmetic_type(a.dtype, b.dtype)
    if dtype.is_float and (name in _BITWISE or name in _SHIFTS):
        raise FrontendError(
            f"{name} needs integers, found {a.dtype.__name__} and {b.dtype.__name__}; "
            "convert with fx.Int32(...), or read the bits with .bitcast(fx.Int32)"
        )
    return dtype


def _is_bit(operand: Operand, other: Operand) -> bool:
    """Whether `operand` is a literal 0 or 1 beside a Boolean, which then stays one."""
    return other.dtype.width == 1 and operand.dtype.width == 32 and is_static(operand) and operand.value in (0, 1)
