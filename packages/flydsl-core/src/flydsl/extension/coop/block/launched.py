"""The block that a launch has, held against the one that an algorithm is specialised for."""

from __future__ import annotations

from flydsl.base.errors import OperandError
from flydsl.expr.tracing.context import current

Size = tuple[int, int, int]


def require_block(name: str, size: Size) -> None:
    """The kernel is launched with blocks of `size`: OperandError (a ValueError) where it is known not to be.

    Where it is not known, the kernel has this size from here on, and other launches of it fail.
    """
    kernel = current()
    launched = kernel.block_size
    if launched is None:
        kernel.block_size = size
    elif (*launched, 1, 1)[:3] != size:
        given = _short((*launched, 1, 1)[:3])
        raise OperandError(
            f"{name} is specialised for blocks of {_short(size)} threads, and the kernel is launched with blocks of "
            f"{given}; write {name}[..., {given}] or launch with block={_short(size)}"
        )


def _short(size: Size) -> int | Size:
    return size[0] if size[1:] == (1, 1) else size
