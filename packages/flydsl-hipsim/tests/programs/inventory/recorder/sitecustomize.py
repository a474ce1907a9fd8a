"""On PYTHONPATH, every process that loads code objects adds the names of their instructions to a file, chip by chip.

`FLYDSL_HIPSIM_NAMES=out.txt PYTHONPATH=(this folder) python -m pytest integration-tests/rocm`
"""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from typing import Any


class _Finder(MetaPathFinder):
    """Wraps the loader's `_add_code` when the module has been imported."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != "flydsl_hipsim.loader":
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.loader is not None
        execute = spec.loader.exec_module

        def wrapped(module: Any) -> None:
            execute(module)
            _record(module)

        spec.loader.exec_module = wrapped  # type: ignore[method-assign]
        return spec


def _record(module: Any) -> None:
    add_code, seen = module._add_code, set()

    def recorded(handle: int, code: Any, decoded: Any) -> None:
        add_code(handle, code, decoded)
        new = {(code.arch, name) for name in decoded.names} - seen
        seen.update(new)
        with open(os.environ["FLYDSL_HIPSIM_NAMES"], "a") as file:
            file.writelines(f"{arch} {name}\n" for arch, name in sorted(new))

    module._add_code = recorded


if "FLYDSL_HIPSIM_NAMES" in os.environ:
    sys.meta_path.insert(0, _Finder())
