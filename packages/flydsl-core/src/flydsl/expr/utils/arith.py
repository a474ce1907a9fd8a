"""`fx.arith` under the path that other kernels import it from."""

from typing import Any

from flydsl.expr import arith


def __getattr__(name: str) -> Any:
    """What `fx.arith` has by that name."""
    return getattr(arith, name)
