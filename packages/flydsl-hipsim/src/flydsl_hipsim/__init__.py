"""A simulator of AMD GPUs: code objects run on the CPU, by `run` without HIP, or by `install` as the HIP library."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flydsl_hipsim.installation import install as install
    from flydsl_hipsim.program import Program as Program
    from flydsl_hipsim.program import run as run
    from flydsl_hipsim.report import clear_profile as clear_profile
    from flydsl_hipsim.report import profile as profile

__all__ = ["Program", "clear_profile", "install", "profile", "run"]

_MODULES = {
    "install": "flydsl_hipsim.installation",
    "run": "flydsl_hipsim.program",
    "Program": "flydsl_hipsim.program",
    "profile": "flydsl_hipsim.report",
    "clear_profile": "flydsl_hipsim.report",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
