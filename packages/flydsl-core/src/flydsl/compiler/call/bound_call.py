"""A call whose arguments are bound: each leaf of them by its kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Self

from flydsl.adaptors.resolve import claiming_adaptor
from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import RuntimeFailure, UnsupportedTensorError
from flydsl.compiler.call.argument import BoundArgument
from flydsl.compiler.call.container import Leaves, expand, flat
from flydsl.compiler.call.kinds import bind
from flydsl.frontend.signature import ArgSpec, Parameter
from flydsl.plugins.active.stack import has_peer_access
from flydsl.plugins.tensor_adaptor import CallRecorder, DeviceRef, TensorAdaptor, TensorDesc

ANY_DEVICE: frozenset[int] = frozenset()
_BEGIN_ANYWHERE: ContextVar[bool] = ContextVar("flydsl_begin_anywhere", default=False)


@contextmanager
def tensors_begin_anywhere() -> Iterator[None]:
    """Calls within the block are compiled for tensors of any alignment: calls like them came with several."""
    token = _BEGIN_ANYWHERE.set(True)
    try:
        yield
    finally:
        _BEGIN_ANYWHERE.reset(token)


@dataclass(frozen=True, slots=True)
class BoundCall:
    """The arguments of one call, bound to the parameters of its function.

    `arguments` are the leaves of `values`, which holds defaults too: the caller passed the first `count`.
    """

    parameters: Sequence[Parameter]
    values: tuple[Any, ...]
    count: int
    leaves: Leaves
    arguments: tuple[BoundArgument, ...]

    @classmethod
    def of(
        cls,
        parameters: Sequence[Parameter],
        values: tuple[Any, ...],
        count: int | None = None,
        device_kinds: frozenset[int] = ANY_DEVICE,
    ) -> Self:
        """`values` bound to `parameters`, for memory of these DLPack device kinds; all of them passed by default."""
        leaves = expand(parameters, values)
        bound = tuple(map(bind, leaves.parameters, leaves.values, [device_kinds] * len(leaves.values)))
        return cls(parameters, values, len(values) if count is None else count, leaves, bound)

    def aligned_to(self, alignment: int) -> Self:
        """The call compiled for tensors that begin at multiples of so many bytes, as far as its own do."""
        if alignment == 1 or _BEGIN_ANYWHERE.get():
            return self
        return replace(self, arguments=tuple(argument.aligned_to(alignment) for argument in self.arguments))

    @property
    def passed(self) -> tuple[Any, ...]:
        """The arguments that the caller passed."""
        return self.values[: self.count]

    @property
    def passed_leaves(self) -> Sequence[Any]:
        """The leaves of the arguments that the caller passed."""
        return self.leaves.values[: self.leaves.first(self.count)]

    @property
    def held(self) -> tuple[Any, ...]:
        """What adaptors hold of each leaf during the call, by position; None of those that are no tensors."""
        return tuple(argument.held_value() for argument in self.arguments)

    @property
    def has_containers(self) -> bool:
        """Whether the caller passed an argument that is passed leaf by leaf."""
        return any(tree is not None for tree in self.leaves.trees[: self.count])

    def specs(self) -> dict[str, ArgSpec]:
        """The types of the arguments by parameter, which the code is made for."""
        names = [parameter.name for parameter in self.parameters]
        leaves = [argument.spec for argument in self.arguments]
        return dict(zip(names, self.leaves.specs(leaves), strict=True))

    def is_placeholder(self, device_kinds: frozenset[int]) -> bool:
        """Whether its memory is none that devices of these DLPack kinds work on: tensors of the host, null pointers."""
        live = {argument.is_live(device_kinds) for argument in self.arguments}
        return False in live and True not in live

    def devices(self) -> Iterator[DeviceRef]:
        """Where the tensors are, in order."""
        return (device for argument in self.arguments if (device := argument.device()) is not None)

    def ordinal(self, runtime: str) -> int | None:
        """The device that the kernels run on, that of the first tensor; None when no tensor is on one.

        UnsupportedTensorError for a tensor of another device, unless kernels of the first have been let in there.
        """
        first: BoundArgument | None = None
        for argument in self.arguments:
            device = argument.device()
            if device is None or device.kind == DeviceKind.CPU:
                continue
            if first is None:
                first, here = argument, device
            elif (
                device.kind == here.kind
                and device != here
                and not has_peer_access(runtime, here.ordinal, device.ordinal)
            ):
                raise UnsupportedTensorError(
                    f"argument {argument.parameter.name!r}: the tensor is on device {device.ordinal}, and kernels run "
                    f"on device {here.ordinal}, that of {first.parameter.name!r}; move one of them, or call "
                    f"Device({here.ordinal}).enable_access(Device({device.ordinal})) once"
                )
        return None if first is None else here.ordinal

    def announce(
        self, function: str, written: Collection[int], stream_of: Callable[[TensorAdaptor, TensorDesc], int]
    ) -> None:
        """Refuse tensors that cannot be written, and tell each framework of the first launch with its tensor.

        `written` are positions of leaves; `stream_of` gives the stream of a launch, or refuses the tensor.
        """
        for index, argument in enumerate(self.arguments):
            argument.announce(function, stream_of, index in written)

    def refuse_capture(self, function: str) -> None:
        """RuntimeFailure when a framework is capturing launches on a device of the tensors: no code is loaded there."""
        for argument in self.arguments:
            if argument.is_captured():
                raise RuntimeFailure(
                    f"{function!r} is not loaded for these arguments, and the current stream is being captured, where "
                    "code cannot be loaded; call it with such arguments once before the capture"
                )

    def check(self) -> Callable[[Sequence[Any]], None]:
        """A function that raises what is wrong with the passed leaves of another call; it keeps no argument of this one
        but the defaults.
        """
        parameters, defaults = self.leaves.parameters, self.leaves.values[self.leaves.first(self.count) :]

        def check(leaves: Sequence[Any]) -> None:
            for parameter, value in zip(parameters, (*leaves, *defaults), strict=True):
                bind(parameter, value, ANY_DEVICE).check_launch()

        return check


def call_recorder(parameters: Sequence[Parameter], values: Sequence[Any]) -> CallRecorder | None:
    """What records a call with these arguments, when one of them only stands for a tensor."""
    try:
        leaves = flat(parameters, values)[1]
    except RecursionError:  # a container in itself, which is refused with its name
        return None
    for leaf in leaves:
        adaptor = claiming_adaptor(type(leaf))
        if adaptor is not None and (recorder := adaptor.recorder(leaf)) is not None:
            return recorder
    return None
