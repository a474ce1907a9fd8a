"""The environment variable of the simulator in, its text out."""

from __future__ import annotations

import os

from flydsl.base.setting import Group, text

__all__ = ["HipsimSettings", "hipsim"]


class HipsimSettings(Group):
    """What this distribution reads from the environment."""

    devices = text(
        "FLYDSL_HIPSIM",
        meaning="simulated devices and options, such as `gfx942,devices=2,order=random:7`; set: they run AMD kernels",
    )


hipsim = HipsimSettings(os.environ)
