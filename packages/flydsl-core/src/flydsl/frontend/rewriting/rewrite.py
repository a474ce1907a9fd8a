"""Functions as they are traced: with control flow that may be dynamic as calls."""

from __future__ import annotations

from types import FunctionType

from flydsl.frontend.rewriting.helpers import Runtime
from flydsl.frontend.rewriting.recompile import bind, rewritten_code


def rewrite(function: FunctionType) -> FunctionType:
    """`function` with every branch and loop that may be dynamic turned into a call; closure and globals are shared."""
    return bind(rewritten_code(function), function, Runtime())
