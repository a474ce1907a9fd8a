"""A function's parameters in, argument specs out: one description for the IR type and for the key.

Two calls share code exactly when the texts of their specs are equal, because the IR types are made from the same specs.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple, get_args, get_origin

from flydsl.base.errors import ArgumentError
from flydsl.expr import numeric
from flydsl.expr.control import Constexpr
from flydsl.expr.numeric import Numeric
from flydsl.expr.pointer import Pointer
from flydsl.expr.stream import Stream
from flydsl.expr.tensor import Tensor
from flydsl.layout import Layout

__all__ = ["ArgSpec", "ConstexprSpec", "Parameter", "ScalarSpec", "StreamSpec", "TensorSpec", "parameters"]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor in global memory: element type, layout with static and dynamic leaves, alignment in bytes."""

    dtype: str
    layout: Layout
    align: int

    def text(self) -> str:
        """What the key holds."""
        return f"tensor<{self.dtype}, {self.layout}, align<{self.align}>>"

    @property
    def element(self) -> type[Numeric]:
        """The element type."""
        return getattr(numeric, self.dtype)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class ScalarSpec:
    """A number passed at run time."""

    dtype: str

    def text(self) -> str:
        """What the key holds."""
        return self.dtype

    @property
    def element(self) -> type[Numeric]:
        """The numeric type."""
        return getattr(numeric, self.dtype)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """A stream passed at run time."""

    def text(self) -> str:
        """What the key holds."""
        return "stream"


@dataclass(frozen=True, slots=True, eq=False)
class ConstexprSpec:
    """A value that is part of the code; `encoding` stands for it in the key."""

    value: Any
    encoding: str

    def text(self) -> str:
        """What the key holds."""
        return f"constexpr<{self.encoding}>"


ArgSpec = TensorSpec | ScalarSpec | StreamSpec | ConstexprSpec


class Parameter(NamedTuple):
    """One parameter of a traced function; `kind` is tensor, stream, constexpr, pointer, scalar or any."""

    name: str
    kind: str
    scalar: type[Numeric] | None = None


def parameters(function: FunctionType) -> tuple[Parameter, ...]:
    """The parameters of `function` with what their annotations say."""
    try:
        signature = inspect.signature(function, eval_str=True)
    except (NameError, AttributeError, SyntaxError):  # an annotation that names something only a type checker sees
        signature = inspect.signature(function)
    found = []
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ArgumentError(
                f"{function.__qualname__} takes {parameter}, and a traced function has fixed parameters; name them"
            )
        found.append(_parameter(parameter.name, parameter.annotation))
    return tuple(found)


def _parameter(name: str, annotation: Any) -> Parameter:
    origin = get_origin(annotation) or annotation
    if isinstance(origin, str):
        return Parameter(name, _kind_of_text(origin))
    if origin is Constexpr or (origin is type and get_args(annotation)):
        return Parameter(name, "constexpr")
    if not isinstance(origin, type) or origin is inspect.Parameter.empty:
        return Parameter(name, "any")
    if issubclass(origin, Numeric):
        return Parameter(name, "scalar", origin)
    for cls, kind in ((Tensor, "tensor"), (Stream, "stream"), (Pointer, "pointer")):
        if issubclass(origin, cls):
            return Parameter(name, kind)
    return Parameter(name, "any")


def _kind_of_text(annotation: str) -> str:
    word = annotation.split("[")[0].rsplit(".", 1)[-1]
    return {"Tensor": "tensor", "Stream": "stream", "Constexpr": "constexpr", "Pointer": "pointer"}.get(word, "any")
