"""A module of the user's that others import."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

HELPERS = """
    import types
    CONST = 1
    sub = types.ModuleType("sub_of_mine")
    sub.DEEP_CONST = 2

    class Base:
        INHERITED = 3

    def imported(x):
        return x - CONST
"""


@pytest.fixture
def helpers(load: Callable[..., ModuleType]) -> ModuleType:
    """`helpers_of_mine`, imported."""
    return load(HELPERS, "helpers_of_mine")
