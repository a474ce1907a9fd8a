"""Python operators in, arith ops out: for scalars and vectors; static operands fold in Python with C semantics."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers import casts
from flydsl.expr.numbers.folding import fold, wrap_static
from flydsl.expr.numbers.promotion import arithmetic_type, python_number, true_division_type
from flydsl.expr.tracing.context import current
from flydsl.expr.tracing.unsupported import NoUnknownAttributes

if TYPE_CHECKING:
    from flydsl.expr.numeric import Numeric

# operator -> (float op, signed op, unsigned op)
_OPS: dict[str, tuple[str | None, str | None, str | None]] = {
    "add": ("arith.addf", "arith.addi", "arith.addi"),
    "sub": ("arith.subf", "arith.subi", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli", "arith.muli"),
    "truediv": ("arith.divf", None, None),
    "floordiv": (None, "arith.floordivsi", "arith.divui"),
    "mod": ("arith.remf", "arith.remsi", "arith.remui"),
    "and": (None, "arith.andi", "arith.andi"),
    "or": (None, "arith.ori", "arith.ori"),
    "xor": (None, "arith.xori", "arith.xori"),
    "lshift": (None, "arith.shli", "arith.shli"),
    "rshift": (None, "arith.shrsi", "arith.shrui"),
    "maximum": ("arith.maximumf", "arith.maxsi", "arith.maxui"),
    "minimum": ("arith.minimumf", "arith.minsi", "arith.minui"),
}
_BITWISE = frozenset({"and", "or", "xor"})
# predicate -> (ordered float, signed, unsigned) numbers of arith.cmpf and arith.cmpi
_PREDICATES = {
    "eq": (1, 0, 0),
    "ne": (13, 1, 1),
    "lt": (4, 2, 6),
    "le": (5, 3, 7),
    "gt": (2, 4, 8),
    "ge": (3, 5, 9),
}


_NUMPY_OPERATORS = {
    **{"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv"},
    **{"floor_divide": "floordiv", "remainder": "mod", "less": "lt", "less_equal": "le", "greater": "gt"},
    **{"greater_equal": "ge", "equal": "eq", "not_equal": "ne"},
}


class Arithmetic(NoUnknownAttributes):
    """Operator overloads over the functions of this module; subclasses have `dtype`, `shape` and `value`."""

    __slots__ = ()

    dtype: Any
    shape: Any
    value: Any

    def __add__(self, other: Any) -> Any:
        return binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return binary("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return binary("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return binary("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return binary("truediv", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("truediv", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return binary("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return binary("floordiv", other, self)

    def __mod__(self, other: Any) -> Any:
        return binary("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return binary("mod", other, self)

    def __pow__(self, other: Any) -> Any:
        from flydsl.expr.numbers.powers import power

        return power(self, other)

    def __rpow__(self, other: Any) -> Any:
        from flydsl.expr.numbers.powers import power

        return power(other, self)

    def __and__(self, other: Any) -> Any:
        return binary("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return binary("and", other, self)

    def __or__(self, other: Any) -> Any:
        return binary("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return binary("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return binary("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return binary("xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return binary("lshift", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return binary("lshift", other, self)

    def __rshift__(self, other: Any) -> Any:
        return binary("rshift", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return binary("rshift", other, self)

    def __neg__(self) -> Any:
        return negate(self)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return invert(self)

    def __abs__(self) -> Any:
        return absolute(self)

    def __eq__(self, other: object) -> Any:
        return compare("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return compare("ne", self, other)

    def __lt__(self, other: Any) -> Any:
        return compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return compare("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return compare("ge", self, other)

    def __hash__(self) -> int:
        return id(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Any:
        """NumPy's scalars take part in operators as Python numbers; its functions run on the host."""
        operation = getattr(operator, _NUMPY_OPERATORS.get(ufunc.__name__, ""), None)
        if operation is not None and method == "__call__" and all(map(_is_number_like, inputs)):
            return operation(*(x if isinstance(x, Arithmetic) else x.item() for x in inputs))
        raise FrontendError(_numpy_message(ufunc.__name__, inputs))

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise FrontendError(f"NumPy computes in Python, and {self!r} is a value of a kernel; pass arrays as arguments")


def binary(name: str, lhs: Any, rhs: Any) -> Any:
    """`lhs name rhs` by the typing rules; a Python number takes part with its default type."""
    a, b = _operands(name, lhs, rhs)
    dtype = _result_type(name, a, b)
    if _is_static(a) and _is_static(b):
        return dtype.wrap(fold(name, dtype, wrap_static(dtype, a.value), wrap_static(dtype, b.value)))
    if name == "floordiv" and dtype.is_float:
        from flydsl.expr.math import floor

        return floor(binary("truediv", a, b))
    return _emit_binary(name, dtype, a, b)


def compare(predicate: str, lhs: Any, rhs: Any) -> Any:
    """`lhs predicate rhs` as Boolean; NaN compares unequal."""
    from flydsl.expr.numeric import Boolean

    a, b = _operands(predicate, lhs, rhs)
    dtype = a.dtype if a.dtype is b.dtype else arithmetic_type(a.dtype, b.dtype)
    if _is_static(a) and _is_static(b):
        return Boolean.wrap(bool(getattr(operator, predicate)(*(wrap_static(dtype, x.value) for x in (a, b)))))
    shape = _broadcast_shape(predicate, a, b)
    numbers = _PREDICATES[predicate]
    emitter = current()
    number = numbers[0] if dtype.is_float else numbers[1] if dtype.is_signed else numbers[2]
    value = emitter.value(
        "arith.cmpf" if dtype.is_float else "arith.cmpi",
        [casts.lanes(a, dtype, shape), casts.lanes(b, dtype, shape)],
        emitter.type(Boolean, shape),
        properties={"predicate": emitter.integer(number, 64)},
    )
    return _wrap(Boolean, shape, value)


def negate(operand: Any) -> Any:
    """`-operand`; exact for floats, also for zero."""
    operand = _operand("negate", operand)
    if not operand.dtype.is_float:
        return binary("sub", operand.dtype.wrap(0), operand)
    if _is_static(operand):
        return operand.dtype.wrap(-operand.value)
    value = current().value("arith.negf", [operand.value], current().type(operand.dtype, operand.shape))
    return _wrap(operand.dtype, operand.shape, value)


def invert(operand: Any) -> Any:
    """`~operand`, of the same type."""
    operand = _operand("invert", operand)
    return binary("xor", operand, operand.dtype.wrap(wrap_static(operand.dtype, -1)))


def absolute(operand: Any) -> Any:
    """`abs(operand)`, of the same type."""
    operand = _operand("abs", operand)
    if operand.dtype.is_float:
        from flydsl.expr.math import absf

        return absf(operand)
    if not operand.dtype.is_signed:
        return operand
    return binary("maximum", operand, negate(operand))


def select(condition: Any, if_true: Any, if_false: Any) -> Any:
    """`if_true` where `condition` holds, else `if_false`, element by element."""
    if not isinstance(condition, Arithmetic) or condition.dtype.width != 1:
        raise FrontendError(f"select needs a Boolean condition, found {condition!r}; compare first")
    if _is_static(condition):
        return if_true if condition.value else if_false
    a, b = _operands("select", if_true, if_false)
    dtype = a.dtype if a.dtype is b.dtype else arithmetic_type(a.dtype, b.dtype)
    shape = _broadcast_shape("select", a, b) or condition.shape
    operands = [condition.value, casts.lanes(a, dtype, shape), casts.lanes(b, dtype, shape)]
    return _wrap(dtype, shape, current().value("arith.select", operands, operands[1].type))


def bitcast(operand: Any, dtype: type[Numeric]) -> Any:
    """The SSA value of `operand` with its bits read as `dtype`."""
    value = materialize(operand)
    target = current().type(dtype, operand.shape)
    return value if value.type == target else current().value("arith.bitcast", [value], target)


def materialize(operand: Any) -> Any:
    """The SSA value of `operand`, by a constant when it is static."""
    if _is_static(operand):
        return current().constant(operand.dtype, operand.value)
    return operand.value


def scalar_value(cls: type[Numeric], value: Any) -> Any:
    """What a scalar of type `cls` made from `value` holds: a wrapped Python number or an SSA value."""
    from flydsl.expr.numeric import as_numeric

    if cls.mlir_name == "":
        raise FrontendError("Numeric is abstract; use a concrete type such as fx.Int32 or fx.Float32")
    if isinstance(value, bool | int | float):
        return wrap_static(cls, value)
    source = as_numeric(value)
    if _is_static(source):
        return wrap_static(cls, source.value)
    return casts.convert(source, cls)


def from_ir_value(value: Any) -> Numeric:
    """A scalar that wraps an SSA value, of the signed type of its width; raises for anything else."""
    from flydsl.expr.numbers.mlir_types import numeric_of_type

    numeric = numeric_of_type(value)
    if numeric is None:
        raise FrontendError(
            f"expected a scalar, found {type(value).__name__}; convert it with fx.Int32(...) or the like"
        )
    return numeric.wrap(value)


def _is_number_like(value: Any) -> bool:
    return isinstance(value, Arithmetic) or (hasattr(value, "item") and getattr(value, "shape", None) == ())


def _numpy_message(name: str, inputs: tuple[Any, ...]) -> str:
    from flydsl.expr import math

    word = next((word for word in (name, f"{name}f", f"{name}olute") if hasattr(math, word)), None)
    instead = f"use fx.{word}" if word else "use the functions of fx"
    return f"numpy.{name} computes in Python, and is given {', '.join(map(repr, inputs))} of a kernel; {instead}"


def _emit_binary(name: str, dtype: type[Numeric], a: Any, b: Any) -> Any:
    shape = _broadcast_shape(name, a, b)
    op = _OPS[name][0 if dtype.is_float else 1 if dtype.is_signed else 2]
    if op is None:
        raise FrontendError(f"{name} is not defined on {dtype.__name__}; convert the operands first")
    operands = [casts.lanes(a, dtype, shape), casts.lanes(b, dtype, shape)]
    return _wrap(dtype, shape, current().value(op, operands, operands[0].type))


def _operands(name: str, lhs: Any, rhs: Any) -> tuple[Any, Any]:
    try:
        return _operand(name, lhs), _operand(name, rhs)
    except _NotANumber:
        raise FrontendError(
            f"{name} is not defined between {type(lhs).__name__} and {type(rhs).__name__}; "
            "both must be numbers or vectors"
        ) from None


class _NotANumber(FrontendError):
    pass


def _operand(name: str, value: Any) -> Any:
    """A scalar or vector; a leaf of an int tuple takes part as a scalar, a Python number with its default type."""
    from flydsl.expr.numeric import as_numeric

    if isinstance(value, bool | int | float) or hasattr(value, "__fly_scalar__"):
        return as_numeric(value)
    if isinstance(value, Arithmetic):
        return value
    if (number := python_number(value)) is not value:
        return as_numeric(number)
    raise _NotANumber(f"{name} needs a number or a vector, found {type(value).__name__}")


def _result_type(name: str, a: Any, b: Any) -> type[Numeric]:
    from flydsl.expr.numeric import Boolean

    if name == "truediv":
        return true_division_type(a.dtype, b.dtype)
    if name in _BITWISE and a.dtype is b.dtype:
        dtype: type[Numeric] = a.dtype
    elif name in _BITWISE and (_is_bit(a, b) or _is_bit(b, a)):
        dtype = Boolean
    else:
        dtype = arithmetic_type(a.dtype, b.dtype)
    if dtype.is_float and (name in _BITWISE or name in ("lshift", "rshift")):
        raise FrontendError(
            f"{name} needs integers, found {a.dtype.__name__} and {b.dtype.__name__}; "
            "convert with fx.Int32(...), or read the bits with .bitcast(fx.Int32)"
        )
    return dtype


def _is_bit(operand: Any, other: Any) -> bool:
    """Whether `operand` is a literal 0 or 1 beside a Boolean, which then stays one."""
    return other.dtype.width == 1 and operand.dtype.width == 32 and _is_static(operand) and operand.value in (0, 1)


def _broadcast_shape(name: str, a: Any, b: Any) -> tuple[int, ...] | None:
    if a.shape is None or b.shape is None or a.shape == b.shape:
        return a.shape if a.shape is not None else b.shape  # type: ignore[no-any-return]
    raise FrontendError(f"{name} needs vectors of one shape, found {a.shape} and {b.shape}; reshape or broadcast first")


def _is_static(operand: Any) -> bool:
    return operand.shape is None and isinstance(operand.value, bool | int | float)


def _wrap(dtype: type[Numeric], shape: tuple[int, ...] | None, value: Any) -> Any:
    if shape is None:
        return dtype.wrap(value)
    from flydsl.expr.numbers.vector import Vector

    return Vector(value, shape, dtype)
