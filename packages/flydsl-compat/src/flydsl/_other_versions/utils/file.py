"""`flydsl.utils.file`: files that are written at once or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def atomic_write(path: str | Path, *, mode: str = "w", encoding: str | None = None) -> Iterator[IO[Any]]:
    """A file to write, which replaces that at `path` when the block ends; nothing changes when it raises."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, mode, encoding=encoding) as file:
            yield file
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
