"""Installed distributions in, the targets that tests of `kernels` run on, with the facts in which they differ, out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec

__all__ = ["EVERYWHERE", "TARGETS", "Target", "targets_of"]


@dataclass(frozen=True, slots=True)
class Target:
    """What code is made for, and what is documented of it; a kernel's numbers differ in nothing else.

    A chip is simulated, on `hipsim`.
    """

    name: str
    wave: int
    is_chip: bool = True
    """An AMD GPU, simulated: its code is that of the backend `rocm`."""
    idle_lanes_read_zero: bool = True
    """A shuffle from a lane that no thread has gives 0; else the thread's own value."""
    divides_by_zero: bool = False
    """Integer division has a defined result for every divisor."""
    libm: bool = False
    """sin, cos and tan of f32 are the C library's."""
    order: str = "forward"
    """In which order a simulated chip runs the waves of a block: a missing barrier shows in one of the two."""


def _cdna(name: str, order: str) -> Target:
    return Target(name, 64, order=order)


def _rdna(name: str, order: str) -> Target:
    return Target(name, 32, order=order)


_ALL = (
    Target("cpu", 32, is_chip=False, idle_lanes_read_zero=False, divides_by_zero=True, libm=True),
    _cdna("gfx942", "forward"),
    _cdna("gfx950", "backward"),
    _rdna("gfx1100", "backward"),
    _rdna("gfx1201", "forward"),
)
EVERYWHERE = "KERNEL_TESTS_EVERYWHERE"
"""An environment variable: 1 runs every module on every chip."""
TARGETS = {target.name: target for target in _ALL}

_EVERYTHING = ("cpu", "gfx942")
_SOME = {
    "gfx950": ("atomic_copies", "narrow_floats", "tiled_mma"),
    "gfx1100": ("control_flow", "numeric", "printf", "shared_memory", "vector_add", "waves_and_atomics"),
    "gfx1201": ("atomic_copies", "math", "narrow_floats", "tiled_mma", "waves_and_atomics"),
}
"""Modules that run on one more chip: those whose instructions differ there."""


def targets_of(module: str) -> list[str]:
    """Names of the installed targets that a module of tests, such as `test_math`, runs on."""
    topic = module.removeprefix("test_")
    everywhere = os.environ.get(EVERYWHERE) == "1"
    wanted = [*_EVERYTHING, *(chip for chip, modules in _SOME.items() if everywhere or topic in modules)]
    return [name for name in wanted if _is_installed(TARGETS[name])]


def _is_installed(target: Target) -> bool:
    return find_spec("flydsl_hipsim" if target.is_chip else "flydsl_cpu") is not None
