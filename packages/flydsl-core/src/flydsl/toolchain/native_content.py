"""The content of the installed native toolchain, by which its code is told from that of another one."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from time import time_ns
from typing import Any, NamedTuple

from flydsl.base import IMPORTED_NS
from flydsl.base.errors import ToolchainMissingError
from flydsl.base.files.file_digest import digest_trees
from flydsl.base.files.file_memo import FileMemo, files_and_folders, recall_value, remember_value

_PACKAGE = "flydsl_mlir"


class NativeContent(NamedTuple):
    """What is in the native module and the libraries that it loads, and when they last changed (ns since 1970)."""

    version: str
    digest: str
    module_ns: int
    libraries: tuple[str, ...]
    libraries_ns: int


def known_content(
    llvm_dir: str | Path | None, memo: Path | None, known: FileMemo | None = None
) -> tuple[NativeContent, FileMemo | None]:
    """The content now, and a memo of it, which may be `known` the next time: if it can be told by files.

    A process that finds its code in the cache is told by the memo of another one; where the module that knows the
    content is imported, it says it itself. ToolchainMissingError when the toolchain is not installed, or not whole.
    """
    if llvm_dir is not None:  # which files of it count depends on which there are
        return _looked_up(llvm_dir, memo), None
    if f"{_PACKAGE}.identity" not in sys.modules:
        known = known if known is not None and known.is_current() else recall_value(memo, _slot())
        if known is not None:
            return NativeContent(*known.value), known
    began = min(time_ns(), IMPORTED_NS)
    content = _looked_up(None, memo)
    if known is None and (files := _files()):
        known = remember_value(memo, _slot(), tuple(content), files, began)
    return content, known


def _looked_up(llvm_dir: str | Path | None, memo: Path | None) -> NativeContent:
    installed = identity()
    try:
        native, (libraries, libraries_ns) = installed.native_file(), installed.library_state(llvm_dir)
    except ImportError as error:
        where = "" if llvm_dir is None else f" (FLYDSL_COMPILE_LLVM_DIR is {str(llvm_dir)!r})"
        raise ToolchainMissingError(f"the native toolchain is incomplete: {error}{where}") from error
    module = digest_trees([native], base=native.parent, memo=memo)
    version = installed.distribution_version()
    return NativeContent(version, module.sha256, module.newest_ns, tuple(libraries), libraries_ns)


def _files() -> list[str]:
    """What the content was looked up in: the native module, the libraries, and the code that says where they are."""
    modules = [sys.modules.get(f"{_PACKAGE}{part}") for part in ("", ".identity", "._build")]
    files = [getattr(module, "__file__", None) for module in modules]
    if not all(isinstance(file, str) for file in files):
        return []
    installed = identity()
    watched = files_and_folders([*map(str, files), str(installed.native_file())])
    return [*watched, *map(str, installed.shared_libraries())]


def _slot() -> str:
    """The name of the memo, by where the package would be imported from."""
    try:
        spec = find_spec(_PACKAGE)
    except (ImportError, ValueError):
        spec = None
    return f"toolchain {spec.origin if spec is not None else ''}"


def identity() -> Any:
    """The module of the toolchain that knows it; ToolchainMissingError when it is not installed."""
    try:
        from flydsl_mlir import identity
    except ImportError as error:
        raise ToolchainMissingError(
            f"the native toolchain is not installed: {error}; pip install flydsl-mlir"
        ) from error
    return identity
