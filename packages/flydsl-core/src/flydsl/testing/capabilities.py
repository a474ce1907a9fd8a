"""Capabilities as data: everything is expected of a plugin but what it declares missing, with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar

import pytest

F = TypeVar("F", bound=Callable[..., Any])


class Capability(Enum):
    """A documented property of a plugin. Declare a missing one by its lower-case name."""

    SEVERAL_TARGETS = "code can be made for more than one target"
    DISASSEMBLY = "code objects can be shown as text"
    DEVICE = "a device can be used now; answered by the runtime's status()"
    EXECUTION = "launched kernels run, and their results are found in memory"
    BARRIERS = "the threads of a block can wait for each other"
    SHARED_MEMORY = "the threads of a block have memory in common"
    SHUFFLES = "the lanes of a wave can exchange numbers"
    ATOMICS = "threads can update one number without losing an update"
    FLOAT64 = "64-bit floats can be computed"
    TIMING = "events measure the time between them"
    CHECKED_FREE = "freeing what is not allocated is reported"
    CHECKED_MEMORY = "an allocation larger than the device's memory is reported"
    STRIDED = "tensors may have gaps between their elements"
    READ_ONLY = "a tensor can forbid to be written"
    WRITABLE = "tensors can be written"

    @property
    def word(self) -> str:
        """The name by which it is declared missing."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a plugin can do: all of `Capability` without the words in `missing`, which maps each to its reason."""

    missing: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = [capability.word for capability in Capability]
        for word, reason in self.missing.items():
            if word not in known:
                raise ValueError(f"unknown capability {word!r}, known: {', '.join(known)}")
            if not (isinstance(reason, str) and reason.strip()):
                raise ValueError(f"capability {word!r} is missing without a reason, found {reason!r}")
        object.__setattr__(self, "missing", MappingProxyType(dict(self.missing)))

    def has(self, capability: Capability) -> bool:
        """Whether it is there."""
        return capability.word not in self.missing

    def without(self, capability: Capability, reason: str) -> Capabilities:
        """These without one more; a reason that was declared before stays."""
        return Capabilities({capability.word: reason, **self.missing})

    def objection(self, needed: tuple[Capability, ...]) -> str:
        """Why something that needs these cannot be asked for, or an empty string."""
        return "; ".join(f"no {c.word}: {self.missing[c.word]}" for c in needed if not self.has(c))


def requires(*needed: Capability) -> Callable[[F], F]:
    """Decorate a test of a suite: it is skipped, with the declared reason, where one of these is missing.

    The test's attribute `needed` has them.
    """

    def decorate(test: F) -> F:
        @wraps(test)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            objection = self.bench.capabilities.objection(needed)
            if objection:
                pytest.skip(objection)
            return test(self, *args, **kwargs)

        run.needed = needed  # type: ignore[attr-defined]
        return run  # type: ignore[return-value]

    return decorate
