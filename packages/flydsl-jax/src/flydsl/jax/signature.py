"""The parameters of a kernel function as a function of JAX: which are outputs, and which take what a caller passes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from flydsl.backend.frameworks import is_interpreting
from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.jax.launch import ARRAY, NUMBER, Baked, Launch, is_array
from flydsl.jax.numbers import NumberParameter, OpenNumber, element, is_plain_number, python_literal, traced_operand
from flydsl.jax.options import Options, listed
from flydsl.jax.results import Results, kernel_dtype

if TYPE_CHECKING:
    from flydsl.compiler import JitFunction


class Signature:
    """The parameters of `function` with these results.

    Those in `options.outputs` are the outputs, in that order; by default the last ones annotated as tensors. Results
    with their names, such as in a dict, are found by name. An output that aliases an input has no parameter of its own
    where `is_shared`. Parameters for streams are left out: the stream is that of the caller's computation.
    """

    def __init__(self, function: JitFunction, results: Results, options: Options, is_shared: bool) -> None:
        self.name = function.__name__
        self.kinds = {parameter.name: parameter.kind for parameter in function.parameters}
        self.scalars = {p.name: p.scalar for p in function.parameters if p.scalar is not None}
        aliased = {target for _, target in options.aliases} if is_shared else set()
        labels = tuple([label for index, label in enumerate(results.labels) if index not in aliased])
        own = len(labels)
        self.outputs = options.outputs or self._last_tensors(own)
        if unknown := [name for name in self.outputs if name not in self.kinds]:
            raise ArgumentError(f"{self.name}: outputs name {unknown[0]!r}, the parameters are {listed(self.kinds)}")
        if len(self.outputs) != own:
            raise ArgumentError(
                f"{self.name}: `out` has {own} outputs with a parameter of their own, and outputs= names "
                f"{listed(self.outputs)}"
            )
        if options.aliases and results.sorted_keys:
            raise ArgumentError(
                f"{self.name}: aliases number the outputs, and jax sorts the keys {listed(results.sorted_keys)} of "
                "`out`: write them in that order, or a tuple"
            )
        self.outputs = self._in_order_of(labels, results.sorted_keys)
        given = inspect.signature(function.__wrapped__).parameters
        left_out = {*self.outputs, *(name for name, kind in self.kinds.items() if kind == "stream")}
        self.taken = inspect.Signature([given[name] for name in given if name not in left_out])

    def _last_tensors(self, count: int) -> tuple[str, ...]:
        tensors = [name for name, kind in self.kinds.items() if kind == "tensor"]
        if count > len(tensors):
            raise ArgumentError(
                f"{self.name} has {len(tensors)} parameters annotated with fx.Tensor, and `out` has {count} outputs, "
                "which are the last of them; annotate the parameters, or name those of the outputs: outputs=('c',)"
            )
        return tuple(tensors[len(tensors) - count :])

    def _in_order_of(self, labels: tuple[str, ...], sorted_keys: Sequence[str]) -> tuple[str, ...]:
        """The outputs as their results come; ArgumentError where names and positions say different things."""
        if sorted(labels) == sorted(self.outputs):
            return labels
        pairs = zip(labels, self.outputs, strict=True)
        if sorted_keys or any(label != name and label in self.outputs for label, name in pairs):
            keys = sorted_keys or labels
            raise ArgumentError(
                f"{self.name}: `out` has {listed(keys)}, which do not say which output is which (jax sorts the keys of "
                f"a dict): use the names of the outputs, {listed(self.outputs)}, or a tuple in their order"
            )
        return self.outputs

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by parameter; ArgumentError when they do not fit."""
        try:
            bound = dict(self.taken.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise ArgumentError(
                f"{self.name}: {error}; a call passes {listed(self.taken.parameters)}, and `out` describes the outputs "
                f"{listed(self.outputs)}"
            ) from None
        for name, value in bound.items():
            self._check(name, value)
        return bound

    def _check(self, name: str, value: Any) -> None:
        kind, leaves = self.kinds[name], jax.tree.leaves(value)
        arrays = [leaf for leaf in leaves if is_array(leaf)]
        if kind == "constexpr" and arrays:
            raise ArgumentError(
                f"{self.name}: {name!r} is a compile-time value, which becomes part of the call, found an array of "
                f"{arrays[0].dtype}{list(arrays[0].shape)}: pass a Python number, or make the parameter a fx.Float32, "
                "fx.Int32 or the like"
            )
        if kind == "tensor" and not is_plain_number(value) and (not arrays or len(arrays) < len(leaves)):
            raise ArgumentError(
                f"{self.name}: {name!r} is a tensor, found {type(value).__name__}: pass an array of jax or numpy, or a "
                "number"
            )
        if any(hasattr(jax.typeof(array), "inner_aval") for array in arrays):
            raise ArgumentError(
                f"{self.name}: {name!r} is a Ref of jax, which is no array: pass the array in it, ref[...]"
            )
        for array in arrays:
            kernel_dtype(f"{self.name}: input {name!r}", array.dtype)


@lru_cache(maxsize=1024)
def signature_of(function: JitFunction, results: Results, options: Options, is_shared: bool) -> Signature:
    """The signature, made once."""
    return Signature(function, results, options, is_shared)


def bind_launch(
    function: JitFunction, args: Sequence[Any], kwargs: Mapping[str, Any], out: Any, options: Options
) -> tuple[Launch, list[Any], Results]:
    """A call in three parts: what jax's caches compare, the arrays, and what the caller wants its results in."""
    results = Results.of(function.__name__, out, args, kwargs)
    is_shared = _shares(function, results, args, kwargs, options)
    signature = signature_of(function, results, options, is_shared)
    given = signature.bind(*jax.tree.map(python_literal, (tuple(args), dict(kwargs))))
    bound = {name: _element(signature, name, value) for name, value in given.items()}
    numbers = {
        name: value.operand if isinstance(value, OpenNumber) else _traced(signature, name, value)
        for name, value in bound.items()
        if isinstance(value, OpenNumber) or (name in signature.scalars and is_array(value))
    }
    leaves, tree = jax.tree.flatten([NUMBER if name in numbers else value for name, value in bound.items()])
    launch = Launch(
        function=function,
        names=tuple(bound),
        tree=tree,
        leaves=tuple(leaf if leaf is NUMBER else ARRAY if is_array(leaf) else Baked(leaf) for leaf in leaves),
        outputs=signature.outputs,
        results=results.avals,
        options=options,
        is_shared=is_shared,
        is_interpreted=is_interpreting(),
    )
    arrays = [leaf for leaf in leaves if is_array(leaf)]
    _check_aliases(launch, arrays)
    return launch, [*arrays, *numbers.values()], results


def number_parameters(
    function: JitFunction, args: Sequence[Any], kwargs: Mapping[str, Any], out: Any, options: Options
) -> tuple[NumberParameter, ...]:
    """The numbers of a call that need not be part of its code; none of a call that does not fit."""
    try:
        results = Results.of(function.__name__, out, args, kwargs)
        signature = signature_of(function, results, options, _shares(function, results, args, kwargs, options))
        order = dict(zip(kwargs, range(len(args), len(args) + len(kwargs)), strict=True))
        bound = signature.taken.bind(*range(len(args)), **order).arguments
    except (FlyDSLError, TypeError):
        return ()
    given = (*args, *kwargs.values())
    return tuple(
        NumberParameter(index, name, signature.scalars.get(name))
        for name, index in bound.items()
        if signature.kinds[name] in ("scalar", "tensor")
        and is_plain_number(given[index])
        and not is_array(given[index])
    )


def _traced(signature: Signature, name: str, value: Any) -> Any:
    return traced_operand(f"{signature.name}: {name!r}", signature.scalars[name], value)


def _element(signature: Signature, name: str, value: Any) -> Any:
    """A number for a tensor as jax makes an array of it; anything else as it is."""
    if signature.kinds[name] == "tensor" and is_plain_number(value) and not is_array(value):
        return element(value)
    return value.item() if name in signature.scalars and isinstance(value, np.ndarray) and value.shape == () else value


def _shares(
    function: JitFunction, results: Results, args: Sequence[Any], kwargs: Mapping[str, Any], options: Options
) -> bool:
    """Whether aliased outputs have no parameters of their own: then there is one for each array and other output."""
    if not options.aliases:
        return False
    own = len(results.avals) - len(options.aliases)
    if options.outputs:
        return len(options.outputs) == own
    tensors = sum(parameter.kind == "tensor" for parameter in function.parameters)
    if any(parameter.kind == "scalar" for parameter in function.parameters):  # numbers may be arrays, too
        try:
            signature = signature_of(function, results, options, True)
            bound = signature.taken.bind(*args, **kwargs).arguments
        except (ArgumentError, TypeError):
            return False
        tensors_passed = [value for name, value in bound.items() if signature.kinds[name] == "tensor"]
        return all(is_array(value) or is_plain_number(value) for value in tensors_passed)
    return sum(map(is_array, jax.tree.leaves((args, kwargs)))) + own == tensors


def _check_aliases(launch: Launch, arrays: Sequence[Any]) -> None:
    for source, target in launch.options.aliases:
        if not (0 <= source < len(arrays) and 0 <= target < len(launch.results)):
            raise ArgumentError(
                f"{launch.name}: aliases have {source}: {target}, and there are {len(arrays)} inputs and "
                f"{len(launch.results)} outputs, counted from 0"
            )
        array, (shape, dtype) = arrays[source], launch.results[target]
        if (tuple(array.shape), array.dtype) != (shape, dtype):
            raise ArgumentError(
                f"{launch.name}: aliases have {source}: {target}, and the input is {array.dtype}{list(array.shape)}, "
                f"the output {dtype}{list(shape)}: they share memory only when they are alike"
            )
