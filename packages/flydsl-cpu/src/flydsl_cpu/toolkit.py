"""Native files of this distribution: names in, paths out."""

from __future__ import annotations

from pathlib import Path

from flydsl.runtime.native_library import NativeLibrary

__all__ = ["RUNTIME_LIBRARY", "runtime_library"]

RUNTIME_LIBRARY = NativeLibrary("flydsl-cpu", "flydsl_cpu/libflydsl_cpu.so")


def runtime_library() -> Path | None:
    """The runtime's shared library, or None when this distribution was not built."""
    return RUNTIME_LIBRARY.path()
