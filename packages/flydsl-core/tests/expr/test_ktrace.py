"""Marks of a timeline: they leave no code, and a capture is refused."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import UnsupportedConstructError


def test_marks_leave_no_code(emitted):
    def marked(x):
        fx.ktrace.mark("start", x)
        fx.ktrace.range_push("outer")
        with fx.ktrace.range("inner", payload=3):
            token = fx.ktrace.range_start("loop")
            fx.ktrace.range_stop(token)
        fx.ktrace.range_pop()
        return token

    found = emitted(marked, fx.Int32)
    assert (found.ops, found.result) == ([], fx.ktrace.inactive_token)
    assert not fx.ktrace.tracing_enabled()


@pytest.mark.parametrize("name", ["capture", "collect", "summary"])
def test_there_is_no_capture(name):
    with pytest.raises(UnsupportedConstructError, match="marks of fx.ktrace are not recorded"):
        getattr(fx.ktrace, name)(None, blocks=[0], out_dir=".")
