"""`call` and `jax_kernel`: kernel functions as functions of JAX, eager and traced."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial, update_wrapper
from typing import TYPE_CHECKING, Any

import jax

from flydsl.backend.frameworks import GlobalObject, blocks
from flydsl.base.errors import FlyDSLError
from flydsl.jax.differentiate import Backward, Call, Derivative, Forward, derivative_of, differentiable
from flydsl.jax.internals import trace_state_clean
from flydsl.jax.launch import ARRAY, NUMBER, OPAQUE, Launch, exact, is_array
from flydsl.jax.numbers import NeedsValue, NumberParameter, OpenNumber, UnreadableNumberError, is_input, is_open, opened
from flydsl.jax.options import Batchable, Options, make_options
from flydsl.jax.partition import ShardingRule, partitioned
from flydsl.jax.primitive import bind, refuse_derivative
from flydsl.jax.results import Results
from flydsl.jax.signature import bind_launch, number_parameters

if TYPE_CHECKING:
    from flydsl.compiler import JitFunction

_MAX_FORMS = 1024


class JaxKernel(GlobalObject):
    """A kernel function as a function of JAX: inputs in, new arrays out, eager and inside of every transformation.

    `jax_kernel` makes one and says what the arguments mean.
    """

    def __init__(
        self,
        function: JitFunction,
        out: Any,
        options: Options,
        *,
        sharding_rule: str = "",
        vjp: Derivative | None = None,
    ) -> None:
        self.function, self.options, self.sharding_rule = function, options, sharding_rule
        self.out = out if callable(out) else Results.of(function.__name__, out, (), {})
        self._vjp = vjp
        update_wrapper(self, function, updated=())
        if sharding_rule:
            ShardingRule.parse(sharding_rule)
        inputs = [p for p in function.parameters if p.name not in options.outputs and p.kind != "stream"]
        self._takes_arrays_only = all(parameter.kind == "tensor" for parameter in inputs)
        self._forget()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs for these inputs, in the container of `out`.

        Arrays are inputs; numbers and compile-time values become part of the call. The same function runs at once on
        arrays and inside of `jax.jit`; what the kernel reads besides is read when a call of its kind is first traced.
        """
        if blocks.open:  # of interpreted calls, of which nothing is kept
            return self._trace(args, kwargs)
        if self._takes_arrays_only and not kwargs:
            try:
                return self._of_arrays(*args)
            except TypeError as error:
                if not isinstance(error, FlyDSLError) and not all(map(is_input, args)):
                    self._trace(args, {})  # says what is wrong
                raise
        names, given = tuple(kwargs), (*args, *kwargs.values())
        if trace_state_clean():  # a number inside of a transformation is as constant as the code that passes it
            kind = (names, *map(type, given))
            numbers = self._numbers.get(kind)
            if numbers is None:
                numbers = self._numbers.setdefault(kind, self._find_numbers(args, kwargs))
            if numbers:
                try:
                    return self._of_form(names, opened(self.function.__name__, given, numbers))
                except (NeedsValue, UnreadableNumberError):
                    self._numbers[kind] = ()
        return self._of_form(names, given)

    def _of_form(self, names: tuple[str, ...], given: Sequence[Any]) -> Any:
        """The outputs; keywords, which have `names`, are the last of what is given."""
        form = (names, *map(exact, given))
        program = self._forms.get(form)
        if program is None:
            program = self._add_form(form, given, names)
        return program(*[getattr(value, "operand", value) for value in given if is_array(value) or is_open(value)])

    def defvjp(self, forward: Forward | None, backward: Backward) -> None:
        """Set the derivative: as `vjp` of `jax_kernel`."""
        self._vjp = derivative_of(self.function.__name__, (forward, backward))
        self._forget()

    def _forget(self) -> None:
        self._of_arrays = jax.jit(lambda *args: self._trace(args, {}), inline=True)
        self._forms: dict[Any, Any] = {}
        self._numbers: dict[Any, tuple[NumberParameter, ...]] = {}

    def _find_numbers(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[NumberParameter, ...]:
        """The numbers among the arguments that a program of XLA can take as its inputs."""
        if self.sharding_rule:  # it names the modes of arrays
            return ()
        return number_parameters(self.function, args, kwargs, self.out, self.options)

    def _add_form(self, form: Any, given: Sequence[Any], names: tuple[str, ...]) -> Any:
        """A program for calls with these numbers and compile-time values; all but the inputs is kept."""
        values = [ARRAY if is_array(value) else NUMBER if is_open(value) else value for value in given]
        first = len(given) - len(names)

        def program(*inputs: Any) -> Any:
            rest = iter(inputs)
            filled = [
                next(rest) if value is ARRAY else OpenNumber(next(rest)) if value is NUMBER else value
                for value in values
            ]
            return self._trace(filled[:first], dict(zip(names, filled[first:], strict=True)))

        made = jax.jit(program, inline=True)
        if OPAQUE in form:  # a container, or an object of another type: nothing says cheaply whether it has changed
            return program
        if len(self._forms) >= _MAX_FORMS:
            self._forms.clear()
        return self._forms.setdefault(form, made)

    def _trace(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        launch, arrays, results = bind_launch(self.function, args, kwargs, self.out, self.options)
        make = _function if launch.is_interpreted else _jitted
        return results.unflatten(make(launch, results.tree, self.sharding_rule, self._vjp)(*arrays))

    def __repr__(self) -> str:
        return f"<jax kernel {self.function.__qualname__}>"


def _function(launch: Launch, tree: Any, sharding_rule: str, vjp: Derivative | None) -> Call:
    """The list of outputs as a function of the arrays."""
    if not sharding_rule or launch.is_interpreted:  # XLA cannot split what Python runs
        call: Call = lambda *arrays: bind(launch, arrays)  # noqa: E731
        return call if vjp is None else differentiable(call, launch, tree, vjp)
    refuse = partial(refuse_derivative, launch=launch)
    return differentiable(partitioned(launch, sharding_rule), launch, tree, vjp or Derivative(refuse, refuse))


@lru_cache(maxsize=1024)
def _jitted(launch: Launch, tree: Any, sharding_rule: str, vjp: Derivative | None) -> Any:
    return jax.jit(_function(launch, tree, sharding_rule, vjp), inline=True)


def call(
    function: JitFunction,
    *args: Any,
    out: Any,
    outputs: Sequence[str] = (),
    aliases: Mapping[int, int] | None = None,
    static_layout: bool | Collection[str] = False,
    assumed_align: int | Mapping[str, int] | None = None,
    has_side_effect: bool = False,
    batchable: Batchable = False,
    sharding_rule: str = "",
    vjp: tuple[Forward | None, Backward] | None = None,
    **kwargs: Any,
) -> Any:
    """The outputs of one call of a `@flyc.jit` function: `jax_kernel` has what the arguments mean.

    A keyword that is none of these is an argument of the function.
    """
    options = make_options(function, outputs, aliases, static_layout, assumed_align, has_side_effect, batchable)
    results = Results.of(function.__name__, out, args, kwargs)
    return _kernel(function, results, options, sharding_rule, vjp)(*args, **kwargs)


@lru_cache(maxsize=1024)
def _kernel(function: JitFunction, out: Results, options: Options, sharding_rule: str, vjp: Any) -> JaxKernel:
    return JaxKernel(function, out, options, sharding_rule=sharding_rule, vjp=derivative_of(function.__name__, vjp))


def jax_kernel(
    function: JitFunction | None = None,
    *,
    out: Any,
    outputs: Sequence[str] = (),
    aliases: Mapping[int, int] | None = None,
    static_layout: bool | Collection[str] = False,
    assumed_align: int | Mapping[str, int] | None = None,
    has_side_effect: bool = False,
    batchable: Batchable = False,
    sharding_rule: str = "",
    vjp: tuple[Forward | None, Backward] | None = None,
) -> Any:
    """A `@flyc.jit` function as a function of JAX. Without `function`, a decorator to put above `@flyc.jit`.

    The parameters of the function are its inputs and then its outputs: the last ones annotated with `fx.Tensor`, as
    many as `out` has, or those that `outputs` names. A caller passes all but the outputs and streams.

    `out` describes the outputs: arrays or jax.ShapeDtypeStructs in any container, or a function that returns such,
    called as the kernel is with a jax.ShapeDtypeStruct for each array. An output has undefined elements where no kernel
    writes. `aliases` maps numbers of inputs to numbers of outputs that take their memory, which XLA copies before
    unless the caller donates the input; an output without a parameter of its own is its input, updated in place.

    `static_layout` makes shapes and strides part of the code, of all tensors or of the parameters that it names;
    `assumed_align` are the bytes that their addresses are multiples of. A call whose outputs nobody uses is left out
    unless it `has_side_effect`.

    `batchable` is what `jax.vmap` may do: True passes arrays with one more leading mode to the function, 'sequential'
    calls it for each element. `vjp` are a forward function, `(*inputs) -> outputs, residuals` or None for the arrays as
    residuals, and a backward one, `(residuals, cotangents) -> cotangent of each array`. `sharding_rule` such as
    'i j, j -> i j' lets each device run the kernel on its part of sharded arrays.
    """
    if function is None:
        return lambda found: jax_kernel(
            found,
            out=out,
            outputs=outputs,
            aliases=aliases,
            static_layout=static_layout,
            assumed_align=assumed_align,
            has_side_effect=has_side_effect,
            batchable=batchable,
            sharding_rule=sharding_rule,
            vjp=vjp,
        )
    options = make_options(function, outputs, aliases, static_layout, assumed_align, has_side_effect, batchable)
    return JaxKernel(function, out, options, sharding_rule=sharding_rule, vjp=derivative_of(function.__name__, vjp))
