"""The arguments of one call and loaded code in, what a stub needs to launch it out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import UnsupportedTensorError
from flydsl.compiler.argument_tree import Leaves
from flydsl.compiler.arguments import BoundArgument, bind
from flydsl.compiler.hints import Hints
from flydsl.compiler.plan import Plan
from flydsl.compiler.stages import Loaded
from flydsl.compiler.tensor_argument import TensorArgument, check_writable
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.plugins.selection import ActivePair
from flydsl.plugins.tensor_adaptor import TensorAdaptor, TensorDesc


class Ready(NamedTuple):
    """One call whose code is loaded: its arguments as given, the leaves of all, and what a stub needs to launch."""

    given: tuple[Any, ...]
    leaves: Leaves
    bound: Sequence[BoundArgument]
    plan: Plan
    loaded: Loaded
    runtime: DeviceRuntime
    pair: ActivePair
    hints: Hints

    @property
    def current(self) -> Callable[[], int] | None:
        """What tells the device of calls like this one: of several the current one, when no tensor is on any."""
        placed = any(b.desc is not None and b.desc.device.kind != DeviceKind.CPU for b in self.bound)
        return None if placed or self.runtime.device_count() < 2 else self.runtime.current_ordinal

    @property
    def written(self) -> frozenset[int]:
        """Positions of the leaves that some kernel writes."""
        return frozenset(self.loaded.artifact.written)


def bind_leaves(leaves: Leaves, device_kinds: frozenset[int]) -> list[BoundArgument]:
    """What each leaf of a call is bound to, for devices of these kinds."""
    return [bind(p, value, device_kinds) for p, value in zip(leaves.parameters, leaves.values, strict=True)]


def announce_tensors(
    function: str,
    leaves: Leaves,
    bound: Sequence[BoundArgument],
    written: Collection[int],
    stream_of: Callable[[TensorAdaptor, TensorDesc], int],
) -> None:
    """Refuse tensors that cannot be written, and ask each framework before the first launch with its tensor.

    `written` are positions of leaves; `stream_of` gives the stream of a launch, or refuses the tensor.
    """
    for index, (parameter, argument, value) in enumerate(zip(leaves.parameters, bound, leaves.values, strict=True)):
        if argument.adaptor is None or argument.desc is None:
            continue
        try:
            stream = stream_of(argument.adaptor, argument.desc)
            if index in written:
                check_writable(argument.desc, function)
            argument.adaptor.before_launch(passed_tensor(argument, value), stream, index in written)
        except UnsupportedTensorError as error:
            raise UnsupportedTensorError(f"argument {parameter.name!r}: {error}") from None


def passed_tensor(argument: BoundArgument, value: Any) -> Any:
    """The framework's tensor in a leaf of a call, which may be wrapped or made from something else."""
    passed = value if argument.convert is None else argument.made
    return passed.tensor if isinstance(passed, TensorArgument) else passed
