"""Compile hints of this backend: the registers of a thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flydsl.base.errors import ArgumentError, SettingError

NAMES = frozenset({"maxnreg"})
_MOST = 255


def most_registers(options: Mapping[str, Any]) -> int:
    """The hint `maxnreg`: registers that a thread may have; 0 says nothing.

    ArgumentError for another type, SettingError for a bad number.
    """
    value = options.get("maxnreg")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"compile hint 'maxnreg' is a number, found {value!r}")
    if not 0 <= value <= _MOST:
        raise SettingError(f"compile hint 'maxnreg' is a number from 0 to {_MOST}, found {value!r}")
    return value
