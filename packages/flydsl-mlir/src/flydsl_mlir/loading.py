"""Loads the native module with the LLVM it needs, or says which packages to install."""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

from flydsl_mlir.identity import (
    check_whole,
    is_self_contained,
    llvm_library,
    llvm_version,
    loadable,
    native_file,
    shared_libraries,
)

_MISSING = (
    "flydsl_mlir cannot load its native module: {reason}; it needs the shared libraries of LLVM and MLIR 22: "
    "apt install libmlir-22 libllvm22 (from apt.llvm.org where the distribution has none)"
)

_DAMAGED = (
    "flydsl_mlir cannot load its native module: {reason}; LLVM and MLIR are inside it, so that the file is damaged, or "
    "for another system: reinstall flydsl-mlir"
)
_NO_PREFIX = (
    "flydsl_mlir has LLVM {version} inside and loads no other; {prefix!r} holds neither lib/{library} nor bin/opt, "
    "which would run custom passes"
)

_loaded_from: list[str] = []


def load(llvm_dir: str | Path | None = None) -> None:
    """Load LLVM, MLIR and the native module, from the prefix `llvm_dir` if it has them; repeated calls cost nothing.

    Raises ImportError when a library is missing, or when LLVM was loaded from elsewhere before.
    """
    prefix = str(loadable(llvm_dir) or "")
    if prefix and is_self_contained():
        facts = {"version": llvm_version(), "prefix": prefix, "library": llvm_library(prefix).name}
        raise ImportError(_NO_PREFIX.format(**facts))
    if "flydsl_mlir._native" in sys.modules:
        if prefix not in ("", *_loaded_from) and not _is_same(prefix, _loaded_from[0]):
            raise ImportError(f"LLVM is loaded already, from {_loaded_from[0] or 'its usual place'!r}: not {prefix!r}")
        return
    try:
        check_whole(native_file())
        if prefix:
            for library in reversed(shared_libraries(prefix)):  # LLVM first: MLIR needs it
                ctypes.CDLL(str(library))
        importlib.import_module("flydsl_mlir._native")
    except (ImportError, OSError) as error:
        raise ImportError((_DAMAGED if is_self_contained() else _MISSING).format(reason=error)) from error
    _loaded_from.append(prefix)


def begin_loading(llvm_dir: str | Path | None = None) -> None:
    """Let a thread load the module, 40 ms, and make its tables, while Python goes on; what fails, `load` says again."""
    if "flydsl_mlir._native" not in sys.modules:
        Thread(target=_load_ahead, args=(llvm_dir,), name="flydsl-libraries").start()


def _load_ahead(llvm_dir: str | Path | None) -> None:
    with suppress(ImportError):
        prefix = loadable(llvm_dir)
        check_whole(native_file())
        dlopen = ctypes.CDLL(None).dlopen  # importing, and `ctypes.CDLL`, would hold Python's lock meanwhile
        dlopen.restype = ctypes.c_void_p
        for library in (*(reversed(shared_libraries(prefix)) if prefix else ()), native_file()):
            if not dlopen(os.fsencode(library), os.RTLD_NOW):
                return
        load(llvm_dir)
        importlib.import_module("flydsl_mlir._native").run_pipeline("module {}", "builtin.module(cse)")


def _is_same(prefix: str, loaded: str) -> bool:
    """Whether the libraries of both prefixes are the same files."""
    return [path.resolve() for path in shared_libraries(prefix)] == [
        path.resolve() for path in shared_libraries(loaded)
    ]
