"""Numbers of calls that the computation passes: their operands, of which the launch reads the bytes.

A number of 64 bits that jax would cut, without jax_enable_x64, is an operand of two words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from flydsl.backend.frameworks import DTYPES, is_number, number_bytes, python_number
from flydsl.base.errors import ArgumentError
from flydsl.expr import Boolean, Numeric

_WORDS = np.dtype(np.uint32)


class UnreadableNumberError(ArgumentError):
    """A number that is known when the program runs, on a platform where the launch cannot read it."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenNumber:
    """A number of a call by its operand."""

    operand: Any


class UnknownNumber:
    """Stands for a number whose value may not matter: whatever asks for it is told so by `NeedsValue`."""

    def _refuse(self, *_: object) -> NoReturn:
        raise NeedsValue

    __bool__ = __index__ = __int__ = __float__ = __hash__ = __eq__ = __ne__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
    __neg__ = __abs__ = __round__ = __str__ = __repr__ = _refuse


class NeedsValue(Exception):
    """What depends on the value of a number."""


class NumberParameter(NamedTuple):
    """Which argument of a call is a number, for which parameter, and the type of that; None for a tensor."""

    position: int
    name: str
    wanted: type[Numeric] | None


def opened(function: str, given: Sequence[Any], numbers: Sequence[NumberParameter]) -> list[Any]:
    """The arguments with `numbers` as inputs of the computation."""
    values = list(given)
    for position, name, wanted in numbers:
        value = values[position]
        values[position] = (
            element(value)
            if wanted is None
            else OpenNumber(known_operand(f"{function}: argument {name!r}", wanted, value))
        )
    return values


def is_open(value: object) -> bool:
    """Whether an argument is an open number."""
    return type(value) is OpenNumber


def is_plain_number(value: object) -> bool:
    """Whether `value` is a number of Python or NumPy, and no array of jax."""
    return not isinstance(value, jax.Array) and is_number(value)


def is_input(value: object) -> bool:
    """Whether a parameter annotated as a tensor takes `value`."""
    return isinstance(value, jax.Array | np.ndarray) or is_plain_number(value)


def python_literal(value: Any) -> Any:
    """A number of Python in place of one of jax's own classes of them, which it passes inside of transformations."""
    cls = type(value)
    if cls.__module__.partition(".")[0] != "jax" or not isinstance(value, int | float):
        return value
    return int(value) if isinstance(value, int) else float(value)


def element(value: Any) -> Any:
    """A number as jax makes an array of it, of shape ()."""
    found = np.asarray(value)
    return np.asarray(value, jax.dtypes.canonicalize_dtype(found.dtype))


def known_operand(what: str, wanted: type[Numeric], value: Any) -> np.ndarray[Any, Any]:
    """The operand of a number that is known; ArgumentError for what a parameter of this type does not take."""
    try:
        data = number_bytes(wanted, python_number(value))
    except ArgumentError as error:
        error.amend(before=f"{what}: ")
        raise
    dtype = numpy_dtype(wanted)
    if dtype.itemsize == 8 and jax.dtypes.canonicalize_dtype(dtype) != dtype:
        return np.frombuffer(data, _WORDS)
    return np.frombuffer(data, dtype).reshape(())


def traced_operand(what: str, wanted: type[Numeric], array: Any) -> Any:
    """The operand of an array of one number, of the type that the parameter has.

    ArgumentError for one that could change: a float for an integer, an integer of a wider type.
    """
    if array.shape != ():
        raise ArgumentError(
            f"{what} is a number of run time, found an array of {array.dtype}{list(array.shape)}: pass an array of "
            "shape (), or make the parameter a fx.Tensor"
        )
    target, found = numpy_dtype(wanted), np.dtype(array.dtype)
    is_weak = bool(getattr(array, "weak_type", False))
    if not (jnp.issubdtype(found, jnp.number) or found == np.bool_) or jnp.issubdtype(found, jnp.complexfloating):
        raise ArgumentError(f"{what} is a number of run time, found an array of {found.name}[]")
    if found != target and not wanted.is_float and not _holds(wanted, found, is_weak):
        raise ArgumentError(
            f"{what} is a {wanted.__name__}, which does not hold each {found.name}: convert it, such as "
            f"x.astype(jnp.{target.name})"
        )
    if jax.dtypes.canonicalize_dtype(target) == target:
        return jax.lax.convert_element_type(array, target)
    if wanted.is_float:
        raise ArgumentError(
            f"{what} is a {wanted.__name__}, and jax has such numbers after jax.config.update('jax_enable_x64', True) "
            "only: pass a Python number"
        )
    return array


def operand_words(wanted: type[Numeric], operand: Any) -> Any:
    """The operand with as many bytes as a number of this type has."""
    target = numpy_dtype(wanted)
    if operand.shape or np.dtype(operand.dtype).itemsize == target.itemsize:
        return operand
    # an integer of jax's 32 bits for one of 64: the upper word has the signs
    low = jax.lax.convert_element_type(operand, jnp.uint32)
    signed = jnp.issubdtype(operand.dtype, jnp.signedinteger)
    high = jnp.where(signed & (operand < 0), jnp.uint32(0xFFFFFFFF), jnp.uint32(0))
    return jnp.stack([low, high])


def number_of(wanted: type[Numeric], operand: Any) -> Any:
    """The Python number that an operand has, which is a NumPy array."""
    value = np.ascontiguousarray(operand).reshape(-1).view(numpy_dtype(wanted))[0]
    return bool(value) if wanted is Boolean else float(value) if wanted.is_float else int(value)


@cache
def numpy_dtype(wanted: type[Numeric]) -> np.dtype[Any]:
    """The dtype whose elements have the bytes of a number of this type."""
    if wanted is Boolean:
        return np.dtype(np.bool_)
    kind = "float" if wanted.is_float else "int" if wanted.is_signed else "uint"
    name = "bfloat16" if wanted.mlir_name == "bf16" else f"{kind}{wanted.width}"
    if wanted.mlir_name == "index":
        name = "int64"
    assert name in DTYPES
    return jnp.dtype(name)


def _holds(wanted: type[Numeric], found: np.dtype[Any], is_weak: bool) -> bool:
    """Whether an integer type takes all numbers of a dtype, or those of Python, which have no type of their own."""
    if found == np.bool_:
        return True
    if jnp.issubdtype(found, jnp.floating) or wanted is Boolean:
        return False
    if is_weak:
        return True
    info, target = np.iinfo(found), np.iinfo(numpy_dtype(wanted))
    return bool(target.min <= info.min and info.max <= target.max)
