"""What the scan for plugins found, remembered between processes while nothing is installed, removed or changed.

The scan reads a file of every installed distribution. What it found counts again only while these files have the same
stat values (of a distribution without one its folder), and the folders of `sys.path` too, or else the same
distributions in them. Stat values count only once they are two seconds old, as a file may change twice within one tick
of the clock.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from time import time_ns
from typing import NamedTuple

from flydsl.base.files.file_digest import SETTLED_NS
from flydsl.base.files.file_memo import recall_value, remember_value
from flydsl.base.origin import normalised_name
from flydsl.plugins.entry_points import METADATA, EntryPoint, has_foreign_finders, metadata_folders

_State = list[int]


class Found(NamedTuple):
    """The entry points of plugins, and the metadata folders of all distributions by normalised name."""

    entries: list[EntryPoint]
    distributions: dict[str, str]


def remembered(memo: Path | None, scan: Callable[[], Found]) -> Found:
    """What `scan` finds, or found when it ran last; `memo` is a folder in a private folder, as of `digest_files`.

    Without a memo, with one that cannot be read or written, and where other kinds of finders count, it is scanned.
    """
    folders = list(map(str, sys.path))
    states = None if memo is None or has_foreign_finders() else _folder_states(folders)
    if memo is None or states is None:
        return scan()
    slot = f"installed {folders}"
    found = _recall(memo, slot, folders, states)
    if found is None:
        began, names = time_ns(), list(map(metadata_folders, folders))  # before: what appears meanwhile is seen later
        found = scan()
        with contextlib.suppress(LookupError):
            _remember(memo, slot, list(zip(states, names, strict=True)), found, began)
    return found


def _folder_states(folders: list[str]) -> list[_State] | None:
    """None when one of them is a file: a zipped distribution."""
    states: list[_State] = []
    for folder in folders:
        try:
            status = os.stat(folder or ".")
        except OSError:
            states.append([])
            continue
        if not stat.S_ISDIR(status.st_mode):
            return None
        states.append(_values(status))
    return states


def _values(status: os.stat_result) -> _State:
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev]


def _recall(memo: Path, slot: str, folders: list[str], states: list[_State]) -> Found | None:
    known = recall_value(memo, slot)
    if known is None:
        return None
    listings, entries, distributions = known.value
    for path, state, (then, names) in zip(folders, states, listings, strict=True):
        if state != then and metadata_folders(path) != names:
            return None
    return Found([EntryPoint(*entry) for entry in entries], distributions)


def _remember(memo: Path, slot: str, states: list[tuple[_State, list[str]]], found: Found, began: int) -> None:
    listings = [
        ([0] if _is_recent(state, began) else state, names)  # 0: it is listed each time
        for state, names in states
    ]
    value = (listings, list(map(tuple, found.entries)), found.distributions)
    remember_value(memo, slot, value, _files_read(found), began)


def _is_recent(state: _State, began: int) -> bool:
    return any(time >= began - SETTLED_NS for time in state[:2])


def _files_read(found: Found) -> list[str]:
    """The files that the scan has read; the folder of a distribution in the place of one that it did not find."""
    files = []
    for info in found.distributions.values():
        file = os.path.join(info, "entry_points.txt")
        files.append(file if os.path.exists(file) else info)
    for entry in found.entries:  # of plugins, name and version too
        info = found.distributions[normalised_name(entry.distribution)]
        files.append(os.path.join(info, METADATA[os.path.splitext(info)[1]]))
    return files
