"""Objects that say how they are passed, and types registered for it, are arguments of @jit functions."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, UnsupportedTensorError

N = 37


class Span:
    """Two numbers in one object that says itself how it is passed."""

    def __init__(self, low: int, high: float) -> None:
        self.low, self.high = low, high

    def __get_ir_types__(self):
        return [fx.Int32.ir_type_of(), fx.Float64.ir_type_of()]

    def __cache_signature__(self):
        return ("span", 1)

    def __c_abi_spec__(self):
        return [
            (ctypes.c_int32, lambda slot: setattr(slot, "value", self.low)),
            (ctypes.c_double, lambda slot: setattr(slot, "value", self.high)),
        ]


class SpanValue:
    """What a traced function sees of it."""

    def __init__(self, low, high) -> None:
        self.low, self.high = low, high

    @classmethod
    def __construct_from_ir_values__(cls, values):
        return cls(fx.Int32.wrap(values[0]), fx.Float64.wrap(values[1]))

    def __extract_to_ir_values__(self):
        return [self.low.ir_value(), self.high.ir_value()]


@flyc.kernel
def span_kernel(y: fx.Tensor, span):
    y[0] = span.high
    y[1] = span.low


@flyc.kernel
def put_kernel(y: fx.Tensor, value):
    y[fx.thread_idx.x] = value


@flyc.jit
def put(y: fx.Tensor, value: fx.Int32):
    put_kernel(y, value).launch(grid=1, block=3)


@flyc.jit
def put_span(y: fx.Tensor, span):
    span_kernel(y, span).launch(grid=1, block=1)


class Bounds(NamedTuple):
    """A type that knows nothing of kernels."""

    low: int
    high: float


class Matrix:
    """A tensor of a library that nobody wrote an adaptor for."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> type[flyc.JitArgumentRegistry]:
    """The registry, as it was again after the test."""
    monkeypatch.setattr(flyc.JitArgumentRegistry, "registry", flyc.JitArgumentRegistry.registry)
    monkeypatch.setattr(flyc.JitArgumentRegistry, "jit_arg2dsl_type", flyc.JitArgumentRegistry.jit_arg2dsl_type)
    return flyc.JitArgumentRegistry


def test_an_object_that_says_how_it_is_passed_is_an_argument(registry):
    y = np.zeros(2, np.float64)
    with pytest.raises(ArgumentError, match="no type of the language is known for a Span"):
        put_span(y, Span(1, 2.0))
    registry.register_jit_arg(Span, SpanValue)
    assert registry.get_dsl_type(Span) is SpanValue
    for low, high in ((3, 1 / 3), (-4, 1e300)):
        put_span(y, Span(low, high))
        np.testing.assert_array_equal(y, [high, low])


def test_a_registered_type_is_an_argument_and_its_subclass_is_not(registry):
    registry.register(Bounds, dsl_type=SpanValue)(lambda bounds: Span(*bounds))
    _make, seen = registry.get(Bounds)
    assert seen is SpanValue
    assert registry.get(int) is None
    y = np.zeros(2, np.float64)
    for low, high in ((3, 1 / 3), (-4, 1e300)):
        put_span(y, Bounds(low, high))
        np.testing.assert_array_equal(y, [high, low])
    compiled = flyc.compile(put_span, y, Bounds(1, 2.0))
    compiled(y, Bounds(5, 6.0))
    np.testing.assert_array_equal(y, [6.0, 5])


def test_a_registered_type_may_become_a_tensor_or_pointer_argument(registry):
    @registry.register(Matrix, dsl_type=fx.Tensor)
    def matrix_argument(matrix):
        return flyc.from_dlpack(matrix.data).mark_layout_dynamic()

    for n in (5, 9, 5):
        y = np.zeros(n, np.int32)
        put(Matrix(y), n)
        np.testing.assert_array_equal(y[:3], n)
    frozen = np.zeros(4, np.int32)
    frozen.flags.writeable = False
    with pytest.raises(UnsupportedTensorError, match="argument 'y': the tensor is read-only"):
        put(Matrix(frozen), 1)


@pytest.mark.parametrize("bad", [object(), 3])
def test_what_cannot_make_an_argument_is_not_registered(registry, bad):
    with pytest.raises(ArgumentError):
        registry.register(Matrix)(bad)
    with pytest.raises(ArgumentError):
        registry.register(bad)
    with pytest.raises(ArgumentError):
        registry.register_jit_arg(Matrix, bad)
    assert registry.get(Matrix) is None


def test_an_abi_that_is_not_that_of_the_types_is_refused(registry):
    class Wrong(Span):
        def __c_abi_spec__(self):
            return [(ctypes.c_int32, lambda slot: None)] * 2

    class Untyped(Span):
        def __c_abi_spec__(self):
            return [(int, lambda slot: None)]

    registry.register_jit_arg(Wrong, SpanValue)
    registry.register_jit_arg(Untyped, SpanValue)
    y = np.zeros(2, np.float64)
    with pytest.raises(RuntimeError, match=r"gives values of \(4, 4\) bytes, and its IR types take \(4, 8\)"):
        put_span(y, Wrong(1, 2.0))
    with pytest.raises(ArgumentError, match=r"gives \(ctypes type, function that fills one\)"):
        put_span(y, Untyped(1, 2.0))
