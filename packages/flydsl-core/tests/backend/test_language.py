"""The check of functions that only some targets have."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from flydsl.backend.language import TargetNamespace
from flydsl.base.errors import NoTraceError, UnsupportedTargetError
from flydsl.expr.tracing import context

WORDS = TargetNamespace("fx.tiny", "tiny", "a tiny machine", ("tiny1", "tiny2", "tiny3"))


@pytest.fixture
def trace() -> Iterator[Any]:
    asked: list[str] = []
    emitter = SimpleNamespace(
        target=SimpleNamespace(backend="tiny", arch="tiny2+fast"), require_kernel=asked.append, asked=asked
    )
    with context.tracing(emitter):
        yield emitter


def test_the_architecture_is_that_of_the_trace(trace: Any) -> None:
    assert WORDS.arch("spin") == "tiny2+fast"


def test_another_backends_trace_is_refused_with_both_names(trace: Any) -> None:
    trace.target = SimpleNamespace(backend="cpu", arch="x86-64")
    with pytest.raises(
        UnsupportedTargetError, match=r"fx\.tiny\.spin needs a tiny machine, and this is compiled by backend 'cpu'"
    ):
        WORDS.arch("spin")


def test_a_chip_without_it_is_refused_with_those_that_have_it_in_their_order(trace: Any) -> None:
    with pytest.raises(UnsupportedTargetError, match=r"tiny2 has no fx\.tiny\.spin; chips that have it: tiny1, tiny3$"):
        WORDS.require("spin", "tiny2", frozenset({"tiny3", "tiny1"}))
    assert trace.asked == []


def test_device_code_is_asked_for_unless_told_otherwise(trace: Any) -> None:
    WORDS.require("spin", "tiny2", {"tiny2"}, in_kernel=False)
    assert trace.asked == []
    WORDS.require("spin", "tiny2", {"tiny2"})
    assert trace.asked == ["fx.tiny.spin"]


def test_without_a_trace_it_says_so() -> None:
    with pytest.raises(NoTraceError):
        WORDS.arch("spin")
