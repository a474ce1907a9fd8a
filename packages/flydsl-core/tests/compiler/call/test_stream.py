"""Streams of a call: their handles, how they are packed, C parameters and interpreted values."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import flydsl.expr as fx
from flydsl.compiler.call.kinds import bind
from flydsl.compiler.call.stream import BoundStream, StreamSpec, is_no_stream, stream_handle
from flydsl.frontend.signature import Parameter
from flydsl.toolchain.slots import slot_table

SLOTS = slot_table([("stream", "!llvm.ptr")])


@pytest.mark.parametrize(
    ("stream", "handle"), [(None, 0), (7, 7), (fx.Stream(8), 8), (fx.Stream(None), 0), (SimpleNamespace(handle=9), 9)]
)
def test_handles_of_streams(stream, handle):
    assert stream_handle(stream) == handle


def test_an_annotated_parameter_takes_any_stream_and_a_bare_one_ours():
    assert BoundStream.takes(Parameter("s", "stream"), 7)
    assert BoundStream.takes(Parameter("s", "any"), fx.Stream(7))
    assert not BoundStream.takes(Parameter("s", "any"), 7)


def test_a_stream_is_an_address_for_launchers_and_for_c():
    argument = bind(Parameter("s", "stream"), fx.Stream(7), frozenset())
    assert argument.plan_part(iter(SLOTS)) == ("Q", ())
    (parameter,) = StreamSpec().c_parameters(iter(SLOTS))
    assert (parameter.name, parameter.ctype, parameter.text) == ("", "void *", "stream")


def test_the_interpreter_has_no_streams():
    assert bind(Parameter("s", "stream"), None, frozenset()).interpreted(None, []) == [None]


def test_only_a_stream_of_nothing_is_none() -> None:
    assert is_no_stream(fx.Stream(None))
    assert not any(map(is_no_stream, (None, 0, fx.Stream(0), fx.Stream(7))))
