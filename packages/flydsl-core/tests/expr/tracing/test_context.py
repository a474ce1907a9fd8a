"""The running trace of a context."""

from __future__ import annotations

import threading

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, NoTraceError
from flydsl.expr.tracing import context


def test_outside_of_a_trace_nothing_can_be_built():
    assert not context.is_tracing()
    with pytest.raises(FrontendError, match="this operation builds device code, and no kernel is being traced"):
        context.current()
    with pytest.raises(FrontendError):
        fx.gpu.barrier()


def test_a_trace_is_of_its_block_and_its_thread():
    emitter, seen = object(), []
    with context.tracing(emitter) as inner:
        assert inner is emitter
        assert context.current() is emitter
        thread = threading.Thread(target=lambda: seen.append(context.is_tracing()))
        thread.start()
        thread.join()
        with context.tracing("other"):
            assert context.current() == "other"
        assert context.current() is emitter
    assert seen == [False]
    assert not context.is_tracing()


def test_an_error_ends_the_trace():
    with pytest.raises(ValueError, match="x"), context.tracing(object()):
        raise ValueError("x")
    assert not context.is_tracing()


def test_what_is_interpreted_is_said_by_a_block():
    assert not context.is_interpreted()
    with context.interpreting():
        assert context.is_interpreted()
    assert not context.is_interpreted()


def test_what_becomes_device_code_is_refused_outside_of_a_trace_as_a_runtime_error() -> None:
    with pytest.raises(RuntimeError, match="no kernel is being traced"):
        context.current()
    with pytest.raises(NoTraceError):
        context.current()
