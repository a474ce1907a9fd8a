"""Values of the language and a format in, `fly.print` out: `fx.printf` in kernels and in host code."""

from __future__ import annotations

import re
from numbers import Real
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import as_int_tuple
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.operands import is_known
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from typing import TypeAlias

    from xdsl.ir import SSAValue

    from flydsl.expr.values.operand_types import OperandLike

    Printable: TypeAlias = OperandLike | tuple["Printable", ...] | str | None

__all__ = ["printf"]

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SPEC = re.compile(r":?([-+ #0]*\d*(?:\.\d+)?)([a-zA-Z]?)")
_VALUE = re.compile(r"\b\w+\(\?\)|<.* object at 0x")
_INTEGER, _FLOAT = frozenset("dxXoui"), frozenset("fFeEgGaA")


def printf(*args: Printable, format_str: str = "") -> None:
    """Print a line from every thread that comes here: scalars, vectors, int tuples, layouts, tensors, and text.

    Each `{}` of `format_str`, or of the first argument when that is text, stands for the next argument; `{:x}`,
    `{:.3f}`, `{:5d}` and the like give the width, the digits and the conversion as C does, `{{` and `}}` are braces.
    Without a format the arguments are separated by spaces. A line's end is added.
    """
    text, values = _format_and_values(args, format_str)
    emitter = current()
    pieces: list[str] = []
    operands: list[SSAValue] = []
    remaining, start = iter(values), 0
    for match in _PLACE.finditer(text):
        pieces.append(text[start : match.start()])
        start = match.end()
        if match.group() in ("{{", "}}"):
            pieces.append(match.group())
        else:
            pieces.append(_place(next(remaining), match.group(1), operands))
    pieces.append(text[start:])
    emitter.op("fly.print", operands, attributes={"format": emitter.attribute("".join(pieces))})


def _format_and_values(args: tuple[Printable, ...], format_str: str) -> tuple[str, tuple[Printable, ...]]:
    if not isinstance(format_str, str):
        raise FrontendError(f"format_str is text, found {format_str!r}")
    if not format_str and args and isinstance(args[0], str):
        format_str, args = args[0], args[1:]
        if args and not any(match.group(1) is not None for match in _PLACE.finditer(format_str)):
            format_str = " ".join([format_str, *("{}" for _ in args)])  # a word and values behind it
    elif not format_str:
        format_str = " ".join("{}" for _ in args)
    if found := _VALUE.search(format_str):
        raise FrontendError(
            f"the format holds {found.group()!r}, how Python shows a value that only the device knows; "
            "write {} in a plain string, without f, and pass the value behind it"
        )
    places = 0
    for match in _PLACE.finditer(format_str):
        if match.group() in ("{", "}"):
            raise FrontendError(f"the format {format_str!r} has a lone {match.group()!r}; write it twice for a brace")
        places += match.group(1) is not None
    if places != len(args):
        raise FrontendError(f"the format {format_str!r} has {places} places for {len(args)} values")
    return format_str, args


def _place(value: Printable, spec: str, operands: list[SSAValue]) -> str:
    """The text of one place; a value that is not text becomes an operand."""
    found = _SPEC.fullmatch(spec)
    if found is None or (spec and not spec.startswith(":")):
        raise FrontendError(
            f"printf knows no place {{{spec}}}; write {{}}, or C's width, digits and letter as {{:8.3f}}"
        )
    flags, letter = found.groups()
    if isinstance(value, str) or value is None:
        return _literal("None" if value is None else value, spec)
    operand = _operand(value)
    if isinstance(operand, Numeric | Vector):
        letter = _letter(operand, letter)
        operand = _widened(operand)
    elif letter not in ("", *_INTEGER):
        raise FrontendError(f"{{{spec}}} prints floats, and the value is {operand!r}")
    operands.append(operand.ir_value())
    return f"{{:{flags}{letter}}}" if flags or letter else "{}"


def _operand(value: Printable) -> Any:
    if isinstance(value, Arithmetic | StructuredValue):
        return value
    if isinstance(value, tuple | list):
        return as_int_tuple(tuple(value))
    if isinstance(value, Real) or hasattr(value, "__fly_scalar__"):
        return as_numeric(value)
    if hasattr(value, "ir_value"):
        return value
    raise FrontendError(f"printf cannot print {value!r}; it prints numbers, vectors, int tuples, layouts and text")


def _letter(operand: Numeric | Vector, letter: str) -> str:
    """The conversion, checked; unsigned numbers are printed as such."""
    dtype = operand.dtype
    allowed = _FLOAT if dtype.is_float else _INTEGER
    if letter and letter not in allowed:
        raise FrontendError(
            f"printf cannot print a {dtype.__name__} as {letter!r}; possible: {', '.join(sorted(allowed))}"
        )
    if letter in ("", "d", "i") and not dtype.is_float and not dtype.is_signed and dtype.width > 1:
        return "u"
    return letter


def _widened(operand: Numeric | Vector) -> Numeric | Vector:
    """A narrow unsigned number as one of 32 bits, which C's printf takes; others as they are."""
    from flydsl.expr.numeric import Uint32

    dtype = operand.dtype
    narrow = not dtype.is_float and not dtype.is_signed and 1 < dtype.width < 32
    return operand.to(Uint32) if narrow and not is_known(operand) else operand


def _literal(text: str, spec: str) -> str:
    if spec:
        raise FrontendError(f"text is printed as it is, found the place {{{spec}}} for {text!r}")
    return text.replace("{", "{{").replace("}", "}}")
