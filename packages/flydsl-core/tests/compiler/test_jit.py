"""Calls of @jit functions without a device: what compiles, what launches, and what goes past the stubs."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, FrontendError


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


def fill(x: fx.Tensor, n: fx.Int32 = 3):
    store(x, n).launch(grid=1, block=1)


@pytest.fixture
def function():
    return flyc.jit(fill)


def array():
    return np.zeros(4, np.int32)


def test_one_compilation_serves_calls_of_equal_types(function, fake_device):
    for n in range(5):
        function(array(), n)
    function(np.zeros((2, 2), np.int32), 5)
    assert len(fake_device.launches) == 6
    assert len(fake_device.asked("link")) == 2
    assert function._code.loads == 2


def test_keywords_and_defaults_are_calls_like_any_other(function, fake_device, monkeypatch):
    function(array(), 3)
    monkeypatch.setattr(function, "_prepare", None)  # from here on a stub serves every call
    function(x=array(), n=4)
    function(n=5, x=array())
    assert [int.from_bytes(launch.packed[-8:-4], "little") for launch in fake_device.launches] == [3, 4, 5]


def test_a_changed_default_is_noticed(function, fake_device, monkeypatch):
    function(array())
    monkeypatch.setattr(fill, "__defaults__", (9,))
    function(array())
    assert [int.from_bytes(launch.packed[-8:-4], "little") for launch in fake_device.launches] == [3, 9]


@flyc.kernel
def report(n: fx.Constexpr[int]):
    fx.printf("{}", n)


@flyc.jit
def report_first(n: fx.Constexpr[int]):
    report(n).launch(grid=1, block=1)


@flyc.jit
def report_and_store(x: fx.Tensor, n: fx.Constexpr[int]):
    report_first(n)
    store(x, n).launch(grid=1, block=1)


def test_a_function_that_has_been_called_is_still_traced_into_another(fake_device):
    report_first(3)
    traced = report_and_store.trace(array(), 3)
    assert len(fake_device.launches) == 1, "tracing launches nothing"
    assert [kernel.partition("_")[0] for kernel in traced.kernels] == ["report", "store"]


def test_hints_change_the_code_of_later_calls(function, fake_device):
    function(array(), 1)
    function.compile_hints["opt_level"] = 3
    function(array(), 1)
    assert len(fake_device.asked("link")) == 2


def test_threads_that_call_a_cold_signature_compile_it_once(function, fake_device):
    start = threading.Barrier(8)

    def call():
        start.wait()
        function(array(), 1)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(fake_device.launches), len(fake_device.asked("link"))) == (8, 1)


def test_wrong_calls_show_the_line_of_the_call(function, fake_device):
    with pytest.raises(ArgumentError, match="fill: missing a required argument: 'x'") as error:
        function()
    assert error.value.location is not None
    assert error.value.location.file == __file__
    with pytest.raises(FrontendError, match="'fill' is a @flyc.jit function and has no grid 4"):
        function[4]


def test_a_call_is_bound_without_a_device(function):
    call = function.bind(array())
    assert [(name, spec.text()) for name, spec in call.specs().items()] == [
        ("x", "tensor<Int32, (?):(1), align<4>>"),
        ("n", "Int32"),
    ]
