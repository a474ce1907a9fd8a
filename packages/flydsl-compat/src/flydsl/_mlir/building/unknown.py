"""Errors for names that are not here: what was asked for, and what to use instead."""

from __future__ import annotations

import opcode
import sys
from collections.abc import Iterable
from typing import NoReturn

_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]


def refuse(module: str, name: str, known: Iterable[str], instead: str = "") -> NoReturn:
    """Raise the AttributeError for `module.name`; for `from module import name` the ImportError of the same text.

    Python replaces an AttributeError under `from ... import` by an ImportError that only repeats the name.
    """
    from difflib import get_close_matches  # only mistakes need it

    near = get_close_matches(name, [one for one in known if not one.startswith("_")], 3)
    hint = instead or (f"did you mean {', '.join(near)}?" if near else "the operators and functions of fx are public")
    message = f"{module} of flydsl-compat has no {name!r}: {hint}"
    frame = sys._getframe(2)
    if frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM:
        raise ImportError(message, name=module)
    raise AttributeError(message, name=name)
