"""The origin of a module: the distribution and version that it belongs to.

No package database is opened for that (10 ms): the folder beside an installed package says its version.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from enum import Enum
from pathlib import Path
from typing import NamedTuple


class Home(Enum):
    """Whose code a module is."""

    PYTHON = "python"
    INSTALLED = "installed"
    USER = "user"


class Origin(NamedTuple):
    """Where a module comes from; `label` names distribution and version of an installed one, empty when unknown."""

    home: Home
    label: str = ""


def origin(module: str) -> Origin:
    """The origin of a module by its full name: what cannot be told is the user's."""
    # one that is imported later has a file then
    return _origin(module) if module.partition(".")[0] in sys.modules else _origin.__wrapped__(module)


@functools.lru_cache(maxsize=1024)
def _origin(module: str) -> Origin:
    top = module.partition(".")[0]
    file = getattr(sys.modules.get(top), "__file__", None) or _first_folder(top)
    folder = _packages_folder(Path(file)) if file else None
    if folder is not None:
        return Origin(Home.INSTALLED, _label(top, folder))
    # a file of the user may have a name of the library: `code.py`, `profile.py`
    is_library = top in sys.stdlib_module_names and (not file or Path(file).is_relative_to(Path(os.__file__).parent))
    return Origin(Home.PYTHON, "python") if is_library else Origin(Home.USER)


def _first_folder(top: str) -> str | None:
    """A namespace package has folders instead of a file."""
    paths = list(getattr(sys.modules.get(top), "__path__", ()))
    return str(paths[0]) if paths else None


def _packages_folder(path: Path) -> Path | None:
    return next((parent for parent in path.parents if parent.name in ("site-packages", "dist-packages")), None)


def _label(top: str, folder: Path) -> str:
    """Distribution and version of an import package: by the name of its record, else by what the records list."""
    records = sorted(folder.glob("*.dist-info"))
    wanted = normalised_name(top)
    for record in records:
        if normalised_name(record.stem.rpartition("-")[0]) == wanted:
            return record.stem
    for record in records:
        if _lists(record / "RECORD", top):
            return record.stem
    return ""


def normalised_name(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _lists(record: Path, top: str) -> bool:
    try:
        text = record.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return text.startswith((f"{top}/", f"{top}.")) or f"\n{top}/" in text or f"\n{top}." in text
