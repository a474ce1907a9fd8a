"""The custom LLVM passes of a compilation: those of hints, else of settings; their part of the key, and their files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.errors import ArgumentError, CompileError
from flydsl.base.files.bounded_file import open_regular
from flydsl.base.files.file_digest import digest_files
from flydsl.plugins.compile_backend import opt_level

if TYPE_CHECKING:
    from flydsl.plugins.compile_backend import CompileBackend
    from flydsl.toolchain.llvm_passes import DumpCode, LlvmPasses

_TEXTS = ("llvm_pass_pipeline", "llvm_codegen_passes")
_LARGEST_PLUGIN = 4 << 30
_FILES = ("llvm_pass_plugins", "llvm_codegen_plugins")
NAMES = (*_TEXTS, *_FILES)
"""Compile hints, and settings of the same names."""
_VARIABLES = {name: f"FLYDSL_COMPILE_{name.upper()}" for name in NAMES}
_EXAMPLE = "{'enable-post-misched': False}"
_UNSET = ("''", "()")


Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
"""Plugin files, or their names in a comma list."""


def normalised(name: str, value: Any) -> str | tuple[str, ...]:
    """The value of a hint as the settings have it: a text, or file names in a tuple."""
    parts = [value] if isinstance(value, str | PathLike) else value
    if parts is None:
        parts = []
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str | PathLike) for part in parts):
        kind = "a string" if name in _TEXTS else "a path or a list of paths"
        raise ArgumentError(f"compile hint {name!r} is {kind}, found {value!r}")
    if name in _TEXTS:
        return ",".join(map(str, parts)).strip()
    files = [
        part.strip()
        for path in parts
        for part in (fspath(path).split(",") if isinstance(value, str) else [fspath(path)])
    ]
    return tuple(file for file in files if file)


def llvm_options(options: Any) -> tuple[tuple[str, bool | int | str], ...]:
    """The compile hint `llvm_options`, a dictionary of options of LLVM by name, in order of the names."""
    given = dict(options) if isinstance(options, tuple) else options if options is not None else {}
    if not isinstance(given, Mapping):
        raise ArgumentError(f"compile hint 'llvm_options' is a dictionary such as {_EXAMPLE}, found {options!r}")
    for name, value in given.items():
        if not isinstance(name, str) or not name.strip("-"):
            raise ArgumentError(f"an LLVM option is named by a string, as in {_EXAMPLE}, found {name!r}")
        if not isinstance(value, bool | int | str):
            raise ArgumentError(
                f"Unsupported type of LLVM option {name!r}: it is a bool, an integer or a string, found {value!r}"
            )
    return tuple(sorted((name.lstrip("-"), value) for name, value in given.items()))


def has_passes(hints: Mapping[str, Any]) -> bool:
    """Whether any are asked for, or options of LLVM."""
    return bool(hints.get("llvm_options")) or any(_effective(hints, name) for name in (*_TEXTS, "llvm_pass_plugins"))


def passes_of(hints: Mapping[str, Any], dump: DumpCode | None = None) -> LlvmPasses:
    """The passes to run. Plugins without a pipeline are for the default one, which they may add passes to; options of
    LLVM are for all of its work on device code, so they run the default one as well."""
    from flydsl.toolchain.llvm_passes import LlvmPasses, parse_machine_passes

    pipeline, plugins = str(_effective(hints, "llvm_pass_pipeline")), _files(hints, "llvm_pass_plugins")
    options = llvm_options(hints.get("llvm_options"))
    if (plugins or options) and not pipeline:
        pipeline = f"default<O{opt_level({'opt_level': settings.compile.opt_level, **hints})}>"
    try:
        machine = parse_machine_passes(str(_effective(hints, "llvm_codegen_passes")))
    except ArgumentError as error:
        raise ArgumentError(f"{error} ({_said_by(hints, 'llvm_codegen_passes')})") from None
    words = tuple(f"--{name}={_word(value)}" for name, value in options)
    return LlvmPasses(pipeline, plugins, machine, _files(hints, "llvm_codegen_plugins"), dump, words)


def asked_by(hints: Mapping[str, Any]) -> str:
    """Which hints and variables ask for the passes of a compilation, for the end of a message."""
    return ", ".join(_said_by(hints, name) for name in NAMES if _effective(hints, name))


def _said_by(hints: Mapping[str, Any], name: str) -> str:
    return f"compile hint {name!r}" if name in hints else _VARIABLES[name]


def _word(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def key_values(hints: Mapping[str, Any]) -> dict[str, str]:
    """What settings say in cache keys, with the passes of this compilation: texts, and plugins by name and content."""
    values = settings.key_values()
    asked = any(name in hints for name in NAMES) or any(values[_VARIABLES[name]] not in _UNSET for name in NAMES)
    if not asked:
        return values
    values |= {_VARIABLES[name]: repr(_effective(hints, name)) for name in _TEXTS}
    return values | {
        _VARIABLES[name]: repr(tuple(_digest(file, name) for file in _files(hints, name))) for name in _FILES
    }


def check_backend(backend: CompileBackend, arch: str, options: Mapping[str, Any]) -> None:
    """CompileError when passes are asked for and the backend runs none."""
    from flydsl.toolchain.llvm_passes import llvm_passes

    if llvm_passes(options) and backend.codegen_target(arch=arch, options=options) is None:
        raise CompileError(
            f"backend {backend.name!r} does not run LLVM passes on its code for {arch!r}, and llvm_pass_pipeline, "
            "llvm_pass_plugins or llvm_codegen_passes asks for some; leave them out, also in the environment "
            "(FLYDSL_COMPILE_LLVM_...)"
        )


@dataclass(frozen=True, slots=True)
class FileStates:
    """Plugin files as they were when code was made with them: compared at each call, without reading them."""

    states: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def of(cls, hints: Mapping[str, Any]) -> FileStates | None:
        """Those of the plugins that `hints` and settings name; None when there are none."""
        files = dict.fromkeys(str(path) for name in _FILES for path in _files(hints, name))
        return cls(tuple((file, _state(file)) for file in files)) if files else None

    def is_current(self) -> bool:
        """Whether no file was touched since."""
        return all(_state(file) == state for file, state in self.states)


def _state(file: str) -> tuple[int, ...]:
    try:
        status = os.stat(file)
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _effective(hints: Mapping[str, Any], name: str) -> str | tuple[str, ...]:
    value: str | tuple[str, ...] = hints[name] if name in hints else getattr(settings.compile, name)
    return value


def _files(hints: Mapping[str, Any], name: str) -> tuple[Path, ...]:
    return tuple(_expanded(file, hints, name) for file in _effective(hints, name))


def _expanded(file: str, hints: Mapping[str, Any], name: str) -> Path:
    try:
        return Path(file).expanduser()
    except RuntimeError as error:  # a home folder that is not known
        raise ArgumentError(f"{_said_by(hints, name)} names {file!r}: {error}") from None


def _digest(file: Path, name: str) -> str:
    try:
        with open_regular(file) as content:
            size = os.fstat(content.fileno()).st_size
        if size > _LARGEST_PLUGIN:
            raise OSError(f"it has {size} bytes, more than any plugin")
        return f"{file.name}:{digest_files([file], base=file.parent, memo=settings.runtime.digest_memo)}"
    except (OSError, ValueError) as error:  # a name with a null is a ValueError
        raise CompileError(
            f"LLVM pass plugin {str(file)!r} cannot be read: {getattr(error, 'strerror', None) or error}; name shared "
            f"libraries in {_VARIABLES[name]} or the hint {name}"
        ) from None
