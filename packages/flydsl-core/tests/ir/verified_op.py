"""One operation of the dialect on operands %0, %1, ... of given types, verified."""

from __future__ import annotations

from typing import Any

from effects_cases import last_op


def verified(text: str, *types: str) -> Any:
    """The operation after its own verifier; VerifyException when it is wrong."""
    op = last_op(text, *types)
    op.verify_()
    return op
