"""Recorded calls: launched without their function, for arguments of the same types only."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.compiler.aot.recorded_call import RecordedCall


@flyc.kernel
def fill_kernel(x: fx.Tensor, n: fx.Int32):
    x[0] = n


@flyc.jit
def fill(k: fx.Constexpr[int], x, n, s: fx.Stream = None):
    fill_kernel(x, n).launch(grid=k, block=1, stream=s)


def array():
    return np.zeros(4, np.int32)


@pytest.fixture
def recorded(fake_device):
    compiled = flyc.compile(fill, 3, array(), 7, None, launch=False)
    call = RecordedCall.of(fill.bind(3, array(), 7), compiled.artifact)
    assert call.save("fill:1", "a note")
    return RecordedCall.load("fill:1")


def test_it_takes_the_leaves_that_are_not_part_of_the_code(recorded):
    assert [(argument.name, argument.kind, argument.text) for argument in recorded.arguments] == [
        ("x", "tensor", "tensor<Int32, (?):(1), align<4>>"),
        ("n", "scalar", "Int32"),
        ("s", "stream", "stream"),
    ]
    assert (recorded.artifact.written, recorded.note) == ((0,), "a note")


def test_it_launches_what_the_function_launches(recorded, fake_device):
    fill(3, array(), 5)
    recorded(array(), 5, None)
    recorded(array(), 6, None)
    values = [int.from_bytes(launch.packed[16:20], "little") for launch in fake_device.launches]
    assert values == [5, 5, 6]


def test_arguments_of_other_types_are_refused(recorded):
    with pytest.raises(ArgumentError, match=r"argument 'x' of 'fill' is tensor<Float32, .*the recorded code is for"):
        recorded(np.zeros(4, np.float32), 5, None)


def test_what_was_not_saved_is_not_there(recorded, monkeypatch):
    assert RecordedCall.load("fill:2") is None
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
    assert RecordedCall.load("fill:1") is None
    assert not recorded.save("fill:1")
