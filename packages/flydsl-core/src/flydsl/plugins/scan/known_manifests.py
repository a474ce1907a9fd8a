"""Manifests of plugins whose hooks always say the same, remembered between processes.

A plugin's module that defines `HOOKS_READ`, the names of the environment variables that its hooks read, says with it
that nothing else decides what they return but the files of its package that are imported for it. Then their manifests
count again, without an import, while the plugin is found in the same folder, these files and folders and our own have
the same stat values, and these variables the same values. A plugin that does not say so is asked in each process.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from time import time_ns
from types import FunctionType, MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from flydsl.base import IMPORTED_NS, settings
from flydsl.base.files.file_memo import files_and_folders, recall_value, remember_value
from flydsl.base.references import resolve_reference
from flydsl.plugins.class_names import ClassNames
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.manifests import Manifest
from flydsl.plugins.scan.hooks import HOOKS

_KINDS = tuple(HOOKS.values())
_OURS = (
    *("flydsl.base.dlpack", "flydsl.plugins.class_names", "flydsl.plugins.scan.hooks", "flydsl.plugins.manifests"),
    __name__,
)
"""Modules of the core that shape manifests."""

_Plain: TypeAlias = Any
"""What `marshal` takes."""


class _Record(NamedTuple):
    """What is remembered of one plugin: where its package is, what its hooks have read, and what they said."""

    entry: tuple[str, ...]
    package: str
    origin: str
    environment: dict[str, str | None]
    files: list[str]
    manifests: list[_Plain]


class KnownManifests:
    """What is remembered of some plugins; without a `memo`, a folder as of `digest_trees`, nothing is."""

    def __init__(self, memo: Path | None = None) -> None:
        self._memo, self._began = memo, min(time_ns(), IMPORTED_NS)
        self._slot = f"manifests {sys.path}"
        known = recall_value(memo, self._slot)
        self._records = {record[0]: _Record(*record) for record in known.value} if known is not None else {}
        self._is_new = False

    def of(self, entry: EntryPoint) -> list[Manifest] | None:
        """The manifests of a plugin, if they are known and still true; of one that is imported, it says them itself."""
        record = self._records.get(tuple(entry))
        if record is None or entry.module in sys.modules or not _is_current(record):
            return None
        return [_restored(data) for data in record.manifests]

    def note(self, entry: EntryPoint, plugin: object, manifests: Sequence[Manifest]) -> None:
        """Remember what a plugin has just declared, if it says by which variables; TypeError when it says it wrong."""
        variables = getattr(plugin, "HOOKS_READ", None)
        if variables is None:
            return
        if type(variables) is not tuple or not all(type(name) is str for name in variables):
            raise TypeError(f"HOOKS_READ is {variables!r}, expected a tuple of names of environment variables")
        package, origin = _package_of(entry.module)
        if self._memo is None or not origin:
            return
        with suppress(_NotPlainError):
            stored = [_stored(manifest) for manifest in manifests]
            values = {name: settings.plugins.environ.get(name) for name in variables}
            record = _Record(tuple(entry), package, origin, values, _files(package), stored)
            self._is_new |= record != self._records.get(record.entry)
            self._records[record.entry] = record

    def keep(self) -> None:
        """Write what has become known, if anything has."""
        if not self._is_new:
            return
        ours = [str(sys.modules[name].__file__) for name in _OURS]
        files = [file for record in self._records.values() for file in record.files]
        remember_value(self._memo, self._slot, list(map(tuple, self._records.values())), [*ours, *files], self._began)


class NamedFunction:
    """A function of a module that is imported when it is first called."""

    __slots__ = ("reference",)

    def __init__(self, reference: str) -> None:
        self.reference = reference

    def __call__(self, *args: Any) -> Any:
        return resolve_reference(self.reference)(*args)

    def __repr__(self) -> str:
        return f"<function {self.reference}>"


class _NotPlainError(Exception):
    """A value that has no text: a function without a name, an instance of a plugin's class."""


def _stored(manifest: Manifest) -> _Plain:
    if type(manifest) not in _KINDS:
        raise _NotPlainError
    return _KINDS.index(type(manifest)), {at.name: _plain(getattr(manifest, at.name)) for at in fields(manifest)}


def _plain(value: Any) -> _Plain:
    """A value as `marshal` takes it; what it does not, in a pair with the name of its kind."""
    if isinstance(value, MappingProxyType):
        return "mapping", dict(value)
    if isinstance(value, ClassNames):
        return "classes", value.names
    if isinstance(value, FunctionType):
        return "function", _reference_of(value)
    try:
        marshal.dumps(value)
    except ValueError:
        raise _NotPlainError from None
    return "", value


_MADE: dict[str, Callable[[Any], Any]] = {
    "": lambda value: value,
    "mapping": MappingProxyType,
    "classes": lambda names: ClassNames(*names),
    "function": NamedFunction,
}


def _restored(data: _Plain) -> Manifest:
    """A manifest as it was; it was checked when it was made."""
    kind, values = data
    made: Manifest = object.__new__(_KINDS[kind])
    for name, (form, value) in values.items():
        object.__setattr__(made, name, _MADE[form](value))
    return made


def _reference_of(function: FunctionType) -> str:
    """The 'module:attribute' of a function, by which it is found again."""
    reference = f"{function.__module__}:{function.__qualname__}"
    with suppress(Exception):  # whatever a name such as `f.<locals>.g` leads to
        if resolve_reference(reference) is function:
            return reference
    raise _NotPlainError


def _is_current(record: _Record) -> bool:
    """Whether the variables have the same values, and the package would be imported from the same place."""
    environ = settings.plugins.environ
    if any(environ.get(name) != value for name, value in record.environment.items()):
        return False
    try:
        spec = find_spec(record.package)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin == record.origin


def _package_of(module: str) -> tuple[str, str]:
    """The regular package of an imported module, or the module itself, and the file of it; none for other objects."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if spec is not None and spec.has_location and spec.origin:
            return name, spec.origin
    return "", ""


def _files(package: str) -> list[str]:
    """The files of the loaded modules of a package, and their folders."""
    prefix = f"{package}."
    modules = [module for name, module in sys.modules.items() if name == package or name.startswith(prefix)]
    return files_and_folders([file for module in modules if isinstance(file := getattr(module, "__file__", None), str)])
