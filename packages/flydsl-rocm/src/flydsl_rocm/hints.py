"""Compile hints of this backend: the occupancy of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flydsl.base.errors import ArgumentError, SettingError


def occupancy(options: Mapping[str, Any]) -> dict[str, int]:
    """Options of `rocdl-kernel-attributes` for `waves_per_eu` (a number, or the least and the most) and `maxnreg`.

    None and 0 say nothing. ArgumentError for another type, SettingError for a bad number.
    """
    least, most = _range(options.get("waves_per_eu"))
    registers = _count("maxnreg", options.get("maxnreg"))
    return {"waves_per_eu": least, "most_waves_per_eu": most, "registers": registers}


def _range(value: Any) -> tuple[int, int]:
    parts = value.split(",") if isinstance(value, str) and "," in value else value
    if not isinstance(parts, tuple | list):
        return _count("waves_per_eu", parts), 0
    numbers = [int(part) if isinstance(part, str) and part.strip().isdecimal() else part for part in parts]
    if len(numbers) == 2:
        least, most = (_count("waves_per_eu", number) for number in numbers)
        if 0 < least <= most:
            return least, most
    raise SettingError(f"compile hint 'waves_per_eu' is a number, or the least and the most, found {value!r}")


def _count(name: str, value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"compile hint {name!r} is a number, found {value!r}")
    if value < 0:
        raise SettingError(f"compile hint {name!r} is a number from 0 up, found {value!r}")
    return value
