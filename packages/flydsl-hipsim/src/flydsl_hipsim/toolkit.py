"""Nothing in, the path of the native library out."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

__all__ = ["LIBRARY", "library_path"]

LIBRARY = "libamdhip64.so"


@cache
def library_path() -> Path | None:
    """The library beside this package, wheel or editable install; None when it was not built."""
    spec = importlib.util.find_spec("flydsl_hipsim")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "lib" / LIBRARY
        if path.exists():
            return path
    return None
