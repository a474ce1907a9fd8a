"""Decorators of helpers."""

from __future__ import annotations

from flydsl.expr.meta import dsl_loc_tracing


def test_a_helper_stays_itself() -> None:
    def helper() -> int:
        return 3

    assert dsl_loc_tracing(helper) is helper
