"""Decorators of helpers, under the names that other kernels use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flydsl.base.other_versions import other_name

_F = TypeVar("_F", bound=Callable[..., object])


def dsl_loc_tracing(function: _F) -> _F:
    """Return the helper as it is: messages and line tables name the lines of all calls that led to an operation."""
    return function


def __getattr__(name: str) -> object:
    """A name of other versions."""
    return other_name(__name__, name)
