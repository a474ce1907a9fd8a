"""Options of kernel calls, checked against the parameters of the function."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from flydsl.base.errors import ArgumentError

if TYPE_CHECKING:
    from flydsl.compiler import JitFunction

Batchable = bool | Literal["sequential"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a kernel function is called; `alignment` is in bytes by parameter."""

    outputs: tuple[str, ...] = ()
    aliases: tuple[tuple[int, int], ...] = ()
    static_layout: frozenset[str] = frozenset()
    alignment: tuple[tuple[str, int], ...] = ()
    has_side_effect: bool = False
    batchable: Batchable = False


def make_options(
    function: JitFunction,
    outputs: Sequence[str],
    aliases: Mapping[int, int] | None,
    static_layout: bool | Collection[str],
    assumed_align: int | Mapping[str, int] | None,
    has_side_effect: bool,
    batchable: Batchable,
) -> Options:
    """The options as `jax_kernel` takes them; ArgumentError for what fits no parameter."""
    from flydsl.compiler import JitFunction

    if not isinstance(function, JitFunction):
        raise ArgumentError(
            f"a kernel of jax is a function decorated with @flyc.jit, found {type(function).__name__} {function!r}"
        )
    name = function.__name__
    if isinstance(outputs, str) or not all(isinstance(one, str) for one in outputs):
        raise ArgumentError(f"{name}: outputs= is a tuple of names of parameters, found {outputs!r}")
    if batchable not in (False, True, "sequential"):
        raise ArgumentError(f"{name}: batchable is False, True or 'sequential', found {batchable!r}")
    tensors = [parameter.name for parameter in function.parameters if parameter.kind in ("tensor", "any")]
    static = tensors if static_layout is True else static_layout or ()
    aligned = dict.fromkeys(tensors, assumed_align) if isinstance(assumed_align, int) else assumed_align or {}
    for what, names in (("outputs", outputs), ("static_layout", static), ("assumed_align", aligned)):
        if unknown := [one for one in names if one not in tensors]:
            raise ArgumentError(
                f"{name}: {what}= names {unknown[0]!r}, and the tensors among its parameters are {listed(tensors)}"
            )
    pairs = tuple(sorted((aliases or {}).items()))
    targets = [target for _, target in pairs]
    if len(set(targets)) != len(targets):
        raise ArgumentError(f"{name}: aliases give one output to several inputs: {dict(pairs)!r}")
    return Options(
        outputs=tuple(outputs),
        aliases=pairs,
        static_layout=frozenset(static),
        alignment=tuple(sorted(aligned.items())),
        has_side_effect=bool(has_side_effect),
        batchable=batchable,
    )


def listed(names: Iterable[str]) -> str:
    """Names for a message."""
    return ", ".join(map(repr, names)) or "none"
