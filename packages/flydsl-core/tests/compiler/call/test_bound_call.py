"""Calls whose arguments are bound: leaves of containers, defaults, types by parameter, devices and announcements."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.adaptors.numpy_adaptor import NumpyAdaptor
from flydsl.base.errors import ArgumentError, RuntimeFailure, UnsupportedTensorError
from flydsl.compiler.call.bound_call import BoundCall, call_recorder
from flydsl.frontend.signature import Parameter
from flydsl.plugins import DeviceRef, TensorAdaptorManifest
from flydsl.plugins.active.stack import enable_peer_access

X, N, P = Parameter("x", "tensor"), Parameter("n", "scalar", fx.Int32), Parameter("p", "any")


def test_types_are_those_of_the_parameters():
    call = BoundCall.of([X, P, N], (np.zeros(4, np.float32), (1, "a"), 5))
    assert {name: spec.text() for name, spec in call.specs().items()} == {
        "x": "tensor<Float32, (?):(1), align<4>>",
        "p": "tuple(0=*, 1=*) of (Int32, constexpr<s1:a>)",
        "n": "Int32",
    }
    assert [argument.parameter.name for argument in call.arguments] == ["x", "p[0]", "p[1]", "n"]


def test_defaults_are_bound_and_were_not_passed():
    call = BoundCall.of([P, N], ((1, 2), 7), 1)
    assert call.passed == ((1, 2),)
    assert list(call.passed_leaves) == [1, 2]
    assert len(call.arguments) == 3
    assert call.has_containers
    assert not BoundCall.of([N, P], (7, (1, 2)), 1).has_containers


def test_devices_are_those_of_the_tensors_in_order():
    call = BoundCall.of([N, X, X], (1, np.zeros(1, np.int8), np.zeros(1, np.int8)))
    assert [tuple(device) for device in call.devices()] == [(1, 0), (1, 0)]


class Placed(NumpyAdaptor):
    """An adaptor of arrays on the device that their first element says."""

    def describe(self, obj):
        return super().describe(obj)._replace(device=DeviceRef(99, int(obj[0])))


def test_kernels_run_where_the_first_tensor_is_and_others_are_there_or_let_in(isolated_plugins):
    isolated_plugins.register(
        TensorAdaptorManifest(name="placed", factory=Placed, claims=lambda cls: cls is np.ndarray)
    )
    one, two = (np.full(4, ordinal, np.int32) for ordinal in (1, 2))
    y = Parameter("y", "tensor")
    assert BoundCall.of([N, X, y], (1, two, two)).ordinal("test-bound") == 2
    assert BoundCall.of([N], (1,)).ordinal("test-bound") is None
    call = BoundCall.of([N, X, y], (1, two, one))
    text = r"argument 'y': the tensor is on device 1, and kernels run on device 2, that of 'x'; .*Device\(2\)"
    with pytest.raises(UnsupportedTensorError, match=text):
        call.ordinal("test-bound")
    enable_peer_access("test-bound", 2, 1)
    assert call.ordinal("test-bound") == 2


def test_another_calls_leaves_are_checked_with_the_defaults_of_this_one():
    check = BoundCall.of([N, N], (1, 2), 1).check()
    check([3])
    with pytest.raises(ArgumentError, match="argument 'n': an Int32 takes an integer, found 1.5"):
        check([1.5])


def test_the_check_keeps_no_tensor_alive():
    x = np.zeros(4, np.float32)
    check, alive = BoundCall.of([X], (x,)).check(), weakref.ref(x)
    del x
    assert alive() is None
    check([np.ones(4, np.float32)])


def test_each_tensor_is_announced_with_what_happens_to_it():
    x = np.zeros(4, np.float32)
    x.flags.writeable = False
    call = BoundCall.of([N, X], (1, x))
    call.announce("f", [], lambda adaptor, desc: 0)
    with pytest.raises(UnsupportedTensorError, match="argument 'x': the tensor is read-only, and f writes to it"):
        call.announce("f", [1], lambda adaptor, desc: 0)


class Capturing(NumpyAdaptor):
    """An adaptor of a framework that captures launches and whose empty arrays stand for others."""

    recorded: list[object] = []

    def is_capturing(self, device):
        return True

    def recorder(self, obj):
        return None if obj.size else lambda function, values: self.recorded.append((function, values))


@pytest.fixture
def capturing(isolated_plugins):
    isolated_plugins.register(
        TensorAdaptorManifest(name="capturing", factory=Capturing, claims=lambda cls: cls is np.ndarray)
    )


@pytest.mark.usefixtures("capturing")
def test_code_is_not_loaded_during_a_capture():
    call = BoundCall.of([N, X], (1, np.zeros(4, np.float32)))
    with pytest.raises(RuntimeFailure, match="'fill' is not loaded for these arguments.*once before the capture"):
        call.refuse_capture("fill")
    BoundCall.of([N], (1,)).refuse_capture("fill")


@pytest.mark.usefixtures("capturing")
def test_a_call_whose_tensor_only_stands_for_one_has_a_recorder():
    values = (1, (2, np.zeros(0, np.float32)))
    call_recorder([N, P], values)("function", values)
    assert Capturing.recorded == [("function", values)]
    assert call_recorder([X, N], (np.zeros(1, np.float32), 1)) is None


def test_a_container_in_itself_has_no_recorder():
    endless = []
    endless.append(endless)
    assert call_recorder([P], (endless,)) is None


@pytest.mark.parametrize(
    ("shape", "offset", "text"),
    [
        ((6, 8), 0, "(?,?):(?{i64 div=4},1), align<16>"),
        ((6, 7), 0, "(?,?):(?{i64},1), align<16>"),
        ((6, 8), 1, "(?,?):(?{i64},1), align<4>"),
        ((5,), 0, "(?):(1), align<16>"),
        ((), 0, "(1):(1), align<16>"),
    ],
)
def test_tensors_are_compiled_for_the_alignment_that_they_have(shape, offset, text):
    memory = np.zeros(128, np.float32)
    first = (-memory.ctypes.data // 4) % 4 + offset
    array = np.ndarray(shape, np.float32, memory.data, first * 4)
    call = BoundCall.of([X, N], (array, 5))
    assert call.aligned_to(1) is call
    specs = call.aligned_to(16).specs()
    assert specs["x"].text() == f"tensor<Float32, {text}>"
    assert specs["n"].text() == "Int32"
    assert call.aligned_to(16).arguments[0].dynamic == call.arguments[0].dynamic


def test_elements_as_wide_as_the_alignment_need_no_strides():
    array = np.zeros((3, 5), np.float64)
    (spec,) = BoundCall.of([X], (array,)).aligned_to(8).specs().values()
    assert spec.text() == "tensor<Float64, (?,?):(?{i64},1), align<8>>"
