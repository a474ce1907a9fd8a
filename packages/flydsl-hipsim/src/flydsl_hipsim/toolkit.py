"""The native library for the best level of x86-64 that this machine and the settings allow."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from flydsl.backend.runtime import NativeLibrary, x86_levels
from flydsl_hipsim.settings import LEVELS, hipsim

_FOLDER = "flydsl_hipsim/lib"
_BASE = NativeLibrary("flydsl-hipsim", f"{_FOLDER}/libamdhip64.so")
"""For every processor; those of higher levels are where glibc's loader looks for them, too."""


@cache
def native_library() -> NativeLibrary:
    """The library of this process: it does not change once it was asked for."""
    base = _BASE.path()
    if base is None:
        return _BASE
    inner = (f"glibc-hwcaps/{level}/{base.name}" for level in _allowed())
    better = (file for file in inner if (base.parent / file).is_file())
    return next((NativeLibrary(_BASE.distribution, f"{_FOLDER}/{file}") for file in better), _BASE)


@cache
def library_path() -> Path | None:
    """Where it is, wheel or editable install; None when it was not built."""
    return native_library().path()


def _allowed() -> list[str]:
    return [level for level in LEVELS[LEVELS.index(hipsim.level) :] if level in x86_levels()]
