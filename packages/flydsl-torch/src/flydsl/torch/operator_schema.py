"""Schemas of operators: what torch is told of the arguments of a function that launches kernels."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from operator import itemgetter
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import torch

from flydsl.base.errors import ArgumentError

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*")
_PLAIN = (int, float, bool, str, torch.dtype, torch.device)
_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Signature:
    """The arguments of an operator, its outputs, and how both are passed to the function that launches."""

    schema: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    defaults: tuple[Any, ...]
    """For each input its default, which torch leaves out of calls; empty where there is none."""
    order: tuple[tuple[str, Any], ...]
    """For each parameter of the function: ('input' | 'output', index), or ('default', value)."""

    plain: tuple[int, ...] | None = None
    """Which inputs are tensors, where no list and nothing optional is one."""

    @cached_property
    def is_single(self) -> bool:
        """Whether there is one output."""
        return len(self.outputs) == 1

    @property
    def shown(self) -> str:
        """The schema without the name."""
        return self.schema[self.schema.index("(") :]

    def completed(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """All arguments: torch leaves out those that have their default."""
        return args + self.defaults[len(args) :]

    def arranged(self, args: Sequence[Any], outs: Sequence[torch.Tensor]) -> Sequence[Any]:
        """The arguments of the function."""
        return self._arrange((*args, *outs, *self._values))

    def tensors(self, args: Sequence[Any]) -> list[torch.Tensor]:
        """The tensors among arguments, also those in lists."""
        return tensors_of(args) if self.plain is None else [*map(args.__getitem__, self.plain)]

    @cached_property
    def _values(self) -> tuple[Any, ...]:
        return tuple(what for kind, what in self.order if kind == "default")

    @cached_property
    def _arrange(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        """What picks the arguments of the function from inputs, outputs and defaults of its own."""
        starts = {"input": 0, "output": len(self.inputs)}
        later = count(len(self.inputs) + len(self.outputs))
        places = [next(later) if kind == "default" else starts[kind] + what for kind, what in self.order]
        return itemgetter(*places) if len(places) > 1 else lambda values: [values[place] for place in places]


def tensors_of(values: Sequence[Any]) -> list[torch.Tensor]:
    """The tensors among values, also those in lists."""
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, list | tuple):
            found.extend(tensors_of(value))
    return found


def signature_of(
    name: str, launch: Callable[..., object], out: Callable[..., object], *, is_free: bool = False
) -> Signature:
    """The signature of operator `name`; ArgumentError for functions that do not fit together.

    An operator of that name must not be there, unless it `is_free`.
    """
    if not _NAME.fullmatch(name):
        raise ArgumentError(f"an operator has a name such as 'mylib::rmsnorm', found {name!r}")
    namespace, _, short = name.partition("::")
    if not is_free and hasattr(getattr(torch.ops, namespace), short):
        raise ArgumentError(f"operator {name!r} is registered already; give this one another name")
    launched, taken = _parameters(name, "the function", launch), _parameters(name, "out=", out)
    for parameter in taken:
        if parameter not in launched:
            raise ArgumentError(
                f"operator {name!r}: out= takes {parameter!r}, which the function does not have; "
                f"its parameters are {', '.join(launched)}"
            )
    outputs = [p for p in launched if p not in taken and launched[p].default is _EMPTY]
    if not outputs:
        raise ArgumentError(
            f"operator {name!r} has no output: the function needs a parameter that out= does not take, for the tensor "
            "that it writes"
        )
    inputs = list(taken)
    typed = [_input(name, launched[parameter], taken[parameter].default) for parameter in inputs]
    result: Any = torch.Tensor if len(outputs) == 1 else tuple[(torch.Tensor,) * len(outputs)]  # type: ignore[misc]
    schema = torch.library.infer_schema(
        _with_signature(inspect.Signature(typed, return_annotation=result)), mutates_args=()
    )
    order = []
    for parameter, declared in launched.items():
        if parameter in taken:
            order.append(("input", inputs.index(parameter)))
        elif parameter in outputs:
            order.append(("output", outputs.index(parameter)))
        else:
            order.append(("default", declared.default))
    while order and order[-1][0] == "default":
        order.pop()
    defaults = tuple(parameter.default for parameter in typed)
    kinds = [parameter.annotation for parameter in typed]
    plain = tuple(place for place, kind in enumerate(kinds) if kind is torch.Tensor)
    is_plain = all(kind is torch.Tensor or kind in _PLAIN for kind in kinds)
    text = f"{short}{schema}"
    return Signature(text, tuple(inputs), tuple(outputs), defaults, tuple(order), plain if is_plain else None)


def _parameters(name: str, what: str, function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    try:
        signature = inspect.signature(function, eval_str=True)
    except (TypeError, ValueError, NameError) as error:
        raise ArgumentError(f"operator {name!r}: {what} has no signature: {error}") from None
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ArgumentError(f"operator {name!r}: {what} takes {parameter}, name the parameters")
    return dict(signature.parameters)


def _input(name: str, parameter: inspect.Parameter, default: Any) -> inspect.Parameter:
    """An argument of the operator, by the annotation that the function has; a default of `out=` counts first."""
    kind = torch_type(parameter.annotation)
    if kind is None:
        raise ArgumentError(
            f"operator {name!r}: parameter {parameter.name!r} is annotated with {parameter.annotation!r}; an operator "
            "takes torch.Tensor (fx.Tensor), int, float, bool, str, torch.dtype and torch.device, lists of tensors and "
            "numbers, and each of these or None"
        )
    value = parameter.default if default is _EMPTY else default
    return inspect.Parameter(parameter.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value, annotation=kind)


def torch_type(annotation: Any) -> Any:
    """What torch calls the type of a parameter: of ours, of Python or of torch; None for others."""
    from flydsl.expr import Constexpr, Numeric, Tensor

    origin = get_origin(annotation)
    if origin is Constexpr:
        return torch_type(get_args(annotation)[0])
    if origin in (Union, UnionType):
        kinds = [torch_type(one) for one in get_args(annotation) if one is not NoneType]
        return kinds[0] | None if len(kinds) == 1 < len(get_args(annotation)) and kinds[0] else None
    if origin in (list, Sequence):
        kind = torch_type(get_args(annotation)[0])
        return None if kind in (None, str) else Sequence[kind]  # type: ignore[valid-type]
    if not isinstance(annotation, type):
        return None
    if issubclass(annotation, torch.Tensor | Tensor):
        return torch.Tensor
    if issubclass(annotation, Numeric):
        return float if annotation.is_float else bool if annotation.width == 1 else int
    return annotation if annotation in _PLAIN else None


def _with_signature(signature: inspect.Signature) -> Callable[..., Any]:
    def operator() -> None: ...

    operator.__signature__ = signature  # type: ignore[attr-defined]
    return operator
