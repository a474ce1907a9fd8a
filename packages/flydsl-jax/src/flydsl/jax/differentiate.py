"""Derivatives that the caller gives: forward and backward functions around a kernel call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from flydsl.base.errors import ArgumentError
from flydsl.jax.launch import Launch

Call = Callable[..., Sequence[Any]]
"""A call with arrays only, which gives the list of its outputs."""


@dataclass(frozen=True, slots=True)
class Derivative:
    """`forward(*inputs)` gives the outputs and what `backward(residuals, cotangents)` needs to make the cotangents of
    the arrays among the inputs. Without a `forward` the residuals are these arrays.
    """

    forward: Callable[..., tuple[Any, Any]] | None
    backward: Callable[[Any, Any], Any]


def differentiable(call: Call, launch: Launch, tree: Any, rule: Derivative) -> Call:
    """`call` with the derivative of `rule`; `tree` is the container of the outputs."""

    def forward(*arrays: Any) -> tuple[Sequence[Any], Any]:
        if rule.forward is None:
            return call(*arrays), arrays
        out, residuals = rule.forward(*launch.arguments(arrays).values())
        outputs, made = jax.tree.flatten(out)
        if made != tree:
            raise ArgumentError(f"{launch.name}: forward gives outputs as {made}, and `out` describes {tree}")
        return outputs, residuals

    def backward(residuals: Any, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        found = rule.backward(residuals, jax.tree.unflatten(tree, cotangents))
        gradients = tuple(found) if isinstance(found, tuple | list) else (found,)
        names = launch.parameters_of_arrays()
        if len(gradients) != len(names):
            raise ArgumentError(
                f"{launch.name}: backward gives {len(gradients)} cotangents, expected one for each array: "
                f"{', '.join(map(repr, names))}"
            )
        return gradients

    wrapped = jax.custom_vjp(call)
    wrapped.defvjp(forward, backward)
    return wrapped
