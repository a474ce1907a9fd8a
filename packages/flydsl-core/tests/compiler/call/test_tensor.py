"""Tensors of a call: layouts, promises that are checked, what is packed, C parameters and interpreted values."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.numpy_adaptor import NumpyAdaptor
from flydsl.base.errors import ShapeError, UnsupportedTensorError
from flydsl.compiler.call.kinds import bind
from flydsl.compiler.call.tensor import BoundTensor, TensorSpec, bare_layout, dynamic_values
from flydsl.frontend.signature import Parameter
from flydsl.ir.interpret import Tensor
from flydsl.layout import parse_layout
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorDesc
from flydsl.toolchain.slots import slot_table

TENSOR = Parameter("x", "tensor")
SLOTS = slot_table(
    [("pointer", "!llvm.ptr"), ("struct", "!llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>")]
)


def bound(value):
    return bind(TENSOR, value, frozenset())


def described(shape, strides):
    return TensorDesc(4096, shape, strides, DType(2, 32), DeviceRef(1, 0), False)


@pytest.mark.parametrize(
    ("shape", "strides", "layout"),
    [
        ((3, 4), (4, 1), "(?,?):(?{i64},1)"),
        ((3, 4), (1, 3), "(?,?):(1,?{i64})"),
        ((4,), (2,), "(?):(?{i64})"),
        ((), (), "(1):(1)"),
    ],
)
def test_a_bare_tensor_has_dynamic_extents_and_a_static_unit_stride(shape, strides, layout):
    assert str(bare_layout(described(shape, strides))) == layout


def test_what_fills_the_dynamic_leaves_is_shape_first():
    assert bound(np.zeros((6, 8), np.float32)[:, ::2]).dynamic == (6, 4, 8, 2)


@pytest.mark.parametrize(
    ("layout", "shape", "strides", "message"),
    [
        ("(4,?):(?{i64},1)", (3, 4), (4, 1), "shape 3 of mode 0 breaks the static layout, which has 4"),
        ("(?,?{div=4}):(?{i64},1)", (3, 6), (6, 1), "shape 6 of mode 1 is not a multiple of 4, as it was declared"),
        ("(?,?):(?,1)", (3, 4), (1 << 31, 1), "stride 2147483648 of mode 0 does not fit in 32 bits"),
    ],
)
def test_a_tensor_that_breaks_its_layout_is_refused(layout, shape, strides, message):
    with pytest.raises(ShapeError, match=message):
        dynamic_values(parse_layout(layout), described(shape, strides))


def test_a_tensor_of_another_device_is_refused():
    with pytest.raises(UnsupportedTensorError, match="device of DLPack kind 1, and the active runtime takes kinds"):
        bind(TENSOR, np.zeros(2, np.float32), frozenset({2}))


def test_a_misaligned_tensor_is_refused():
    with pytest.raises(UnsupportedTensorError, match="is not a multiple of 4096 bytes; copy the data"):
        bound(flyc.from_dlpack(np.zeros(9, np.int8)[1:], assumed_align=4096))


def test_the_plan_holds_the_alignment_mask_and_the_dynamic_values():
    codes, values = bound(np.zeros((3, 4), np.float32)).plan_part(iter(SLOTS))
    assert codes == "Q16s"
    assert values == (3, struct.pack("<iiq", 3, 4, 4))


def test_exported_c_code_takes_the_address_and_each_dynamic_value():
    spec = TensorSpec("Float32", parse_layout("(?,?):(?{i64},1)"), 4)
    assert [tuple(value)[:4] for value in spec.c_parameters(iter(SLOTS))] == [
        ("", "void *", 0, 8),
        ("shape0", "int32_t", 8, 4),
        ("shape1", "int32_t", 12, 4),
        ("stride0", "int64_t", 16, 8),
    ]


def test_the_interpreter_takes_the_tensor_with_its_memory():
    argument = bound(np.arange(6, dtype=np.float32).reshape(2, 3))
    memory = argument.memory()
    (value,) = argument.interpreted(memory, [memory])
    assert isinstance(value, Tensor)
    assert bytes(memory.data) == np.arange(6, dtype=np.float32).tobytes()


def test_the_frameworks_tensor_is_the_one_inside_of_a_marked_one():
    x = np.zeros(4, np.float32)
    assert bound(x).tensor is x
    assert bound(flyc.from_dlpack(x)).tensor is x


def test_a_tensor_is_whatever_no_other_kind_takes():
    assert BoundTensor.takes(Parameter("x", "any"), object())


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    y[0] = x[0]


def test_a_framework_is_told_of_all_tensors_on_a_stream_that_was_passed(fake_device, monkeypatch):
    @flyc.jit
    def copy(x: fx.Tensor, y: fx.Tensor, s: fx.Stream = fx.Stream(None)):
        copy_kernel(x, y).launch(grid=1, block=1, stream=s)

    told = []
    monkeypatch.setattr(NumpyAdaptor, "after_launch", lambda self, *note: told.append(note))
    x, y = np.zeros(4, np.int32), np.zeros(4, np.int32)
    for stream, notes in ((fx.Stream(None), [(y, 0, True)]), (fx.Stream(9), [(y, 9, True), (x, 9, False)])):
        for _ in range(2):
            told.clear()
            copy(x, y, stream)
            assert sorted((id(array), *rest) for array, *rest in told) == sorted(
                (id(array), *rest) for array, *rest in notes
            )
