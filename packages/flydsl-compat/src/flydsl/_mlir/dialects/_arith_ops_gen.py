"""The classes of the `arith` dialect under the module name that MLIR's generator gives them."""

from __future__ import annotations

from typing import Any

from flydsl._mlir.dialects import arith


def __getattr__(name: str) -> Any:
    """What `arith` has by that name."""
    return getattr(arith, name)
