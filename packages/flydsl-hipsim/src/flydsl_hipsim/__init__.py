"""AMD code objects in, their kernels executed on the CPU: `run` without HIP, `install` as the HIP runtime's library."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flydsl_hipsim.installation import install as install
    from flydsl_hipsim.run import Program as Program
    from flydsl_hipsim.run import run as run

__all__ = ["Program", "install", "run"]

_MODULES = {"install": "flydsl_hipsim.installation", "run": "flydsl_hipsim.run", "Program": "flydsl_hipsim.run"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULES[name]), name)  # in place of a module of that name
    return found
