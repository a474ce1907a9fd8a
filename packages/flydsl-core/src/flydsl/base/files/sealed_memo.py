"""Memos between processes: sealed files in a private folder, by which a start is spared work that was done before.

Each file holds a digest of its content, so that one that was cut short or overwritten is no memo. In the same way a
folder that others may reach, and one that cannot be read or written, is one without memos: none of that is an error.
"""

from __future__ import annotations

import contextlib
from hashlib import sha256
from pathlib import Path

from flydsl.base.files.private_folder import PrivateFolder

LONGEST = 1 << 22
"""Bytes of a memo that is read."""


def recall(memo: Path, slot: str) -> bytes | None:
    """What was remembered under the name `slot` in the folder `memo`, if it is there, and whole."""
    try:
        with PrivateFolder.open(memo.parent, memo.name) as folder:
            seal, _, body = folder.read(slot, LONGEST).partition(b"\n")
    except OSError:
        return None
    return body if seal == _seal(body) else None


def remember(memo: Path, slot: str, body: bytes) -> None:
    """Keep `body` for later processes, by renaming into place."""
    with contextlib.suppress(OSError), PrivateFolder.open(memo.parent, memo.name, create=True) as folder:
        folder.write(slot, _seal(body) + b"\n" + body)


def _seal(body: bytes) -> bytes:
    return sha256(body).hexdigest().encode()
