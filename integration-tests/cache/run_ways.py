"""Processes that run every way: `python run_ways.py MODE FOLDER OUTPUT`, MODE is same, before or after."""

from __future__ import annotations

import builtins
import importlib
import json
import linecache
import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
from ways import Way, all_ways

PATCHED = (builtins, math, time, np)


def stored(module: ModuleType) -> float:
    """What the kernel stores; called twice, as a second call takes another path."""
    x = np.zeros(4, np.float32)
    module.run(x)
    first = float(x[0])
    x[0] = 0
    module.run(x)
    assert float(x[0]) == first, "two calls differ"
    return first


def change(way: Way, module: ModuleType, folder: Path) -> None:
    """Make the change of `way` in this process."""
    if way.edits:
        write(folder, way.edited())
    exec(way.change.replace("{helper}", f"{way.module}_helper"), vars(module))


def write(folder: Path, files: dict[str, str]) -> None:
    """Write modules; the times differ, so that no compiled file of Python is taken for current."""
    for name, text in files.items():
        (folder / name).write_text(text)
    linecache.checkcache()
    importlib.invalidate_caches()


def outcome(way: Way, mode: str, folder: Path) -> dict[str, object]:
    """What the kernel stored and what plain Python says, before and after the change."""
    write(folder, way.edited() if mode == "after" else way.files())
    found: dict[str, object] = {}
    module = importlib.import_module(way.module)
    if mode != "after":
        found["before"] = [stored(module), float(np.float32(float(module.plain())))]
    if mode != "before":
        with restored():
            change(way, module, folder)
            module = sys.modules[way.module]
            found["after"] = [stored(module), float(np.float32(float(module.plain())))]
    return found


@contextmanager
def restored() -> Iterator[None]:
    """Put back what ways change and others rely on: the working directory, patched modules of Python and NumPy."""
    folder, before = Path.cwd(), [(module, dict(vars(module))) for module in PATCHED]
    try:
        yield
    finally:
        os.chdir(folder)
        for module, names in before:
            vars(module).update(names)


def main() -> None:
    """Run all, and write the outcomes as JSON."""
    mode, folder, output, *only = sys.argv[1:]
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    warnings.simplefilter("ignore")
    outcomes = {}
    for name, way in all_ways().items():
        if only and name not in only:
            continue
        try:
            outcomes[name] = outcome(way, mode, Path(folder))
        except BaseException:
            outcomes[name] = {"error": traceback.format_exc(limit=-3)}
    Path(output).write_text(json.dumps(outcomes))


if __name__ == "__main__":
    main()
