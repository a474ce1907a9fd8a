"""Checks of plugins before they are loaded into this process: their files are read, and another process tries them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from flydsl_mlir.errors import MlirError, PassError
from flydsl_mlir.plugin_file import check_plugin

_TRIED: set[str] = set()
"""Digests of the plugins that could be loaded."""


def check_plugins(plugins: Sequence[str | Path], llvm_dir: str | Path | None) -> list[str]:
    """The paths of `plugins`; PassError for a file that is no plugin for this LLVM, or cannot be loaded into it.

    With `llvm_dir` a process of that LLVM loads them: then they only have to be there.
    """
    return [_checked(Path(plugin).expanduser().absolute(), llvm_dir) for plugin in plugins]


def _checked(path: Path, llvm_dir: str | Path | None) -> str:
    try:
        content = path.read_bytes()
        if llvm_dir is None:
            check_plugin(path)
    except OSError as error:
        raise PassError(f"cannot read plugin {str(path)!r}: {error.strerror or error}") from None
    except MlirError as error:
        raise PassError(error.message, error.diagnostics) from None
    digest = hashlib.sha256(content).hexdigest()
    if llvm_dir is None and digest not in _TRIED:
        from flydsl_mlir.pass_process import probe

        probe(path)
        _TRIED.add(digest)
    return str(path)
