"""The entry points of group `flydsl` in a fixed order, read without importing anything of theirs.

Reads the `entry_points.txt` of each installed distribution itself: importing `importlib.metadata` costs 30 ms, which
every process would pay. Zipped distributions and foreign metadata finders are left to `importlib.metadata`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from flydsl.base.origin import normalised_name

GROUP = "flydsl"
_HEADING = f"[{GROUP}]".encode()

METADATA = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}
"""The file with name and version of a distribution, by the extension of its folder."""
_EXTENSIONS = tuple(METADATA)
_STANDARD_FINDERS = frozenset({"PathFinder", "MetadataPathFinder"})


class EntryPoint(NamedTuple):
    """One line of a distribution's entry points: the plugin's name and the module that holds its hooks."""

    name: str
    distribution: str
    version: str
    module: str

    @property
    def owner(self) -> str:
        """Distribution and version."""
        return f"{self.distribution} {self.version}".strip()


def find_entry_points(
    path: Sequence[str] | None = None, installed: Mapping[str, str] | None = None
) -> list[EntryPoint]:
    """The entry points of installed distributions, sorted by name; of one distribution seen twice the first counts.

    `installed` is the result of `installed_distributions`, when the caller has it already.
    """
    folders = sys.path if path is None else path
    if path is None and (has_foreign_finders() or any(os.path.isfile(folder) for folder in folders)):
        return sorted(_from_importlib())
    known = installed_distributions(folders) if installed is None else installed
    return sorted(entry for info in known.values() for entry in _read_entry_points(info))


def installed_distributions(path: Sequence[str] | None = None) -> dict[str, str]:
    """Metadata folder by normalised name of every distribution; the first folder on the path wins, as for imports."""
    folders: dict[str, str] = {}
    for folder in sys.path if path is None else path:
        for name in metadata_folders(folder):
            stem = os.path.splitext(name)[0].partition("-")[0]
            folders.setdefault(normalised_name(stem), os.path.join(folder, name))
    return folders


def metadata_folders(folder: str) -> list[str]:
    """The names of the metadata folders in a folder of `sys.path`, sorted."""
    try:
        return sorted([name for name in os.listdir(folder or ".") if name.endswith(_EXTENSIONS)])
    except OSError:
        return []


def read_metadata(info: str) -> str:
    """The fields of a distribution, of which `installed_distributions` gives the folder `info`; empty without any."""
    metadata = _read(os.path.join(info, METADATA[os.path.splitext(info)[1]])).decode(errors="replace")
    return metadata.partition("\n\n")[0]


def _read_entry_points(info: str) -> Iterator[EntryPoint]:
    data = _read(f"{info}{os.sep}entry_points.txt")
    if _HEADING not in data:
        return
    name, version = _read_identity(info)
    section = ""
    for line in map(str.strip, data.decode(errors="replace").splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == GROUP and line and line[0] not in "#;":
            plugin, _, module = line.partition("=")
            yield EntryPoint(plugin.strip(), name, version, module.partition("[")[0].strip())


def _read_identity(info: str) -> tuple[str, str]:
    header = read_metadata(info)
    fields = dict(line.split(": ", 1) for line in header.splitlines() if ": " in line and line[0].isupper())
    fallback = os.path.basename(info).partition("-")[0]
    return fields.get("Name", fallback).strip(), fields.get("Version", "").strip()


def _read(path: str) -> bytes:
    """The content of a small file; of every installed distribution, so without the layers of `open`."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)


def has_foreign_finders() -> bool:
    """Whether others than Python's own may know installed distributions."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return any(getattr(finder, "__name__", type(finder).__name__) not in _STANDARD_FINDERS for finder in finders)


def _from_importlib() -> Iterator[EntryPoint]:
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        owner = entry.dist
        yield EntryPoint(entry.name, owner.name if owner else "", owner.version if owner else "", entry.value)
