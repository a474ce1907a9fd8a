"""What only the device can check or only Python does, in a traced function, in; an assertion or an error out."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.context import current, is_tracing

__all__ = ["emit_assertion", "refuse_printing"]


def emit_assertion(condition: Any, text: str) -> None:
    """Stop the kernel where `condition` does not hold."""
    raise FrontendError(f"assert {text}")


def refuse_printing() -> None:
    """Refuse `print` in a branch or loop of the device."""
    if is_tracing() and current().builder.depth > 0:
        raise FrontendError(
            "print runs while tracing, once for each branch and loop body whether it is taken or not; "
            "use fx.printf to print on the device, or print before the branch"
        )
