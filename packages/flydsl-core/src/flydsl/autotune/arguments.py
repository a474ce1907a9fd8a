"""The arguments of a call of a tuned function by name, and what the tuner does with those that are arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from flydsl.base.container_items import CONTAINERS, is_dataclass, items_of
from flydsl.base.errors import ArgumentError
from flydsl.base.wording import did_you_mean

Values: TypeAlias = dict[str, object]
Array: TypeAlias = Any
"""An array of any framework, with the methods of torch tensors (`zero_`, `clone`, `copy_`) or those of NumPy arrays."""

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def signature_of(function: Callable[..., object]) -> inspect.Signature | None:
    """The signature of a function, or of what it holds as `func`; None where Python knows none."""
    target = getattr(function, "func", function)
    for evaluated in (True, False):  # annotations may be text that only a type checker can read
        try:
            return inspect.signature(target, eval_str=evaluated)
        except (TypeError, ValueError):
            continue
        except Exception:  # whatever the text of an annotation raises
            continue
    return None


def given_arguments(signature: inspect.Signature | None, args: tuple[object, ...], kwargs: Values) -> Values:
    """The arguments that a call has, by name; those of `**kwargs` too. A call that does not fit keeps its keywords."""
    if signature is None:
        return dict(kwargs)
    try:
        bound = signature.bind_partial(*args, **kwargs)
    except TypeError:
        return dict(kwargs)
    values: Values = {}
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            values.update(value)
        else:
            values[name] = value
    return values


def with_defaults(signature: inspect.Signature | None, given: Values) -> Values:
    """The arguments with the defaults of others."""
    if signature is None:
        return given
    defaults = {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    return {**defaults, **given}


def check_parameter(signature: inspect.Signature | None, name: str, what: str) -> None:
    """ArgumentError for the name of no parameter, beginning with `what` was asked; `**kwargs` take any name."""
    if signature is None:
        return
    known = [n for n, parameter in signature.parameters.items() if parameter.kind not in _VARIADIC]
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in signature.parameters.values())
    if name not in known and not takes_any:
        raise ArgumentError(
            f"{what}, and the function has no such parameter, but {', '.join(map(repr, known)) or 'none'}"
            f"{did_you_mean(str(name), known)}"
        )


def arrays_in(value: object) -> list[Array]:
    """The arrays that an argument is or holds: a record or container is passed leaf by leaf."""
    if is_array(value):
        return [value]
    if not isinstance(value, CONTAINERS) and not is_dataclass(value):
        return []
    return [array for _, item in items_of(value) for array in arrays_in(item)]


def is_array(value: object) -> bool:
    """Whether a value has elements: a shape and a type of them."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def zero(arrays: Iterable[Array]) -> None:
    """Set all elements to 0."""
    for array in arrays:
        if hasattr(array, "zero_"):
            array.zero_()
        else:
            _assign(array, 0)


def copied(array: Array) -> Array:
    """A copy with memory of its own."""
    return array.clone() if hasattr(array, "clone") else array.copy()


def put_back(array: Array, saved: Array) -> None:
    """Give an array the elements that `saved` has."""
    if hasattr(array, "copy_"):
        array.copy_(saved)
    else:
        _assign(array, saved)


def _assign(array: Array, value: object) -> None:
    try:
        array[...] = value
    except TypeError as error:
        raise ArgumentError(
            f"reset_to_zero and restore_value take arrays that can be written, found {type(array).__name__}: {error}"
        ) from None
