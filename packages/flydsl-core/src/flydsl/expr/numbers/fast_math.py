"""Fast-math flags and rounding modes of the running trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum, IntFlag
from typing import TypeAlias

from flydsl.base.errors import FrontendError
from flydsl.expr.tracing.context import current, is_tracing


class FastMathFlags(IntFlag):
    """Assumptions and rewrites that the compiler may make for a float operation; combine them with `|`."""

    none = 0
    reassoc = 1
    """Operations may be regrouped."""
    nnan = 2
    """No operand or result is NaN."""
    ninf = 4
    """No operand or result is infinite."""
    nsz = 8
    """The sign of a zero does not matter."""
    arcp = 16
    """A division may become a product with the reciprocal."""
    contract = 32
    """A product and a sum may be rounded once."""
    afn = 64
    """Functions may be approximated."""
    fast = 127
    """All of them."""


class RoundingMode(IntEnum):
    """How a conversion to a narrower type rounds."""

    to_nearest_even = 0
    downward = 1
    upward = 2
    toward_zero = 3
    to_nearest_away = 4


Flags: TypeAlias = FastMathFlags | int | str | None


@contextmanager
def fastmath(flags: Flags) -> Iterator[FastMathFlags]:
    """Set the flags of float operations traced in a block: `with fx.fastmath(fx.FastMathFlags.contract):`.

    `flags` may also be names, `"contract,afn"`, or None for no flags. An inner statement and the `fastmath=` of a
    function replace the flags of an outer one. A kernel starts with those of the compile hints
    (`fastmath`, `fast_fp_math`, `unsafe_fp_math`), wherever it is launched.
    """
    active = as_flags(flags)
    emitter = current()
    before = emitter.fast_math
    emitter.fast_math = int(active)
    try:
        yield active
    finally:
        emitter.fast_math = before


@contextmanager
def overriding(flags: Flags) -> Iterator[None]:
    """Set the flags of a function's `fastmath=`; None keeps the enclosing ones."""
    if flags is None or not is_tracing():
        yield
        return
    with fastmath(flags):
        yield


def as_flags(flags: Flags) -> FastMathFlags:
    """The flags that names, a number or flags stand for; FrontendError for others."""
    if isinstance(flags, str):
        names = [name.strip() for name in flags.split(",") if name.strip()]
        if unknown := [name for name in names if name not in FastMathFlags.__members__]:
            raise FrontendError(f"no fast-math flag {unknown[0]!r}; known: {', '.join(FastMathFlags.__members__)}")
        result = FastMathFlags.none
        for name in names:
            result |= FastMathFlags[name]
        return result
    if flags is None or (isinstance(flags, int) and not isinstance(flags, bool) and 0 <= flags <= FastMathFlags.fast):
        return FastMathFlags(flags or 0)
    raise FrontendError(f"fastmath takes FastMathFlags, combined with |, found {flags!r}")
