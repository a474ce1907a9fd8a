"""The files of a store folder: entries and index records on 256 shelves, the account of usage, digests of files.

```text
v1/ab/<digest>.entry, .index, .lock     by the first two digits of their digest
v1/digests/                             the memos of flydsl.base.files.file_digest and flydsl.plugins.scan.installed
v1/usage, v1/sweep.lock                 of flydsl.cache.usage
.<name>.<process>.<number>.tmp          anywhere: a file that is being written
```
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from flydsl.base.files.private_folder import PrivateFolder

ENTRY, INDEX, LOCK = ".entry", ".index", ".lock"
DIGESTS, USAGE, SWEEP_LOCK = "digests", "usage", "sweep.lock"
TEMPORARY = ".tmp"


class ShardFile(NamedTuple):
    """A file on a shelf, as it was when the shelf was listed."""

    shelf: str
    name: str
    status: os.stat_result

    @property
    def suffix(self) -> str:
        return os.path.splitext(self.name)[1]

    @property
    def is_kept(self) -> bool:
        """Whether it is an entry or an index record: what counts, and may be evicted."""
        return self.suffix in (ENTRY, INDEX) and stat.S_ISREG(self.status.st_mode)


def shelved_files(root: PrivateFolder) -> Iterator[tuple[PrivateFolder, ShardFile]]:
    """Every file on every shelf, with its open shelf; a shelf that must not be used is left out."""
    for name, _ in list(root.listing()):
        if _is_shelf(name):
            with suppress(OSError), root.folder(name) as shelf:
                for file, status in list(shelf.listing()):
                    yield shelf, ShardFile(name, file, status)


def kept_files(root: PrivateFolder) -> list[ShardFile]:
    """All entries and index records."""
    return [file for _, file in shelved_files(root) if file.is_kept]


def clear(root: PrivateFolder) -> tuple[int, int]:
    """Remove everything that this project keeps in `root`; how many entries and index records it was, and their bytes.

    Others may go on using the folder: what they write meanwhile may stay, and what they cannot write they write again.
    """
    count = size = 0
    for shelf, file in shelved_files(root):
        if shelf.remove(file.name) and file.is_kept:
            count, size = count + 1, size + file.status.st_size
    with suppress(OSError), root.folder(DIGESTS) as digests:
        for name, _ in list(digests.listing()):
            digests.remove(name)
    for name, _ in list(root.listing()):
        is_ours = name in (DIGESTS, USAGE, SWEEP_LOCK) or _is_shelf(name)
        if is_ours or (name.startswith(".") and name.endswith(TEMPORARY)):
            root.remove(name)
    return count, size


def _is_shelf(name: str) -> bool:
    return len(name) == 2 and not name.strip("0123456789abcdef")
