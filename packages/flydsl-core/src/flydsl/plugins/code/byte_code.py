"""Imports in byte code that comes without its source: what is read from syntax trees elsewhere."""

from __future__ import annotations

import dis
import marshal
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER, resolve_name
from pathlib import Path
from types import CodeType

_HEADER = 16
"""Bytes before the code object: magic number, flags, and what tells of the source."""


def imported_by(file: str, package: str) -> Iterator[str]:
    """The names in the import statements of a `.pyc`, at any depth; nothing of one that this Python cannot run.

    Relative ones begin from `package`.
    """
    try:
        data = Path(file).read_bytes()
        code = marshal.loads(data[_HEADER:]) if data.startswith(MAGIC_NUMBER) else None
    except (OSError, EOFError, ValueError, TypeError):
        return
    wanted = [code] if isinstance(code, CodeType) else []
    while wanted:
        code = wanted.pop()
        wanted += [value for value in code.co_consts if isinstance(value, CodeType)]
        yield from _imported_in(code, package)


def _imported_in(code: CodeType, package: str) -> Iterator[str]:
    given: list[object] = []  # an import finds its level and its list of names on the stack
    for step in dis.get_instructions(code):
        if step.opname != "IMPORT_NAME":
            given.append(step.argval)
            continue
        level, names = given[-2:] if len(given) >= 2 else (0, None)
        base = str(step.argval)
        try:
            base = resolve_name("." * level + base, package) if isinstance(level, int) and level else base
        except ImportError:
            continue
        if not isinstance(names, tuple):
            yield base
        else:
            yield from (base if name == "*" else f"{base}.{name}" for name in names)
