"""Runtime checks by name, such as `races+waits`, as bits of the engine."""

from __future__ import annotations

from collections.abc import Sequence

CHECKS = {"uninitialised": 1, "races": 2, "waits": 4, "profile": 8}
"""Bits of FlySimChecks by their names. Accesses outside of allocations, LDS and scratch are found without any."""

_ALL = CHECKS["uninitialised"] | CHECKS["races"] | CHECKS["waits"]

Check = int | str | Sequence[str]
"""Bits, `races+waits`, `("races", "waits")`, `all` for every check without the profile, or nothing."""


def check_bits(check: Check) -> int:
    """ValueError for a name that is no check, and for bits that are none."""
    if isinstance(check, int):
        if not 0 <= check < 2 * max(CHECKS.values()):
            raise ValueError(f"check is {check!r}, expected bits below {2 * max(CHECKS.values())} or {_known()}")
        return check
    names = check.split("+") if isinstance(check, str) else check
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"check is {check!r}, expected {_known()}")
    bits = 0
    for name in names:
        bits |= _bits_of(name.strip())
    return bits


def _bits_of(name: str) -> int:
    if name == "all":
        return _ALL
    if name.isdecimal():
        return check_bits(int(name))
    if name and name not in CHECKS:
        raise ValueError(f"check is {name!r}, expected {_known()}")
    return CHECKS.get(name, 0)


def _known() -> str:
    return ", ".join([*CHECKS, "all"])
