"""Launches held against the limits of the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl.base.errors import UnsupportedTargetError
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.values.emitter import TargetInfo


def check_launch(
    target: TargetInfo, kernel: str, grid: Sequence[Numeric], block: Sequence[Numeric], smem: Any, used: int | None
) -> None:
    """UnsupportedTargetError (a RuntimeError) where what is known of a launch is more than the target can do.

    `smem` is the dynamic shared memory that is asked for, None for what the kernel uses.
    """
    if target.limits is None:
        return
    shared = used if smem is None else _known(as_numeric(smem))
    wrong = target.limits.exceeded(tuple(map(_known, grid)), tuple(map(_known, block)), shared)
    if wrong is not None:
        raise UnsupportedTargetError(f"kernel {kernel!r}: {wrong}; the target is {target.arch!r}")


def _known(size: Numeric) -> int | None:
    return int(size.value) if size.is_static else None
