"""Installed distributions in, the targets that tests of kernels run on, with the facts in which they differ, out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True, slots=True)
class Target:
    """What code is made for, and what is documented of it; a kernel's numbers differ in nothing else."""

    name: str
    wave: int
    arch: str = ""
    """Of an AMD GPU, which `hipsim` simulates: what the backend `rocm` makes its code for."""
    idle_lanes_read_zero: bool = True
    """A shuffle from a lane that no thread has gives 0; else the thread's own value."""
    libm: bool = False
    """sin, cos and tan of f32 are the C library's."""
    order: str = "forward"
    """In which order a simulated chip runs the waves of a block: a missing barrier shows in one of the two."""


def _chip(name: str, wave: int, order: str) -> Target:
    return Target(name, wave, arch=name, order=order)


def _wave64(chip: str, order: str) -> Target:
    return Target(f"{chip}-wave64", 64, arch=f"{chip}:wavefrontsize64+", order=order)


_ALL = (
    Target("cpu", 32, idle_lanes_read_zero=False, libm=True),
    _chip("gfx942", 64, "forward"),
    _chip("gfx950", 64, "backward"),
    _chip("gfx1100", 32, "backward"),
    _chip("gfx1201", 32, "forward"),
    _chip("gfx1250", 32, "backward"),
    _wave64("gfx1100", "forward"),
    _wave64("gfx1201", "backward"),
)
EVERYWHERE = "KERNEL_TESTS_EVERYWHERE"
"""An environment variable: 1 runs every module on every chip, and on nothing else."""
TARGETS = {target.name: target for target in _ALL}

_RDNA4 = (
    *("arguments", "arith", "boolean_tensors", "division", "helpers", "launches", "math", "narrow_floats", "pointers"),
    *("random_programs", "registered_arguments", "shape_leaves", "temporaries", "tiled_mma", "typing_rules"),
    *("vector_api",),
)
"""Modules that run on gfx1201; the others do on gfx1100."""
_ON_THE_CPU = (
    *(
        "branches",
        "changing_numbers",
        "compiled_calls",
        "compiled_failures",
        "dispatch_modes",
        "example_programs",
        "exported_calls",
        "missing_derivatives",
        "operator_costs",
        "operators",
        "random_signatures",
        "stable_names",
        "torch_imports",
    ),
    "try_kernels",
)
"""Modules of calls from graphs of frameworks and of tools, which are the same for every backend."""
_ON_CHIPS = {"amd_bindings": ("gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")}
"""Modules of kernels that only AMD GPUs can run."""
_MORE = {
    "gfx950": ("atomic_copies", "narrow_floats", "raw_bindings", "raw_programs", "tiled_mma"),
    "gfx1201": ("atomic_copies", "raw_bindings", "raw_programs", "waves_and_atomics"),
    "gfx1100-wave64": ("waves_and_atomics",),
}
"""Modules that run on one more target: those whose instructions differ there."""


def targets_of(module: str) -> list[str]:
    """Names of the installed targets that a module of tests, such as `test_math`, runs on."""
    topic = module.removeprefix("test_")
    if topic in _ON_THE_CPU:
        return [name for name in ("cpu",) if _is_installed(TARGETS[name])]
    if topic in _ON_CHIPS:
        return [name for name in _ON_CHIPS[topic] if _is_installed(TARGETS[name])]
    wanted = {"cpu", "gfx942", "gfx1201" if topic in _RDNA4 else "gfx1100"}
    wanted.update(name for name, topics in _MORE.items() if topic in topics)
    if os.environ.get(EVERYWHERE) == "1":
        wanted = {name for name, target in TARGETS.items() if target.arch}
    return [name for name, target in TARGETS.items() if name in wanted and _is_installed(target)]


def _is_installed(target: Target) -> bool:
    return find_spec("flydsl_hipsim" if target.arch else "flydsl_cpu") is not None
