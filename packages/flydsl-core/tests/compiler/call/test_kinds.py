"""Arguments of a call, bound by their kinds: types, promises, and values that are packed."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, ShapeError, UnsupportedTensorError
from flydsl.compiler.call.element_types import element_name
from flydsl.compiler.call.kinds import bind
from flydsl.frontend.signature import Parameter
from flydsl.plugins.tensor_adaptor import DType

TENSOR, ANY = Parameter("x", "tensor"), Parameter("x", "any")


def text(value, parameter=ANY):
    return bind(parameter, value, frozenset()).spec.text()


def test_a_bare_tensor_has_a_dynamic_layout_with_a_static_unit_stride():
    assert text(np.zeros((3, 4), np.float32)) == "tensor<Float32, (?,?):(?{i64},1), align<4>>"
    assert text(np.zeros((3, 4), np.float32, order="F")) == "tensor<Float32, (?,?):(1,?{i64}), align<4>>"
    assert text(np.zeros(8, np.int8)[::2]) == "tensor<Int8, (?):(?{i64}), align<1>>"
    assert text(np.zeros((), np.int64), TENSOR) == "tensor<Int64, (1):(1), align<8>>"


def test_a_marked_tensor_has_the_layout_it_was_given():
    x = np.zeros((8, 64), np.float32)
    assert text(flyc.from_dlpack(x)) == "tensor<Float32, (8,64):(64,1), align<4>>"
    marked = flyc.from_dlpack(x, use_32bit_stride=True).mark_layout_dynamic(divisibility=4)
    assert text(marked) == "tensor<Float32, (?,?{div=4}):(?{div=4},1), align<4>>"
    assert text(flyc.from_dlpack(x).mark_shape_dynamic(0)) == "tensor<Float32, (?,64):(64,1), align<4>>"
    assert text(flyc.from_dlpack(x).mark_stride_dynamic([0], 8)) == "tensor<Float32, (8,64):(?{i64 div=8},1), align<4>>"


def test_what_fills_the_dynamic_leaves_is_shape_first():
    x = np.zeros((6, 8), np.float32)[:, ::2]
    assert bind(TENSOR, x, frozenset()).dynamic == (6, 4, 8, 2)


@pytest.mark.parametrize(
    "value, expected",
    [
        (True, "Boolean"),
        (np.False_, "Boolean"),
        (5, "Int32"),
        (2**31, "Int64"),
        (0.5, "Float32"),
        (np.float64(0.5), "Float32"),
        (np.int64(5), "Int32"),
        (fx.Uint8(5), "Uint8"),
        (fx.Float16(1), "Float16"),
    ],
)
def test_numbers_without_annotation_have_their_default_type(value, expected):
    assert text(value) == expected


def test_compile_time_values_of_other_types_have_other_texts():
    values = [True, 1, 1.0, "1", (1,), (True,), (1.0,), None, 0.0, -0.0, fx.Int8, fx.Int16]
    texts = [text(value, Parameter("c", "constexpr")) for value in values]
    assert len(set(texts)) == len(values)


def test_annotated_numbers_are_checked():
    with pytest.raises(ArgumentError, match="argument 'n': 300 does not fit in Uint8; pass a value from 0 to 255"):
        bind(Parameter("n", "scalar", fx.Uint8), 300, frozenset())
    with pytest.raises(ArgumentError, match=r"an Int32 takes an integer, found 1\.5"):
        bind(Parameter("n", "scalar", fx.Int32), 1.5, frozenset())
    with pytest.raises(ArgumentError, match="Float32 takes a number, found str"):
        bind(Parameter("n", "scalar", fx.Float32), "1", frozenset())


def test_tensors_that_cannot_be_passed_are_refused_by_name():
    with pytest.raises(UnsupportedTensorError, match="argument 'x'.*complex64|argument 'x'.*code 5"):
        bind(TENSOR, np.zeros(2, np.complex64), frozenset())
    with pytest.raises(UnsupportedTensorError, match="device of DLPack kind 1"):
        bind(TENSOR, np.zeros(2, np.float32), frozenset({2}))
    with pytest.raises(ShapeError, match="does not exist"):
        flyc.from_dlpack(np.zeros((2, 2), np.float32)).mark_shape_dynamic(5)
    with pytest.raises(ShapeError, match="assumed_align"):
        flyc.from_dlpack(np.zeros(2, np.float32), assumed_align=2)


def test_every_supported_dlpack_type_has_an_element_type():
    assert element_name(DType(4, 16)) == "BFloat16"
    assert element_name(DType(6, 8)) == "Boolean"
    with pytest.raises(UnsupportedTensorError, match="lanes"):
        element_name(DType(2, 32, 4))
