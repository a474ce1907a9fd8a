"""Native files of this distribution: names in, paths out."""

from __future__ import annotations

from pathlib import Path

__all__ = ["RUNTIME_LIBRARY", "runtime_library"]

RUNTIME_LIBRARY = "libflydsl_cpu.so"


def runtime_library() -> Path | None:
    """The runtime's shared library, or None when this distribution was not built."""
    import flydsl_cpu

    for folder in flydsl_cpu.__path__:  # an editable install has two: the sources and the built files
        path = Path(folder, RUNTIME_LIBRARY)
        if path.is_file():
            return path
    return _installed_library()


def _installed_library() -> Path | None:
    """The library of the installed distribution, when the sources are imported from elsewhere."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        path = Path(str(distribution("flydsl-cpu").locate_file(f"flydsl_cpu/{RUNTIME_LIBRARY}")))
    except PackageNotFoundError:
        return None
    return path if path.is_file() else None
