"""The text of source files, kept from when functions of them were decorated.

A file may be edited while the process that loaded it runs: what is traced and shown is what was loaded.
"""

from __future__ import annotations

import functools
import io
import linecache
import os
import time
import tokenize
import weakref
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

_MARGIN_NS = 1_000_000_000  # of the clocks of processes and files
_PACKAGES = ("site-packages", "dist-packages")
_MOST_TEXTS = 8  # of one file, read after one another


class _State(NamedTuple):
    """Equal while a file is not written."""

    modified_ns: int
    changed_ns: int
    size: int
    inode: int


class SourceText:
    """The text of one file as it was at one time; `previous` is the one before, which functions may have come from."""

    __slots__ = ("__weakref__", "_content", "_lines", "file", "previous", "state")

    def __init__(self, file: str, content: bytes, lines: list[str] | None, state: _State | None) -> None:
        self.file, self._content, self._lines, self.state = file, content, lines, state
        self.previous: SourceText | None = None

    @property
    def lines(self) -> list[str]:
        """The lines, each with its end; none when the file is not text."""
        if self._lines is None:
            self._lines, self._content = _decoded(self._content), b""
        return self._lines

    @property
    def is_settled(self) -> bool:
        """Whether the file was written before this process began, so that no other text of it can have been loaded.

        Text that is no file, of a notebook or an archive, counts as such.
        """
        return self.state is None or max(self.state[:2]) < _process_start() - _MARGIN_NS

    def is_same(self, other: SourceText) -> bool:
        """Whether both were read from the same file in the same state."""
        if self.state is None or other.state is None:
            return self.state is other.state and (self._lines is other._lines or self.lines == other.lines)
        return self.state == other.state


_NEWEST: weakref.WeakValueDictionary[str, SourceText] = weakref.WeakValueDictionary()
"""The newest text of each file that functions were decorated in; they keep it."""


def keep_texts(function: FunctionType) -> tuple[SourceText, ...]:
    """The text that a function comes from and those of the user's functions and modules that it names, read by now.

    Whoever holds them keeps them known.
    """
    names, own = function.__globals__, function.__code__.co_filename
    used = map(names.get, function.__code__.co_names)
    files = {own: names, **{file: space for file, space in map(_home, used) if file not in ("", own)}}
    return tuple(text for file, space in files.items() if (text := _keep(file, space)) is not None)


def texts_of(file: str, names: dict[str, Any]) -> list[SourceText]:
    """The texts that a file was known to have, and the one that it has now if that is another; the newest first."""
    known, now = _NEWEST.get(file), _read(file, names)
    newest = known if now is None or (known is not None and known.is_same(now)) else now
    texts = [] if newest is None else [newest]
    while known is not None:
        if known is not newest:
            texts.append(known)
        known = known.previous
    return [text for text in texts if text.lines]


def source_line(file: str, number: int) -> str:
    """A line of a file without its end, by its 1-based number; empty where there is none."""
    known = _NEWEST.get(file)
    if known is None:
        return linecache.getline(file, number).rstrip("\n")
    return known.lines[number - 1].rstrip("\n") if 0 < number <= len(known.lines) else ""


def _home(value: object) -> tuple[str, dict[str, Any]]:
    """The file of the user's that a function or a module comes from, and its names; no file for others."""
    wrapped = getattr(value, "__wrapped__", value) if callable(value) else value
    if isinstance(wrapped, FunctionType):
        file, names = wrapped.__code__.co_filename, wrapped.__globals__
    elif isinstance(value, ModuleType):
        file, names = getattr(value, "__file__", None) or "", vars(value)
    else:
        return "", {}
    is_ours = str(names.get("__name__")).partition(".")[0].partition("_")[0] == "flydsl"
    is_user = file.endswith(".py") and not is_ours and not file.startswith(_python_folder())
    return (file if is_user and not any(part in file for part in _PACKAGES) else ""), names


def _keep(file: str, names: dict[str, Any]) -> SourceText | None:
    known, now = _NEWEST.get(file), _read(file, names)
    if now is None or (known is not None and known.is_same(now)):
        return known
    now.previous = known
    oldest, count = now, 1
    while oldest.previous is not None and count < _MOST_TEXTS:
        oldest, count = oldest.previous, count + 1
    oldest.previous = None
    _NEWEST[file] = now
    return now


def _read(file: str, names: dict[str, Any]) -> SourceText | None:
    """The text that a file has now: that of a notebook's cell, of the file, or what its loader gives."""
    entry = linecache.cache.get(file)
    if entry is not None and len(entry) == 4 and entry[1] is None:
        return _of_lines(file, entry[2])
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return _of_lines(file, linecache.getlines(file, names))
    return _of_file(file, _State(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino))


def _of_lines(file: str, lines: list[str]) -> SourceText | None:
    return SourceText(file, b"", lines, None) if lines else None


@functools.lru_cache(maxsize=32)
def _of_file(file: str, state: _State) -> SourceText | None:
    try:
        return SourceText(file, Path(file).read_bytes(), None, state)
    except OSError:
        return None


def _decoded(content: bytes) -> list[str]:
    """The lines of a program, by the encoding that it declares."""
    stream = io.BytesIO(content)
    try:
        encoding, _ = tokenize.detect_encoding(stream.readline)
        stream.seek(0)
        lines = io.TextIOWrapper(stream, encoding).readlines()
    except (SyntaxError, UnicodeDecodeError):
        return []
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return lines


@functools.cache
def _python_folder() -> str:
    return str(Path(linecache.__file__).parent) + os.sep


@functools.cache
def _process_start() -> int:
    """When this process began, in nanoseconds since 1970; 0 where the system does not say."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        began_ns = int(fields[19]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        return time.time_ns() - (time.clock_gettime_ns(time.CLOCK_BOOTTIME) - began_ns)
    except (OSError, AttributeError, ValueError, IndexError):
        return 0
