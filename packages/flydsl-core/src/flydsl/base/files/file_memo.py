"""Values that were worked out from files, remembered between processes while these files and folders stay the same.

They are told by their stat values, as in `file_digest`: an edit in place is seen at the file, and what appears,
vanishes or is renamed at its folder. What changed in the last two seconds is not remembered.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from flydsl.base.files.file_digest import settled_states, states_of
from flydsl.base.files.sealed_memo import recall, remember


class FileMemo(NamedTuple):
    """A value of what `marshal` takes, and the files and folders that it rests on, with a digest of their states."""

    value: Any
    files: Sequence[str]
    states: str

    def is_current(self) -> bool:
        """Whether all of them are as they were."""
        return states_of(self.files) == self.states


def recall_value(memo: Path | None, slot: str) -> FileMemo | None:
    """What was remembered under the name `slot` in the folder `memo`, as of `digest_trees`, if it is still true."""
    body = recall(memo, _name(slot)) if memo is not None else None
    if body is None:
        return None
    try:
        known = FileMemo(*marshal.loads(body))  # whole, and of this Python: seal and name say so
    except (EOFError, ValueError, TypeError):
        return None
    return known if known.is_current() else None


def remember_value(memo: Path | None, slot: str, value: Any, files: Sequence[str], since_ns: int) -> FileMemo | None:
    """Remember `value`, which was read from `files` at or after `since_ns`; None when one of them has just changed."""
    states = settled_states(files, since_ns)
    if not states:
        return None
    known = FileMemo(value, list(files), states)
    if memo is not None:
        data: Any = tuple(known)
        remember(memo, _name(slot), marshal.dumps(data))
    return known


def files_and_folders(files: Sequence[str]) -> list[str]:
    """Files, and the folders that they are in, where others may appear that would be read in their place."""
    return sorted({*files, *map(os.path.dirname, files)})


def _name(slot: str) -> str:
    """The slot of this Python, as `marshal` has a format of its own in each."""
    kind, _, rest = slot.partition(" ")
    text = "\0".join([sys.version, rest])
    return f"{kind}-{sha256(text.encode(errors='surrogateescape')).hexdigest()[:32]}"
