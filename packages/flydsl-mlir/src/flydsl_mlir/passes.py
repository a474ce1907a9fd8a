"""Custom LLVM passes: pipelines over LLVM IR, and machine passes anywhere in code generation.

`run_ir_passes` runs a pipeline as `opt -passes=` takes it, with the passes of new-PM plugins, and verifies the module
after each pass. A function pass and `default<O2>` may stand side by side.

`codegen_with_passes` inserts passes that plugins register (`RegisterPass<MyPass> x("my-pass", ...)`), or LLVM's own,
before or after any pass that `codegen_points` lists. Code around each is given to `dump`, and verified.

Both run in this process; with `llvm_dir`, the prefix of an LLVM, in a process of that LLVM, which may crash. So they do
with `llvm_options` (`--name=value`), which LLVM keeps for a whole process. An LLVM
other than that of this build runs pipelines by its `opt`, and no machine passes. A plugin is looked at and tried in a
process of its own before it is first loaded here; each content of a file is another plugin. `PassError` is for all that
a pass, its plugin or the request is to blame for, another `MlirError` for the code that is compiled.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypedDict, Unpack

from flydsl_mlir.errors import PassError
from flydsl_mlir.identity import native_file
from flydsl_mlir.loading import load
from flydsl_mlir.plugin_probe import check_plugins

Dump = Callable[[str, str], object]
"""Called with `NAME_before` or `NAME_after` and the code there, after code generation."""


class MachinePass(NamedTuple):
    """`name`, a pass, inserted `where` ("before" or "after") the pass `point`; at an alias when `where` is empty.

    `instance` counts from 1 for a `point` that runs several times; 0 is the only one.
    """

    name: str
    point: str
    where: str = ""
    instance: int = 0


class CodegenPoint(NamedTuple):
    """A pass of code generation: number `instance` of those called `name`; `title` is for readers.

    A pass without a name and an analysis are no points to insert at. `aliases` are names for the place before it.
    """

    name: str
    instance: int
    title: str
    is_machine_pass: bool
    is_analysis: bool
    aliases: tuple[str, ...]


class TargetOptions(TypedDict, total=False):
    """The target in LLVM's terms; `triple` is required."""

    triple: str
    chip: str
    features: str
    opt_level: int


def run_ir_passes(
    ir: bytes,
    pipeline: str,
    *,
    plugins: Sequence[str | Path] = (),
    llvm_dir: str | Path | None = None,
    llvm_options: Sequence[str] = (),
    **target: Unpack[TargetOptions],
) -> bytes:
    """The bitcode of LLVM IR (text or bitcode) after `pipeline`."""
    files = check_plugins(plugins, llvm_dir)
    if llvm_dir is None and not llvm_options:
        return bytes(_native().run_ir_passes(ir, pipeline, plugins=files, **target))
    from flydsl_mlir import pass_process

    return pass_process.run_ir_passes(_path(llvm_dir), ir, pipeline, files, target, llvm_options)


def codegen_with_passes(
    ir: bytes,
    passes: Sequence[MachinePass],
    *,
    plugins: Sequence[str | Path] = (),
    assembly: bool = False,
    optimize: bool = False,
    dump: Dump | None = None,
    llvm_dir: str | Path | None = None,
    llvm_options: Sequence[str] = (),
    **target: Unpack[TargetOptions],
) -> bytes:
    """The object or assembly of LLVM IR; `optimize` runs the default pipeline of the level before."""
    files = check_plugins(plugins, llvm_dir)
    requests = [MachinePass(*request) for request in passes]
    if llvm_dir is None and not llvm_options:
        options = {"assembly": assembly, "optimize": optimize, "dump": dump, **target}
        return bytes(_native().codegen_with_passes(ir, requests, plugins=files, **options))
    from flydsl_mlir import pass_process

    flags = ("a" if assembly else "") + ("o" if optimize else "")
    return pass_process.codegen(_path(llvm_dir), ir, requests, files, target, flags, dump, llvm_options)


def _path(folder: str | Path | None) -> Path | None:
    return None if folder is None else Path(folder)


def codegen_points(**target: Unpack[TargetOptions]) -> list[CodegenPoint]:
    """The passes of code generation, in the order in which they run."""
    points = _native().codegen_points(**target)
    return [CodegenPoint(*fields)._replace(aliases=tuple(fields[-1])) for fields in points]


def plugin_passes(path: str | Path) -> list[str]:
    """The names of a plugin's machine passes; the first is empty when it has passes for LLVM IR."""
    (file,) = check_plugins([path], None)
    return list(_native().plugin_passes(file))


def _native() -> ModuleType:
    load()
    native = importlib.import_module("flydsl_mlir._native")
    if not hasattr(native, "codegen_with_passes"):
        raise PassError(
            f"the native module {native_file().name} of flydsl_mlir was built before there were custom passes: "
            "reinstall flydsl-mlir"
        )
    return native
