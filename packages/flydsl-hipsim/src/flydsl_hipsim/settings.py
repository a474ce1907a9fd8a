"""Environment variables of the simulator."""

from __future__ import annotations

import os

from flydsl.base.setting import Group, choice, integer, text

LEVELS = ("x86-64-v3", "x86-64-v2")
"""Those of x86-64 that the engine is compiled for, the most capable first; the last one is for every processor."""


class HipsimSettings(Group):
    """What this distribution reads from the environment."""

    devices = text(
        "FLYDSL_HIPSIM",
        meaning="simulated devices and options, such as `gfx942,devices=2,order=random:7`; set: they run AMD kernels",
    )
    instructions = integer(
        "FLYDSL_HIPSIM_INSTRUCTIONS",
        meaning="how many instructions a simulated wave may execute before it counts as waiting for what does not come",
        default=4_000_000_000,
        low=1_000,
        high=1 << 62,
    )
    level = choice(
        "FLYDSL_HIPSIM_LEVEL",
        *LEVELS,
        meaning="the highest level of x86-64 whose instructions the simulator uses, on a processor that has it",
        default=LEVELS[0],
    )


hipsim = HipsimSettings(os.environ)


def environment_of(arch: str) -> dict[str, str] | None:
    """The environment in which a chip is simulated and its kernels are checked; None for what is no such chip."""
    return {"FLYDSL_HIPSIM": f"{arch},check=races+waits"} if arch.startswith("gfx") else None
