"""What every interpreted operation is: a function from operand values to result values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from xdsl.ir import Operation

__all__ = ["Handler", "State"]


class State(Protocol):
    """What a handler may know of the running program."""

    @property
    def ids(self) -> Mapping[str, tuple[int, int, int]]:
        """Thread and block numbers, by the operation that asks for them."""
        ...


Handler = Callable[[State, Operation, list[Any]], list[Any]]
