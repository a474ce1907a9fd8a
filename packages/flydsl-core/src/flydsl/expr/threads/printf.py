"""`fx.printf`, in kernels and in host code."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError, IRError
from flydsl.base.startup.pattern import pattern
from flydsl.base.wording import with_article
from flydsl.expr.layouts.int_tuple import as_int_tuple
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.operands import is_static
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.tracing.context import current
from flydsl.ir.print_format import Field, escaped, parse_format

if TYPE_CHECKING:
    from typing import TypeAlias

    from xdsl.ir import SSAValue

    from flydsl.expr.values.operand_types import OperandLike

    Printable: TypeAlias = OperandLike | tuple["Printable", ...] | str | None

__all__ = ["printf"]

_VALUE = r"\b\w+\(\?\)|<.* object at 0x"
_CONVERSION_OF_C = r"%[-+#0]*\d*(\.\d+)?(hh|h|ll|l|z)?[diouxXeEfFgGaAcsp](?![a-zA-Z])"
_INTEGER, _FLOAT = frozenset("dxXoui"), frozenset("fFeEgGaA")


def printf(*args: Printable, format_str: str = "") -> None:
    """Print one line from every thread that executes it: scalars, vectors, int tuples, layouts, tensors and text.

    Each `{}` of `format_str`, or of the first argument if that is text, is replaced by the next argument; `{:x}`,
    `{:.3f}`, `{:5d}` and the like specify width, digits and conversion as in C; `{{` and `}}` are braces. Without a
    format the arguments are separated by spaces. A newline is appended.
    """
    parts, values = _parts_and_values(args, format_str)
    emitter = current()
    operands: list[SSAValue] = []
    remaining = iter(values)
    text = "".join(
        escaped(part) if isinstance(part, str) else _field(next(remaining), part, operands) for part in parts
    )
    emitter.op("fly.print", operands, attributes={"format": emitter.attribute(text)})


def _parts_and_values(args: tuple[Printable, ...], format_str: str) -> tuple[list[str | Field], tuple[Printable, ...]]:
    if not isinstance(format_str, str):
        raise FrontendError(f"format_str is text, found {format_str!r}")
    if not format_str and args and isinstance(args[0], str):
        format_str, args = args[0], args[1:]
        if args and "{" not in format_str.replace("{{", ""):
            _refuse_conversions_of_c(format_str)
            format_str = " ".join([format_str, *("{}" for _ in args)])  # text followed by values
    elif not format_str:
        format_str = " ".join("{}" for _ in args)
    if shown := shown_value(format_str):
        raise FrontendError(
            f"the format contains {shown!r}, the repr of a value that only the device knows; "
            "write {} in a plain string, without f, and pass the value after it"
        )
    try:
        return parse_format(format_str, len(args)), args
    except IRError as error:
        raise FrontendError(str(error)) from None


def _refuse_conversions_of_c(text: str) -> None:
    match = pattern(_CONVERSION_OF_C).search(text)
    if match:
        raise FrontendError(
            f"the format of fx.printf is that of Python, and {match.group()!r} is of C: write {{}}, "
            "or {:.3f} and the like, for each value"
        )


def shown_value(text: str) -> str | None:
    """The repr of a value that only the device knows, if one is part of a text."""
    match = pattern(_VALUE).search(text)
    return match.group() if match else None


def _field(value: Printable, field: Field, operands: list[SSAValue]) -> str:
    """The text of one field; a value that is not text becomes an operand."""
    if isinstance(value, str) or value is None:
        if field != Field("", ""):
            raise FrontendError(f"text is printed as it is, found the field {field} for {value!r}")
        return escaped(str(value))
    letter = field.letter
    operand = _operand(value)
    if isinstance(operand, Numeric | Vector):
        letter = _letter(operand, letter)
        operand = _widened(operand)
    elif letter not in ("", *_INTEGER):
        raise FrontendError(f"{field} prints floats, and the value is {operand!r}")
    operands.append(operand.ir_value())
    return str(field._replace(letter=letter))


def _operand(value: Printable) -> Any:
    if isinstance(value, Arithmetic | StructuredValue):
        return value
    if isinstance(value, tuple | list):
        return as_int_tuple(tuple(value))  # type: ignore[arg-type]
    if isinstance(value, Real) or hasattr(value, "__fly_scalar__"):
        return as_numeric(value)  # type: ignore[arg-type]
    if hasattr(value, "ir_value"):
        return value
    raise FrontendError(f"printf cannot print {value!r}; it prints numbers, vectors, int tuples, layouts and text")


def _letter(operand: Numeric | Vector, letter: str) -> str:
    """The conversion, checked; unsigned numbers are printed as such."""
    dtype = operand.dtype
    allowed = _FLOAT if dtype.is_float else _INTEGER
    if letter and letter not in allowed:
        raise FrontendError(
            f"printf cannot print {with_article(dtype.__name__)} as {letter!r}; possible: {', '.join(sorted(allowed))}"
        )
    if letter in ("", "d", "i") and not dtype.is_float and not dtype.is_signed and dtype.width > 1:
        return "u"
    return letter


def _widened(operand: Numeric | Vector) -> Numeric | Vector:
    """A narrow unsigned number as one of 32 bits, which C's printf takes; others as they are."""
    from flydsl.expr.numeric import Uint32

    dtype = operand.dtype
    narrow = not dtype.is_float and not dtype.is_signed and 1 < dtype.width < 32
    return operand.to(Uint32) if narrow and not is_static(operand) else operand
