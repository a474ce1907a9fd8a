"""The platforms of XLA that kernels run on, with the name that each part of JAX has for them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

CALL = "flydsl.call.v1"
"""Target of custom calls that graphs of the device may record."""
CALL_NOGRAPH = "flydsl.call_nograph.v1"
"""Target of custom calls that no graph of the device records."""


@dataclass(frozen=True, slots=True)
class _Names:
    number: int
    registered: str
    lowering: str
    backend: str
    handlers: tuple[tuple[str, str], ...]
    stages: tuple[str, ...]

    def __post_init__(self) -> None:
        """ValueError for stages that plugins of JAX take, and that fail when a kernel runs."""
        if not {"instantiate", "execute"} <= set(self.stages):
            raise ValueError(f"a handler takes part in stages instantiate and execute, found {self.stages!r}")


def _gpu(number: int, name: str) -> _Names:
    handlers = ((CALL, f"flydsl_jax_{name}"), (CALL_NOGRAPH, f"flydsl_jax_{name}_nograph"))
    return _Names(number, name.upper(), name, name, handlers, ("instantiate", "prepare", "execute"))


class Platform(Enum):
    """A platform of XLA.

    Names are case-sensitive in JAX, and a wrong one is only noticed when a kernel runs: take them from here.
    """

    CPU = _Names(
        0, "cpu", "cpu", "cpu", ((CALL, "flydsl_jax_cpu"), (CALL_NOGRAPH, "flydsl_jax_cpu")), ("instantiate", "execute")
    )
    ROCM = _gpu(1, "rocm")
    CUDA = _gpu(2, "cuda")

    @property
    def number(self) -> int:
        """Its number in the native library."""
        return self.value.number

    @property
    def registered(self) -> str:
        """Its name where handlers and types are registered."""
        return self.value.registered

    @property
    def lowering(self) -> str:
        """Its name where primitives are lowered."""
        return self.value.lowering

    @property
    def backend(self) -> str:
        """The id of the compile backend for it."""
        return self.value.backend

    @property
    def handlers(self) -> tuple[tuple[str, str], ...]:
        """The targets of custom calls, each with the native function that handles it."""
        return self.value.handlers

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of a call that XLA has on this platform and that a handler takes part in."""
        return self.value.stages

    @classmethod
    def from_lowering(cls, name: str) -> Platform:
        """The platform that a lowering is for; ValueError naming those that there are."""
        for platform in cls:
            if platform.lowering == name:
                return platform
        known = ", ".join(repr(platform.lowering) for platform in cls)
        raise ValueError(f"kernels cannot run on platform {name!r} of JAX; it is one of {known}")
