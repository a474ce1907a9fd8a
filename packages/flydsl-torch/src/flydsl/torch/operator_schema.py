"""Schemas of operators: what torch is told of the arguments of a function that launches kernels."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import torch

from flydsl.base.errors import ArgumentError

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*")
_PLAIN = (int, float, bool, str, torch.dtype, torch.device)
_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of an operator, its outputs, and how both are passed to the function that launches."""

    schema: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    defaults: tuple[Any, ...]
    """For each input its default, which torch leaves out of calls; empty where there is none."""
    order: tuple[tuple[str, Any], ...]
    """For each parameter of the function: ('input' | 'output', index), or ('default', value)."""

    @property
    def shown(self) -> str:
        """The schema without the name."""
        return self.schema[self.schema.index("(") :]

    def completed(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """All arguments: torch leaves out those that have their default."""
        return args + self.defaults[len(args) :]

    def arranged(self, args: Sequence[Any], outs: Sequence[torch.Tensor]) -> list[Any]:
        """The arguments of the function."""
        found = {"input": args, "output": outs}
        return [what if kind == "default" else found[kind][what] for kind, what in self.order]


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
    return Signature(f"{short}{schema}", tuple(inputs), tuple(outputs), defaults, tuple(order))


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
