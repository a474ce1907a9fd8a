"""Source locations, and the excerpts with a caret that every error shows."""

from __future__ import annotations

import linecache
import opcode
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import CodeType, TracebackType
from typing import NamedTuple

from flydsl.base.errors import FlyDSLError
from flydsl.base.files.source_text import source_line

_CACHE, _POP_TOP, _RAISE = opcode.opmap.get("CACHE", 0), opcode.opmap["POP_TOP"], opcode.opmap["RAISE_VARARGS"]
_LIBRARY = str(Path(__file__).resolve().parents[1])
_PLUGIN_PATHS: list[str] = []  # files and folders of plugins whose functions are part of the language
_PYTHON = str(Path(linecache.__file__).resolve().parent)
_ENDS: dict[tuple[str, int, int], int] = {}  # where spans end: locations in the IR have only a start
_MAX_ENDS = 1 << 13
_codes: dict[int, tuple[CodeType, dict[int, Location] | None]] = {}
"""Code by its identity, with the spans of its instructions that were asked for; None for code that is not the user's.
"""
_MAX_CODES = 1 << 12
_INNER = ("__flydsl_", "<")  # names of branches and loops that were made functions, of lambdas and comprehensions


class Location(NamedTuple):
    """A span of a user's file: 1-based line, 0-based start and end column (end exclusive, 0 when unknown)."""

    file: str
    line: int
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"

    def caret(self) -> str:
        """The source line with a caret under the span, or an empty string when the source cannot be read."""
        text = source_line(self.file, self.line)
        if not text.strip():
            return ""
        end = self.end_column or _ENDS.get(self[:3], 0)
        width = max(1, min(end, len(text)) - self.column)
        return f"    {text}\n    {' ' * self.column}{'^' * width}"

    def describe(self, message: str) -> str:
        """`message` followed by where it points."""
        caret = self.caret()
        return f"{message}\n  --> {self}" + (f"\n{caret}" if caret else "")


def mark_as_library(file: str) -> None:
    """Count the module in `file`, or the whole package that it starts, as part of the language, not as user's code."""
    path = str(Path(file).parent) if Path(file).name == "__init__.py" else file
    if path not in _PLUGIN_PATHS:
        _PLUGIN_PATHS.append(path)
        _is_foreign.cache_clear()
        _codes.clear()


def user_location() -> Location | None:
    """The innermost running line of code outside of this library, with its columns."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        known = _codes.get(id(code)) or _examined(code)
        if (spans := known[1]) is not None:
            found = spans.get(frame.f_lasti)
            if found is None:
                found = spans[frame.f_lasti] = _span(code, frame.f_lasti, frame.f_lineno)
            return found
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _examined(code: CodeType) -> tuple[CodeType, dict[int, Location] | None]:
    if len(_codes) >= _MAX_CODES:  # programs that generate kernels have ever new ones
        _codes.clear()
    found = _codes[id(code)] = code, None if is_foreign_code(code) else {}
    return found  # another thread may have cleared them


@contextmanager
def locating(where: Callable[[FlyDSLError], Location | None] | None = None) -> Iterator[None]:
    """Give an error of ours that has no location yet the one that `where` returns: by default the running line."""
    try:
        yield
    except FlyDSLError as error:
        if error.location is None:
            error.location = where(error) if where is not None else user_location()
        raise


def is_result_dropped() -> bool:
    """Whether the caller of the running function drops its result: a statement of a call alone."""
    frame = sys._getframe(2)
    code, following = frame.f_code.co_code, frame.f_lasti + 2
    while following < len(code) and code[following] == _CACHE:
        following += 2
    return following < len(code) and code[following] == _POP_TOP


def traceback_locations(traceback: TracebackType | None) -> list[Location]:
    """The lines of functions outside of this library that a traceback went through, the innermost last.

    Branches and loops that were made functions of their own, lambdas and comprehensions count as the function around.
    """
    locations: list[Location] = []
    for entry in _user_entries(traceback):
        if locations and entry.tb_frame.f_code.co_name.startswith(_INNER):
            locations.pop()
        locations.append(_entry_span(entry))
    return locations


def raised_directly(traceback: TracebackType | None) -> Location | None:
    """Where the only function of the user's that a traceback went through has a `raise`, if that is how it ended."""
    users = _user_entries(traceback)
    if len(users) != 1 or users[0].tb_next is not None:
        return None
    return _entry_span(users[0]) if _is_raise(users[0]) else None


def raised_by_user(traceback: TracebackType | None) -> bool:
    """Whether what a traceback is of comes from a `raise` of code that is the user's."""
    last = list(_entries(traceback))[-1:]
    return bool(last) and not is_foreign_code(last[0].tb_frame.f_code) and _is_raise(last[0])


def _is_raise(entry: TracebackType) -> bool:
    return entry.tb_frame.f_code.co_code[entry.tb_lasti] == _RAISE


def user_functions(traceback: TracebackType | None) -> list[str]:
    """The names of the functions outside of this library that a traceback went through, the innermost last."""
    names = [entry.tb_frame.f_code.co_name for entry in _user_entries(traceback)]
    return [name for name in names if not name.startswith(_INNER)]


def user_traceback(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without this library's frames when the user's own code failed, None when the library did.

    A name that the library does not have is the user's failure too, although a `__getattr__` of ours reports it.
    """
    entries = list(_entries(traceback))
    while entries and is_of_library(entries[-1]) and entries[-1].tb_frame.f_code.co_name == "__getattr__":
        entries.pop()
    if not entries or is_of_library(entries[-1]):
        return None
    shortened: TracebackType | None = None
    for entry in reversed(entries):
        if not is_of_library(entry):
            shortened = TracebackType(shortened, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shortened


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, the innermost last."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _user_entries(traceback: TracebackType | None) -> list[TracebackType]:
    return [entry for entry in _entries(traceback) if not is_foreign_code(entry.tb_frame.f_code)]


def is_of_library(entry: TracebackType) -> bool:
    """Whether an entry of a traceback is of this library or of a plugin of it."""
    return _is_language(entry.tb_frame.f_code.co_filename)


def _is_language(file: str) -> bool:
    return file.startswith((_LIBRARY, *_PLUGIN_PATHS))


def is_foreign_code(code: CodeType) -> bool:
    """Whether code is not the user's: of this library, of its plugins, of Python, or generated."""
    is_generated = code.co_filename == "<string>" and code.co_name.startswith("__")  # the methods of dataclasses
    return is_generated or _is_foreign(code.co_filename)


@lru_cache(maxsize=1024)
def _is_foreign(file: str) -> bool:
    """Whether a file is not the user's: of this library, of the IR it builds on, or of Python itself."""
    if _is_language(file) or file.startswith(("<frozen ", "<flydsl ")):
        return True
    path = Path(file)
    is_installed = "site-packages" in path.parts or "dist-packages" in path.parts
    return "xdsl" in path.parts if is_installed else path.is_relative_to(_PYTHON)


@lru_cache(maxsize=256)
def _positions(code: CodeType) -> tuple[tuple[int | None, int | None, int | None, int | None], ...]:
    return tuple(code.co_positions())


def _entry_span(entry: TracebackType) -> Location:
    return _span(entry.tb_frame.f_code, entry.tb_lasti, entry.tb_lineno)


def _span(code: CodeType, instruction: int, line: int) -> Location:
    positions = _positions(code)
    if 0 <= instruction // 2 < len(positions):
        start, end, column, end_column = positions[instruction // 2]
        if start is not None:
            location = Location(code.co_filename, start, column or 0, (end_column or 0) if end == start else 0)
            if location.end_column:
                if len(_ENDS) >= _MAX_ENDS:  # programs that generate kernels have ever new places
                    _ENDS.clear()
                    _codes.clear()
                _ENDS[location[:3]] = location.end_column
            return location
    return Location(code.co_filename, line)
