"""The name of an example in, its module out, imported as a user of its folder would."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

__all__ = ["EXAMPLES", "FOLDER", "load_example"]

FOLDER = Path(__file__).resolve().parents[3] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("[0-9][0-9]_*.py"))
"""Those that run as programs; other files of the folder are imported by them."""


def load_example(name: str) -> ModuleType:
    """The module of an example; the folder is on the path while it and what it imports are loaded."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(FOLDER))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module
