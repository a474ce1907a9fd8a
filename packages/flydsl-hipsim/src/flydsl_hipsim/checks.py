"""Words such as `races+waits` in, the engine's check bits out."""

from __future__ import annotations

from collections.abc import Sequence

CHECKS = {"uninitialised": 1, "races": 2, "waits": 4, "profile": 8}
"""Bits of FlySimChecks by their words. Accesses outside of allocations, LDS and scratch are found without any."""

_ALL = CHECKS["uninitialised"] | CHECKS["races"] | CHECKS["waits"]

Check = int | str | Sequence[str]
"""Bits, `races+waits`, `("races", "waits")`, `all` for every check without the profile, or nothing."""


def check_bits(check: Check) -> int:
    """ValueError for a word that is no check, and for bits that are none."""
    if isinstance(check, int):
        if not 0 <= check < 2 * max(CHECKS.values()):
            raise ValueError(f"check is {check!r}, expected bits below {2 * max(CHECKS.values())} or {_known()}")
        return check
    words = check.split("+") if isinstance(check, str) else check
    if not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"check is {check!r}, expected {_known()}")
    bits = 0
    for word in words:
        bits |= _bits_of(word.strip())
    return bits


def _bits_of(word: str) -> int:
    if word == "all":
        return _ALL
    if word.isdecimal():
        return check_bits(int(word))
    if word and word not in CHECKS:
        raise ValueError(f"check is {word!r}, expected {_known()}")
    return CHECKS.get(word, 0)


def _known() -> str:
    return ", ".join([*CHECKS, "all"])
