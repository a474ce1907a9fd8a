"""Compile hints of this backend: the registers of a thread, and the blocks that a multiprocessor has to hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flydsl.base.errors import ArgumentError, SettingError

_MOST = {"maxnreg": 255, "min_blocks_per_sm": 32}
NAMES = frozenset(_MOST)


def most_registers(options: Mapping[str, Any]) -> int:
    """The hint `maxnreg`: registers that a thread may have; 0 says nothing.

    ArgumentError for another type, SettingError for a bad number.
    """
    return _number(options, "maxnreg")


def fewest_blocks(options: Mapping[str, Any]) -> int:
    """The hint `min_blocks_per_sm`: blocks of a kernel that a multiprocessor has to hold at a time; as above."""
    return _number(options, "min_blocks_per_sm")


def _number(options: Mapping[str, Any], name: str) -> int:
    value = options.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"compile hint {name!r} is a number, found {value!r}")
    if not 0 <= value <= _MOST[name]:
        raise SettingError(f"compile hint {name!r} is a number from 0 to {_MOST[name]}, found {value!r}")
    return value
