"""Installed distributions in, the targets that tests of kernels run on, with the facts in which they differ, out."""

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
    chip: str = ""
    """The AMD GPU that is simulated: its code is that of the backend `rocm`."""
    arch: str = ""
    """What its code is made for, when that is not the chip alone."""
    idle_lanes_read_zero: bool = True
    """A shuffle from a lane that no thread has gives 0; else the thread's own value."""
    divides_by_zero: bool = False
    """Integer division has a defined result for every divisor."""
    libm: bool = False
    """sin, cos and tan of f32 are the C library's."""
    order: str = "forward"
    """In which order a simulated chip runs the waves of a block: a missing barrier shows in one of the two."""


def _chip(name: str, wave: int, order: str) -> Target:
    return Target(name, wave, chip=name, order=order)


def _wave64(chip: str, order: str) -> Target:
    return Target(f"{chip}-wave64", 64, chip=chip, arch=f"{chip}:wavefrontsize64+", order=order)


_ALL = (
    Target("cpu", 32, idle_lanes_read_zero=False, divides_by_zero=True, libm=True),
    _chip("gfx942", 64, "forward"),
    _chip("gfx950", 64, "backward"),
    _chip("gfx1100", 32, "backward"),
    _chip("gfx1201", 32, "forward"),
    _wave64("gfx1100", "forward"),
    _wave64("gfx1201", "backward"),
)
EVERYWHERE = "KERNEL_TESTS_EVERYWHERE"
"""An environment variable: 1 runs every module on every chip."""
TARGETS = {target.name: target for target in _ALL}

_EVERYTHING = ("cpu", "gfx942")
_SOME = {
    "gfx950": ("atomic_copies", "narrow_floats", "tiled_mma"),
    "gfx1100": ("control_flow", "numeric", "printf", "shared_memory", "vector_add", "waves_and_atomics"),
    "gfx1201": ("atomic_copies", "math", "narrow_floats", "tiled_mma", "waves_and_atomics"),
    "gfx1100-wave64": ("waves_and_atomics",),
    "gfx1201-wave64": (),
}
"""Modules that run on one more chip: those whose instructions differ there."""


def targets_of(module: str) -> list[str]:
    """Names of the installed targets that a module of tests, such as `test_math`, runs on."""
    topic = module.removeprefix("test_")
    everywhere = os.environ.get(EVERYWHERE) == "1"
    wanted = [*_EVERYTHING, *(chip for chip, modules in _SOME.items() if everywhere or topic in modules)]
    return [name for name in wanted if _is_installed(TARGETS[name])]


def _is_installed(target: Target) -> bool:
    return find_spec("flydsl_hipsim" if target.chip else "flydsl_cpu") is not None
