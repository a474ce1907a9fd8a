"""The name of an example in, its module out: benchmarks measure the kernels that users read."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

__all__ = ["example"]

FOLDER = Path(__file__).resolve().parents[1] / "examples"


def example(name: str) -> Any:
    """The module of an example; what it imports is beside it."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
