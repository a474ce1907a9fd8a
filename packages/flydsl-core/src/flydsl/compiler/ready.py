"""The arguments of one call and loaded code in, what a stub needs to launch it out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flydsl.base.errors import UnsupportedTensorError
from flydsl.compiler.argument_tree import Leaves
from flydsl.compiler.arguments import BoundArgument, bind
from flydsl.compiler.hints import Hints
from flydsl.compiler.plan import Plan
from flydsl.compiler.stages import Artifact, Loaded
from flydsl.compiler.tensor_argument import TensorArgument, check_writable
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.plugins.selection import ActivePair

__all__ = ["Ready", "announce_tensors", "bind_leaves"]


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
    def written(self) -> frozenset[int]:
        """Positions of the leaves that some kernel writes."""
        return frozenset(self.loaded.artifact.written)


def bind_leaves(leaves: Leaves, device_kinds: frozenset[int]) -> list[BoundArgument]:
    """What each leaf of a call is bound to, for devices of these kinds."""
    return [bind(p, value, device_kinds) for p, value in zip(leaves.parameters, leaves.values, strict=True)]


def announce_tensors(function: str, leaves: Leaves, bound: Sequence[BoundArgument], artifact: Artifact) -> None:
    """Refuse tensors that cannot be written, and ask each framework before the first launch with its tensor."""
    for index, (parameter, argument, value) in enumerate(zip(leaves.parameters, bound, leaves.values, strict=True)):
        if argument.adaptor is None or argument.desc is None:
            continue
        written = index in artifact.written
        try:
            if written:
                check_writable(argument.desc, function)
            passed = value if argument.convert is None else argument.made
            tensor = passed.tensor if isinstance(passed, TensorArgument) else passed
            stream = argument.adaptor.current_stream(argument.desc.device)
            argument.adaptor.before_launch(tensor, stream, written)
        except UnsupportedTensorError as error:
            raise UnsupportedTensorError(f"argument {parameter.name!r}: {error}") from None
