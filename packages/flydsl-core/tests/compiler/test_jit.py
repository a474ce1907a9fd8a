"""Calls of @jit functions without a device: what compiles, what launches, and what goes past the stubs."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, CompileError, FrontendError, RuntimeFailure


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


def test_a_function_without_parameters_takes_no_keyword(fake_device):
    @flyc.jit
    def nothing():
        """Launches nothing."""

    nothing()
    for _ in range(2):
        with pytest.raises(ArgumentError, match="unexpected keyword argument 'x'"):
            nothing(x=1)


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


def test_the_last_artifact_is_that_of_the_last_new_kind_of_call(function, fake_device):
    function(array())
    rank_1 = function.get_last_artifact()
    assert rank_1.name == "fill"
    function(np.zeros((2, 2), np.int32))
    rank_2 = function.get_last_artifact()
    assert rank_2.key != rank_1.key
    function(array())
    assert function.get_last_artifact() is rank_2, "a call like an earlier one needs no code"
    assert flyc.compile(function, array()).artifact.key == rank_1.key == function.get_last_artifact().key


def test_each_thread_has_a_last_artifact_of_its_own(function, fake_device):
    function(array())
    mine, others = function.get_last_artifact(), []

    def work():
        with pytest.raises(CompileError, match=r"'fill' has no last artifact: no call in this thread.*flyc.compile"):
            function.get_last_artifact()
        function(np.zeros((2, 2), np.int32))
        others.append(function.get_last_artifact())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert others[0].key != mine.key
    assert function.get_last_artifact() is mine


def test_a_call_that_only_compiles_has_a_last_artifact(function, fake_device, monkeypatch):
    monkeypatch.setenv("COMPILE_ONLY", "1")
    function(array())
    assert function.get_last_artifact().name == "fill"
    assert not fake_device.launches


def test_no_code_is_loaded_while_launches_are_captured(function, fake_device, monkeypatch):
    from flydsl.adaptors.numpy_adaptor import NumpyAdaptor

    function(array(), 1)
    monkeypatch.setattr(NumpyAdaptor, "is_capturing", lambda self, device: True)
    function(array(), 2)
    with pytest.raises(RuntimeFailure, match="'fill' is not loaded for these arguments"):
        function(np.zeros((2, 2), np.int32), 3)
    monkeypatch.undo()
    assert len(fake_device.launches) == 2


def test_a_call_with_a_stand_in_is_recorded(function, fake_device, monkeypatch):
    from flydsl.adaptors.numpy_adaptor import NumpyAdaptor

    recorded = []
    monkeypatch.setattr(NumpyAdaptor, "recorder", lambda self, obj: lambda *call: recorded.append(call))
    x = array()
    function(x, n=4)
    assert recorded == [(function, (x, 4))]
    assert not fake_device.launches
