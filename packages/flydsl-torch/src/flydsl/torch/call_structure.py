"""The structure of a call: its arguments without the tensors and numbers that a graph passes.

Structures are plain tuples of constants, which torch's compiler can hand to Python while it traces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from flydsl.base.errors import ArgumentError
from flydsl.compiler import AbstractTensor
from flydsl.plugins import DeviceRef

Structure = tuple[Any, ...]
"""('tensor', index, dtype, rank, unit mode or -1, device), ('int' | 'float', index), ('value', what),
('tuple' | 'list', items), ('dict', keys, items) or ('type', class, items) of a named tuple."""


class OpenInt(int):
    """An integer that is known when the graph runs; it stands for itself only."""


class OpenFloat(float):
    """A float that is known when the graph runs; it stands for itself only."""


class Values:
    """The arguments that a structure describes, with stand-ins for what the graph passes."""

    def __init__(self) -> None:
        self._tensors: dict[int, AbstractTensor] = {}
        self._numbers: dict[str, dict[int, Any]] = {"int": {}, "float": {}}

    def make(self, structure: Structure) -> Any:
        """The value that a structure describes."""
        kind = structure[0]
        if kind == "tensor":
            _, index, dtype, rank, unit, device = structure
            return self._tensors.setdefault(index, _stand_in(dtype, rank, unit, device))
        if kind in ("int", "float"):
            number = OpenInt(0) if kind == "int" else OpenFloat(0)
            return self._numbers[kind].setdefault(structure[1], number)
        if kind == "value":
            return structure[1]
        items = [self.make(item) for item in structure[-1]]
        if kind == "dict":
            return dict(zip(structure[1], items, strict=True))
        if kind == "type":
            return structure[1](*items)
        return tuple(items) if kind == "tuple" else items

    @property
    def tensor_count(self) -> int:
        """How many tensors the graph passes."""
        return len(self._tensors)

    def tensor_index(self, leaf: object) -> int | None:
        """Which tensor of the call `leaf` stands for, if it does for any."""
        return next((index for index, tensor in self._tensors.items() if tensor is leaf), None)

    def part(self, leaf: object, places: Sequence[tuple[str, Any]]) -> tuple[str, Any]:
        """Where `leaf` comes from when the graph runs, for tensors at these places."""
        index = self.tensor_index(leaf)
        if index is not None:
            return places[index]
        for kind, numbers in self._numbers.items():
            for number, value in numbers.items():
                if value is leaf:
                    return kind, number
        return "value", leaf


def _stand_in(dtype: torch.dtype, rank: int, unit: int, device: str) -> AbstractTensor:
    """A tensor of two elements a mode: code for unmarked tensors depends on the mode of stride 1 only."""
    from flydsl.torch.adaptor import device_of, dtype_of

    where = torch.device(device)
    strides = tuple(1 if mode == unit else 2 for mode in range(rank))
    return AbstractTensor((2,) * rank, dtype_of(dtype), strides, device_of(where.type, where.index or 0))


def one_device(devices: Sequence[DeviceRef], function: str) -> None:
    """ArgumentError for tensors on several devices."""
    if len(set(devices)) > 1:
        found = ", ".join(sorted({f"kind {device.kind} number {device.ordinal}" for device in devices}))
        raise ArgumentError(f"the tensors of a call of {function!r} are on several devices: {found}; move them to one")
