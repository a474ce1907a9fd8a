"""Nothing in, the path of the native library out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from flydsl.runtime.native_library import NativeLibrary

__all__ = ["LIBRARY", "library_path"]

LIBRARY = NativeLibrary("flydsl-hipsim", "flydsl_hipsim/lib/libamdhip64.so")


@cache
def library_path() -> Path | None:
    """The library of this distribution, wheel or editable install; None when it was not built."""
    return LIBRARY.path()
