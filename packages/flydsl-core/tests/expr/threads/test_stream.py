"""Streams: handles in every form that a caller has one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


class Foreign:
    def __cuda_stream__(self):
        return 0, 77


@pytest.mark.parametrize(
    ("source", "handle"), [(None, 0), (5, 5), (SimpleNamespace(handle=9), 9), (Foreign(), 77), (fx.Stream(3), 3)]
)
def test_the_handle_of_a_stream(source, handle):
    assert fx.Stream(source).handle == handle


def test_what_is_no_stream():
    with pytest.raises(
        FrontendError, match="a stream is None, an integer handle or an object with `handle`, found str"
    ):
        _ = fx.Stream("x").handle


@pytest.mark.parametrize("handle", [-1, 1 << 64])
def test_a_handle_is_an_address(handle):
    with pytest.raises(FrontendError, match=f"the handle of a stream is an address, .*; found {handle}"):
        _ = fx.Stream(handle).handle


def test_a_stream_is_the_token_of_its_trace():
    token = object()
    stream = fx.Stream(4, token)
    assert stream.ir_value() is token
    assert stream.__extract_to_ir_values__() == [token]
    again = stream.__construct_from_ir_values__(["other"])
    assert (again.source, again.ir_value()) == (4, "other")
    assert fx.Stream(None).__extract_to_ir_values__() == []
    assert repr(fx.Stream(4)) == "Stream(4)"
