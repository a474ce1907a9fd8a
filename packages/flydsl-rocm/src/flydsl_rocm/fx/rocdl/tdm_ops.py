"""Waits for moves of tensors."""

from __future__ import annotations

from typing import Any

from .waits import s_wait_tensorcnt

__all__ = ["tensor_wait"]


def tensor_wait(count: Any = 0) -> None:
    """Wait until at most `count` moves of tensors of this wave are outstanding; they are done in order."""
    s_wait_tensorcnt(count)
