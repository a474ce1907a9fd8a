"""Derivatives that the caller gives: forward and backward functions around a kernel call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from flydsl.base.errors import ArgumentError, UnsupportedTransformError
from flydsl.jax.internals import aligned
from flydsl.jax.launch import ARRAY, NUMBER, Baked, Launch, is_plain

Call = Callable[..., Sequence[Any]]
"""A call with arrays only, which gives the list of its outputs."""
Forward = Callable[..., tuple[Any, Any]]
Backward = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Derivative:
    """`forward(*inputs)` gives the outputs and what `backward(residuals, cotangents)` needs to make the cotangents of
    the arrays among the inputs. Without a `forward` the residuals are these arrays.
    """

    forward: Forward | None
    backward: Backward


@jax.tree_util.register_dataclass
@dataclass(frozen=True, slots=True)
class Kept:
    """A residual that is no array, such as a number of the call: it stays what it is."""

    baked: Baked = field(metadata={"static": True})


def derivative_of(name: str, vjp: Any) -> Derivative | None:
    """The derivative that a caller of the function `name` gives; ArgumentError for what is none."""
    if vjp is None:
        return None
    is_pair = isinstance(vjp, tuple | list) and len(vjp) == 2
    if not is_pair or not callable(vjp[1]) or not (vjp[0] is None or callable(vjp[0])):
        raise ArgumentError(
            f"{name}: vjp is a pair of functions, (forward, backward) or (None, backward), found {vjp!r}"
        )
    return Derivative(*vjp)


def differentiable(call: Call, launch: Launch, tree: Any, rule: Derivative) -> Call:
    """`call` with the derivative of `rule`; `tree` is the container of the outputs."""

    def forward(*arrays: Any) -> tuple[Sequence[Any], Any]:
        if rule.forward is None:
            return call(*arrays), arrays[: launch.arrays]
        out, residuals = rule.forward(*launch.arguments(arrays).values())
        outputs, made = jax.tree.flatten(out)
        if made != tree:
            raise ArgumentError(f"{launch.name}: forward gives outputs as {made}, and `out` describes {tree}")
        return outputs, jax.tree.map(lambda leaf: Kept(Baked(leaf)) if is_plain(leaf) else leaf, residuals)

    def backward(residuals: Any, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        residuals = jax.tree.map(
            lambda leaf: leaf.baked.value if isinstance(leaf, Kept) else leaf,
            residuals,
            is_leaf=lambda node: isinstance(node, Kept),
        )
        found = rule.backward(residuals, jax.tree.unflatten(tree, cotangents))
        gradients = tuple(found) if isinstance(found, tuple | list) else (found,)
        names = launch.parameters_of(ARRAY)
        if len(gradients) != len(names):
            raise ArgumentError(
                f"{launch.name}: backward gives {len(gradients)} cotangents, expected one for each array: "
                f"{', '.join(map(repr, names))}"
            )
        return (*gradients, *[None] * launch.leaves.count(NUMBER))

    @jax.custom_jvp
    def constant(number: Any) -> Any:
        return number

    @constant.defjvp
    def refuse(*_: Any) -> Any:
        numbers = ", ".join(map(repr, launch.parameters_of(NUMBER)))
        raise UnsupportedTransformError(
            f"the kernel function {launch.name!r} has no derivative by its numbers ({numbers}), only by its arrays: "
            "make the parameter a fx.Tensor of shape (), or pass jax.lax.stop_gradient(number)"
        )

    wrapped = jax.custom_vjp(call)
    wrapped.defvjp(forward, backward)
    # outside of the derivative, which is then of arrays that all vary over the same axes of a mesh
    return lambda *arrays: wrapped(*aligned([*arrays[: launch.arrays], *map(constant, arrays[launch.arrays :])]))
