"""Signatures: argument specs, one description for the IR type and for the key.

Two calls share code exactly when the texts of their specs are equal, because the IR types are made from the same specs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any, NamedTuple, get_args, get_origin

from flydsl.base.errors import ArgumentError
from flydsl.expr import numeric
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numeric import Numeric
from flydsl.expr.struct import is_struct_type
from flydsl.expr.threads.compile_time import Constexpr
from flydsl.expr.threads.stream import Stream
from flydsl.layout import Layout


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
class PointerSpec:
    """A typed address passed at run time: element type, number of the address space, alignment in bytes."""

    dtype: str
    space: int
    align: int

    def text(self) -> str:
        """What the key holds."""
        return f"pointer<{self.dtype}, space<{self.space}>, align<{self.align}>>"

    @property
    def element(self) -> type[Numeric]:
        """The element type."""
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


@dataclass(frozen=True, slots=True)
class ProtocolSpec:
    """An object that says itself what it is in the code (`__get_ir_types__`) and in the key (`__cache_signature__`).

    `dsl_type` is what the traced function sees; `signature` is the key's text of both.
    """

    signature: str
    dsl_type: type[Any] = field(compare=False)
    argument: Any = field(compare=False)

    def text(self) -> str:
        """What the key holds."""
        return f"object<{self.signature}>"


ArgSpec = TensorSpec | ScalarSpec | PointerSpec | StreamSpec | ConstexprSpec | ProtocolSpec


@dataclass(frozen=True, slots=True)
class TreeSpec:
    """A container of arguments: `structure` is the text of everything but the leaves, `build` makes it of them."""

    structure: str
    leaves: tuple[ArgSpec, ...]
    build: Callable[[Iterable[Any]], Any] = field(compare=False)

    def text(self) -> str:
        """What the key holds."""
        return f"{self.structure} of ({', '.join(leaf.text() for leaf in self.leaves)})"


Spec = ArgSpec | TreeSpec


def leaf_specs(specs: Iterable[Spec]) -> list[ArgSpec]:
    """The specs of all leaves, in order."""
    return [leaf for spec in specs for leaf in (spec.leaves if isinstance(spec, TreeSpec) else (spec,))]


class Parameter(NamedTuple):
    """One parameter of a traced function; `kind` is tensor, stream, constexpr, pointer, scalar, struct or any.

    `wanted` is the numeric type of a scalar and the class of a struct.
    """

    name: str
    kind: str
    wanted: type[Any] | None = None

    @property
    def scalar(self) -> type[Numeric] | None:
        """The numeric type of a scalar."""
        return self.wanted if self.kind == "scalar" else None


def parameters(function: FunctionType) -> tuple[Parameter, ...]:
    """The parameters of `function` with what their annotations say."""
    signature, names = inspect.signature(function), None
    found = []
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ArgumentError(
                f"{function.__qualname__} takes {parameter}, and a traced function has fixed parameters; name them"
            )
        annotation = parameter.annotation
        if isinstance(annotation, str):
            names = names if names is not None else _names(function)
            annotation = _evaluated(annotation, names)
        found.append(parameter_of(parameter.name, annotation))
    return tuple(found)


def _names(function: FunctionType) -> dict[str, Any]:
    """What the annotations of `function` may name: globals and the variables that it closes over."""
    closed = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in closed if _is_filled(cell)}}


def _is_filled(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 (an empty cell raises)
    except ValueError:
        return False
    return True


def _evaluated(annotation: str, names: dict[str, Any]) -> Any:
    """What an annotation stands for; the text itself when it names something that only a type checker sees."""
    try:
        return eval(annotation, names)
    except (NameError, AttributeError, SyntaxError, TypeError):
        return annotation


def parameter_of(name: str, annotation: Any) -> Parameter:
    """The parameter `name` with what its annotation says."""
    origin = get_origin(annotation) or annotation
    if isinstance(origin, str):
        return Parameter(name, _kind_of_text(origin))
    if origin is Constexpr or (origin is type and get_args(annotation)):
        return Parameter(name, "constexpr")
    if not isinstance(origin, type) or origin is inspect.Parameter.empty:
        return Parameter(name, "any")
    if issubclass(origin, Numeric):
        return Parameter(name, "scalar", origin)
    if is_struct_type(origin):
        return Parameter(name, "struct", origin)
    for cls, kind in ((Tensor, "tensor"), (Stream, "stream"), (Pointer, "pointer")):
        if issubclass(origin, cls):
            return Parameter(name, kind)
    return Parameter(name, "any")


def _kind_of_text(annotation: str) -> str:
    word = annotation.split("[")[0].rsplit(".", 1)[-1]
    return {"Tensor": "tensor", "Stream": "stream", "Constexpr": "constexpr", "Pointer": "pointer"}.get(word, "any")
