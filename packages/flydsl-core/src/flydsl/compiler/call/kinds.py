"""The kinds of arguments, and which of them a value is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.base.wording import with_article
from flydsl.compiler.call.argument import BoundArgument
from flydsl.compiler.call.constexpr import BoundConstexpr
from flydsl.compiler.call.jit_argument import BoundJitArgument
from flydsl.compiler.call.pointer import BoundPointer
from flydsl.compiler.call.registry import JitArgumentRegistry, is_jit_argument
from flydsl.compiler.call.scalar import BoundScalar
from flydsl.compiler.call.stream import BoundStream
from flydsl.compiler.call.tensor import BoundTensor
from flydsl.frontend.signature import Parameter

KINDS: tuple[type[BoundArgument], ...] = (
    BoundJitArgument,
    BoundConstexpr,
    BoundStream,
    BoundPointer,
    BoundScalar,
    BoundTensor,  # takes whatever an adaptor reads
)
"""All kinds; the first that takes a value is its kind."""


def bind(parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> BoundArgument:
    """`value` as the argument for `parameter`; errors name the parameter, what it got and what it takes."""
    try:
        registered = None if parameter.kind == "constexpr" else JitArgumentRegistry.get(type(value))
        if registered is not None:
            return _bind_registered(parameter, value, *registered, device_kinds)
        return _bind(parameter, value, device_kinds)
    except FlyDSLError as error:
        error.amend(before=f"argument {parameter.name!r}: ")
        raise


def _bind(parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> BoundArgument:
    kind = next(kind for kind in KINDS if kind.takes(parameter, value))
    return kind.bind(parameter, value, device_kinds)


def _bind_registered(
    parameter: Parameter, value: Any, convert: Any, dsl_type: type[Any], device_kinds: frozenset[int]
) -> BoundArgument:
    """What the registered callable makes of `value`: an argument of ours, or an object that says what it is."""
    made = convert(value)
    if type(made) in JitArgumentRegistry.registry:
        raise ArgumentError(
            f"the JIT argument of {with_article(type(value).__name__)} is {with_article(type(made).__name__)}, "
            "which is registered itself"
        )
    if is_jit_argument(made):
        return replace(BoundJitArgument.bind_as(parameter, made, dsl_type), convert=convert)
    return replace(_bind(parameter, made, device_kinds), convert=convert)
