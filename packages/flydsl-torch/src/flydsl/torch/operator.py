"""Operators of torch made of kernels: functional, with autograd and vmap where rules are registered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NoReturn

import torch

from flydsl.backend.frameworks import GlobalObject
from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.torch.operator_schema import signature_of, tensors_of
from flydsl.torch.recording import autograd_kernel

Tensors = torch.Tensor | tuple[torch.Tensor, ...]

_is_excluded, _ExcludeGuard = torch._C._dispatch_tls_is_dispatch_key_excluded, torch._C._SetExcludeDispatchKeyGuard
_VIEWS = torch._C.DispatchKey.ADInplaceOrView
"""What lets a view share the version of its tensor."""
_libraries: dict[str, tuple[Callable[..., object], torch.library.Library]] = {}
"""By the name of the operator: its function, and what torch knows of it."""


def op(name: str, *, out: Callable[..., Tensors]) -> Callable[[Callable[..., object]], Operator]:
    """Decorate a function that launches kernels, or a @jit function: the operator `name`, such as "mylib::rmsnorm".

    `out` takes the arguments of the operator and allocates its outputs, by torch operations on shapes that may be
    symbols. Its parameters are parameters of the function, which has one more for each output.
    """

    def decorate(launch: Callable[..., object]) -> Operator:
        return Operator(name, launch, out)

    return decorate


class Operator(GlobalObject):
    """A functional operator: it allocates outputs, launches, and returns them. torch sees nothing of the inside."""

    def __init__(self, name: str, launch: Callable[..., object], out: Callable[..., Tensors]) -> None:
        self._signature = signature_of(name, launch, out, is_free=_is_defined_again(name, launch))
        self.name, self._launch, self._out = name, launch, out
        self.__name__, self.__doc__ = name.partition("::")[2], launch.__doc__
        self.__module__ = getattr(launch, "__module__", __name__)
        self.__qualname__ = getattr(launch, "__qualname__", self.__name__)
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., None] | None = None
        self._vmap: Callable[..., Any] = self._map
        self._library = library = _new_library(name, launch)
        library.define(self._signature.schema)  # type: ignore[no-untyped-call]
        library.impl(self.__name__, self._run, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
        torch.library.register_fake(name, self._allocate, lib=library)
        packet = getattr(getattr(torch.ops, name.partition("::")[0]), self.__name__)
        self._overload = packet.default
        kernel = autograd_kernel(self._overload, self._differentiate, self._save, self._signature.completed)
        library.impl(self.__name__, kernel, "Autograd", with_keyset=True)  # type: ignore[no-untyped-call]
        torch.library.register_vmap(name, self._batch, lib=library)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs, new tensors, for these arguments."""
        return self._overload(*args, **kwargs)

    def register_backward(
        self, backward: Callable[..., Any], *, setup_context: Callable[..., None] | None = None
    ) -> Callable[..., Any]:
        """Register `backward(ctx, *gradients)`: a gradient, or None, for each argument, as in torch.autograd.Function.

        `setup_context(ctx, inputs, output)` saves what it needs. The kernels of a second derivative are operators too.
        """
        self._backward, self._setup_context = backward, setup_context
        return backward

    def register_autocast(self, device_type: str, dtype: torch.dtype) -> None:
        """Let `torch.autocast` of this type of device cast floating-point inputs to `dtype`."""
        torch.library.register_autocast(self.name, device_type, dtype, lib=self._library)

    def register_vmap(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Register `rule(info, in_dims, *args)`, which gives the batched outputs and their batch dimensions.

        Without one, torch.vmap calls the operator once for each sample.
        """
        self._vmap = rule
        return rule

    def _allocate(self, *args: Any) -> Any:
        made = self._made(self._out(*self._signature.completed(args)))
        return made[0] if self._signature.is_single else made

    def _made(self, outs: Any) -> tuple[torch.Tensor, ...]:
        """The outputs that out= made; ArgumentError for others than those of the signature."""
        count = len(self._signature.outputs)
        found = (outs,) if isinstance(outs, torch.Tensor) else outs
        right = isinstance(found, tuple | list) and all(isinstance(tensor, torch.Tensor) for tensor in found)
        if not right or len(found) != count:
            raise ArgumentError(f"out= of operator {self.name!r} returns {count} new tensors, found {_shown(outs)}")
        return tuple(found)

    def _run(self, *args: Any) -> Any:
        """The outputs of a launch, below autograd."""
        if not _is_excluded(_VIEWS):
            return self._launched(args)
        with _ExcludeGuard(_VIEWS, False):  # below a dispatch mode a view would have a version of its own
            return self._launched(args)

    def _launched(self, args: tuple[Any, ...]) -> Any:
        """Launch, and see by their versions that outputs were written and inputs were not."""
        signature = self._signature
        if len(args) < len(signature.inputs):
            args = signature.completed(args)
        outs = self._out(*args)
        made = (outs,) if signature.is_single and type(outs) is torch.Tensor else self._made(outs)
        tensors = signature.tensors(args)
        count = len(tensors)
        tensors.extend(made)
        before = _versions(tensors)
        self._launch(*signature.arranged(args, made))
        after = _versions(tensors)
        if after[:count] != before[:count]:
            self._refuse_writes(args, before)
        for index in range(count, len(after)):
            if after[index] == before[index] is not None:
                name = signature.outputs[index - count]
                raise RuntimeFailure(f"no kernel of operator {self.name!r} writes its output {name!r}")
        return made[0] if signature.is_single else made

    def _refuse_writes(self, args: tuple[Any, ...], before: list[int | None]) -> NoReturn:
        signature, known = self._signature, iter(before)
        for name, value in zip(signature.inputs, args, strict=True):
            tensors = tensors_of((value,))
            if any(version != next(known) for version in _versions(tensors)):
                raise RuntimeFailure(
                    f"operator {self.name!r} writes its input {name!r}; let it write a new tensor, which out= makes"
                )
        raise AssertionError(f"the versions {before} changed")

    def _batch(self, info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        return self._vmap(info, in_dims, *args)

    def _map(self, info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        """The operator called once for each sample."""

        def sample(index: int, select: Callable[..., Any]) -> list[Any]:
            def of(arg: Any, dim: Any) -> Any:
                if isinstance(dim, list | tuple):
                    return [of(*pair) for pair in zip(arg, dim, strict=True)]
                return arg if dim is None else select(arg, dim, index)

            dims = (*in_dims, *(None,) * (len(args) - len(in_dims)))
            return [of(arg, dim) for arg, dim in zip(args, dims, strict=True)]

        is_single = self._signature.is_single
        if info.batch_size == 0:
            made = self._allocate(*sample(0, lambda arg, dim, _: arg.sum(dim)))
            empty = [tensor.new_empty((0, *tensor.shape)) for tensor in ((made,) if is_single else made)]
            return (empty[0], 0) if is_single else (tuple(empty), (0,) * len(empty))
        results = [self(*sample(index, torch.select)) for index in range(info.batch_size)]
        if is_single:
            return torch.stack(results), 0
        stacked = tuple(torch.stack(outs) for outs in zip(*results, strict=True))
        return stacked, (0,) * len(stacked)

    def _save(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        if self._setup_context is not None:
            self._setup_context(ctx, inputs, output)

    def _differentiate(self, ctx: Any, *gradients: Any) -> Any:
        if self._backward is None:
            raise RuntimeFailure(
                f"operator {self.name!r} has no backward, and a gradient goes through it: register one with "
                "register_backward, or call it on tensor.detach()"
            )
        found = self._backward(ctx, *gradients)
        if torch.is_grad_enabled():  # create_graph=True
            self._check_second_derivative(ctx, gradients, found)
        return found

    def _check_second_derivative(self, ctx: Any, gradients: Sequence[Any], found: Any) -> None:
        results = found if isinstance(found, tuple | list) else (found,)
        sources = (*gradients, *ctx.saved_tensors)
        if _any_recorded(sources) and not _any_recorded(results):
            raise RuntimeFailure(
                f"the backward of operator {self.name!r} calls kernels that autograd cannot see, so a second "
                "derivative would be wrong; make them operators with a backward of their own"
            )

    def __repr__(self) -> str:
        return f"<operator {self.name}{self._signature.shown}>"


def _is_defined_again(name: str, launch: Callable[..., object]) -> bool:
    """Whether the operator is that of an earlier definition of the same function, as in a cell of a notebook."""
    known = _libraries[name][0] if name in _libraries else launch
    homes = [(getattr(one, "__module__", ""), getattr(one, "__qualname__", "")) for one in (known, launch)]
    return known is not launch and homes[0] == homes[1]


def _new_library(name: str, launch: Callable[..., object]) -> torch.library.Library:
    """A library for the operator `name` alone, in place of one that there is."""
    if name in _libraries:
        _libraries.pop(name)[1]._destroy()  # type: ignore[no-untyped-call]
    library = torch.library.Library(name.partition("::")[0], "FRAGMENT")  # type: ignore[no-untyped-call]
    _libraries[name] = launch, library
    return library


_version_of = attrgetter("_version")


def _versions(tensors: Sequence[torch.Tensor]) -> list[int | None]:
    """The version counters of tensors; None for one that has none."""
    try:
        return [*map(_version_of, tensors)]  # no frame of Python: it is asked twice a call
    except RuntimeError:  # of inference
        return [None if tensor.is_inference() else tensor._version for tensor in tensors]


def _any_recorded(values: Sequence[Any]) -> bool:
    return any(isinstance(value, torch.Tensor) and value.requires_grad for value in values)


def _shown(outs: object) -> str:
    if isinstance(outs, tuple | list):
        return f"{len(outs)} of types {', '.join(type(item).__name__ for item in outs)}"
    return type(outs).__name__
