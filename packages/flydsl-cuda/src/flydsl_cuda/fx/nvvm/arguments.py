"""Checks of what words of `fx.nvvm` are given: numbers, flags, element types, and types of atoms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flydsl.base.errors import FrontendError
from flydsl.expr import Float32, Int32, Numeric

_T = TypeVar("_T")


def check_numbers(name: str, **numbers: object) -> None:
    """Refuse what is no integer known while tracing."""
    for parameter, number in numbers.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise FrontendError(f"{parameter} of fx.nvvm.{name} is an integer known while tracing, found {number!r}")


def check_flag(name: str, parameter: str, value: object) -> None:
    """Refuse what is no bool."""
    if not isinstance(value, bool):
        raise FrontendError(f"{parameter} of fx.nvvm.{name} is True or False, found {value!r}")


def element_types(name: str, ab: object, acc: object) -> tuple[type[Numeric], type[Numeric], type[Numeric]]:
    """The types of A, B and the accumulator of a product, of one type or a pair of them; None: as wide as usual."""
    pair = tuple(ab) if isinstance(ab, tuple | list) else (ab, ab)
    if len(pair) != 2 or not all(isinstance(kind, type) and issubclass(kind, Numeric) for kind in pair):
        raise FrontendError(f"fx.nvvm.{name} takes one element type or a pair of them, found {ab!r}")
    if unsigned := [kind.__name__ for kind in pair if not kind.is_float and not kind.is_signed]:
        raise FrontendError(f"fx.nvvm.{name} multiplies signed integers of 8 bits, fx.Int8; found {unsigned[0]}")
    if acc is None:
        return (*pair, Float32 if pair[0].is_float else Int32)
    if not isinstance(acc, type) or not issubclass(acc, Numeric):
        raise FrontendError(f"the accumulator of fx.nvvm.{name} has an element type, found {acc!r}")
    return (*pair, acc)


def checked(name: str, make: Callable[[], _T]) -> _T:
    """The type of an atom of `fx.nvvm`; FrontendError that names it when there is no such type."""
    from xdsl.utils.exceptions import VerifyException

    try:
        return make()
    except VerifyException as error:
        raise FrontendError(f"fx.nvvm.{name}: {error}") from None
