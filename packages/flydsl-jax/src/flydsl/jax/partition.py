"""Kernel calls on sharded arrays: each device runs the kernel on its own part, by a rule like that of an einsum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Self

import jax
from jax.custom_batching import custom_vmap
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from flydsl.base.errors import ArgumentError
from flydsl.jax.launch import NUMBER, Launch
from flydsl.jax.primitive import batched, bind

Axes = Any
"""The axes of a mesh that one mode is split over: None, a name, or several."""


@dataclass(frozen=True, slots=True)
class ShardingRule:
    """One name for each mode of each input and output: modes of one name are split alike.

    A mode that no output has is whole on each device: a kernel does not add up what others computed.
    """

    text: str
    inputs: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The rule of a text such as 'i j, j -> i j'; ArgumentError for another form."""
        sides = text.split("->")
        tensors = [tuple(tuple(one.split()) for one in side.split(",")) for side in sides]
        names = [name for side in tensors for one in side for name in one]
        if len(sides) != 2 or not all(name.isidentifier() for name in names):
            raise ArgumentError(
                f"sharding_rule is {text!r}, expected names for the modes of each input and output: 'i j, j -> i j'"
            )
        return cls(text, *tensors)

    def with_numbers(self, count: int) -> Self:
        """The rule for so many numbers behind the inputs, which each device has."""
        if not count:
            return self
        inputs, outputs = self.text.split("->")
        return replace(self, text=f"{inputs}{',' * count} ->{outputs}", inputs=(*self.inputs, *[()] * count))

    def check(self, launch: Launch, ranks: Sequence[int]) -> None:
        """ArgumentError unless the rule names each mode of inputs of these ranks, and of the outputs."""
        expected = [*ranks], [len(shape) for shape, _ in launch.results]
        found = [len(one) for one in self.inputs], [len(one) for one in self.outputs]
        if ranks == [] and self.inputs == ((),):
            found = [], found[1]
        if found != expected:
            raise ArgumentError(
                f"{launch.name}: sharding_rule {self.text!r} has inputs of ranks {found[0]} and outputs of ranks "
                f"{found[1]}, and the call {expected[0]} and {expected[1]}"
            )

    def specs(self, outputs: Sequence[Sequence[Axes]]) -> tuple[list[PartitionSpec], list[PartitionSpec]]:
        """How inputs and outputs are split when the outputs are wanted like this."""
        axes: dict[str, Axes] = {}
        for names, wanted in zip(self.outputs, outputs, strict=True):
            for name, split in zip(names, wanted, strict=False):
                if axes.get(name) is None:
                    axes[name] = split
        return tuple([PartitionSpec(*(axes.get(name) for name in names)) for names in side] for side in self._sides)  # type: ignore[return-value]

    @property
    def _sides(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        return self.inputs, self.outputs


def _named(mesh: Any, shardings: Sequence[Any]) -> tuple[Any, list[Any]]:
    """A mesh with names, and how its axes split each output.

    Inside of a `jax.shard_map` over some axes of a mesh, XLA tells numbers of parts only. An output whose parts are not
    in the order of the devices is then whole on each.
    """
    if all(isinstance(sharding, NamedSharding) for sharding in shardings):
        return mesh, [sharding.spec for sharding in shardings]
    tilings = [sharding._to_xla_hlo_sharding(0) for sharding in shardings]
    parts = [() if one.is_replicated() else tuple(one.tile_assignment_dimensions()) for one in tilings]
    orders = [() if one.is_replicated() else tuple(one.tile_assignment_devices()) for one in tilings]
    usual = next(
        (dims for dims, order in zip(parts, orders, strict=True) if dims and order == tuple(range(len(order)))), ()
    )
    names = tuple(f"flydsl_{number}" for number in range(len(usual)))
    specs = [
        PartitionSpec(*names) if (dims, order) == (usual, tuple(range(prod(usual)))) and dims else PartitionSpec()
        for dims, order in zip(parts, orders, strict=True)
    ]
    return AbstractMesh(usual or (1,), names or ("flydsl_0",)), specs


def partitioned(launch: Launch, text: str) -> Callable[..., Sequence[Any]]:
    """The call as one that XLA splits by a sharding rule, and never gathers arrays for."""
    rule = ShardingRule.parse(text)
    split_rule = rule.with_numbers(launch.leaves.count(NUMBER))

    def whole(*arrays: Any) -> tuple[Any, ...]:
        return tuple(bind(launch, arrays))

    def partition(mesh: Any, inputs: Any, outputs: Any) -> tuple[Any, Any, Any, Any]:
        mesh, wanted = _named(mesh, [output.sharding for output in outputs])
        of_inputs, of_outputs = ([NamedSharding(mesh, spec) for spec in specs] for specs in split_rule.specs(wanted))
        results = tuple(
            (sharding.shard_shape(shape), dtype)
            for sharding, (shape, dtype) in zip(of_outputs, launch.results, strict=True)
        )

        def local(*parts: Any) -> tuple[Any, ...]:
            return tuple(bind(replace(launch, results=results), parts))

        return mesh, local, tuple(of_outputs), tuple(of_inputs)

    split = custom_partitioning(whole)
    split.def_partition(partition=partition, sharding_rule=split_rule.text)
    either = custom_vmap(split)

    @either.def_vmap
    def batch(size: int, is_batched: Sequence[bool], *arrays: Any) -> tuple[Any, Any]:
        # the rule names no mode of the batch: one call without it
        outputs, _ = batched(arrays, [0 if own else None for own in is_batched], launch=launch)
        return tuple(outputs), (True,) * len(outputs)

    def call(*arrays: Any) -> Sequence[Any]:
        rule.check(launch, [jax.numpy.ndim(array) for array in arrays[: launch.arrays]])
        return list(either(*arrays))

    return call
