"""Who may exchange a file: the owners of it, and of every folder and symbolic link on the way to it."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from pathlib import Path

_MOST_LINKS = 40  # as the system has it


def distrust(paths: Iterable[str | Path], *, owners: Collection[int] = ()) -> str:
    """Why somebody besides root, this user and `owners` could put another file at one of `paths`; or an empty string.

    Who owns the root folder can exchange everything, and counts as root: in a user namespace root has another number. A
    group may write when it is root's or this user's own. Raises OSError for a path that does not lead to a file.
    """
    if not hasattr(os, "geteuid"):
        return ""
    trusted = {0, os.geteuid(), os.stat(os.sep).st_uid, *owners}
    seen: set[str] = set()
    for path in paths:
        for part in _steps(str(path) if os.path.isabs(path) else os.path.join(os.getcwd(), path)):
            if part not in seen and (reason := _reason(part, trusted)):
                return reason
            seen.add(part)
    return ""


def _steps(path: str) -> Iterable[str]:
    """Every folder, link and file that the system looks at on the way to `path`."""
    pending = path.split(os.sep)[::-1]
    current, links = os.sep, 0
    yield current
    while pending:
        name = pending.pop()
        if name == os.pardir:
            current = os.path.dirname(current)
        if name in ("", os.curdir, os.pardir):
            continue
        step = os.path.join(current, name)
        yield step
        if not os.path.islink(step):
            current = step
            continue
        target = os.readlink(step)
        links += 1
        if links > _MOST_LINKS:
            raise OSError(f"too many symbolic links on the way to {path!r}")
        current = os.sep if os.path.isabs(target) else current
        pending.extend(target.split(os.sep)[::-1])


def _reason(path: str, trusted: Collection[int]) -> str:
    status = os.lstat(path)
    if status.st_uid not in trusted:
        return f"{path!r} belongs to user {status.st_uid}, and this process runs as {os.geteuid()}"
    if stat.S_ISLNK(status.st_mode) or (stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX):
        return ""  # a link cannot be written; in a folder such as /tmp only its owner may rename a file
    by_group = status.st_mode & 0o020 and status.st_gid not in (0, os.getegid())
    if by_group or status.st_mode & 0o002:
        return f"{path!r} has mode {stat.S_IMODE(status.st_mode):o}, others may write it"
    return ""
