"""Memory of the host for the interpreter: extents of tensors, gaps between elements, and addresses."""

from __future__ import annotations

import numpy as np

import flydsl.expr as fx
from flydsl.adaptors.resolve import adaptor_for
from flydsl.compiler.call.host_memory import address_in, filled_layout, tensor_memory
from flydsl.compiler.call.pointer import PointerSpec
from flydsl.layout import parse_layout


def memory_of(array):
    return tensor_memory(adaptor_for(type(array)).describe(array), "tensor 'x'")


def test_a_tensor_reaches_from_its_first_to_its_last_byte():
    x = np.arange(12, dtype=np.int16).reshape(3, 4)
    part = x[1:, 1:3]
    memory = memory_of(part)
    assert (memory.base, len(memory.data)) == (part.ctypes.data, 2 * (4 + 2))
    assert memory.extents == ((2, 8), (2, 2), (2, 1))


def test_a_tensor_without_gaps_has_no_extents():
    assert memory_of(np.zeros((3, 4), np.float32)).extents == ()
    assert len(memory_of(np.zeros((0, 4), np.float32)).data) == 0


def test_negative_strides_reach_downwards():
    x = np.arange(4, dtype=np.float32)
    memory = memory_of(x[::-1])
    assert (memory.base, len(memory.data)) == (x.ctypes.data, 16)


def test_an_address_belongs_to_the_tensor_that_it_is_in():
    x = np.zeros(4, np.float32)
    memory = memory_of(x)
    (kind,) = PointerSpec(fx.Float32.__name__, 1, 4).ir_types()
    assert address_in([memory], x.ctypes.data + 8, kind).memory is memory
    assert len(address_in([memory], 0, kind).memory.data) == 0


def test_dynamic_leaves_are_filled_shape_first():
    filled = filled_layout(parse_layout("(?,4):(?{i64},1)"), (3, 8))
    assert [filled.shape[0].number, filled.shape[1], filled.stride[0].number] == [3, 4, 8]
