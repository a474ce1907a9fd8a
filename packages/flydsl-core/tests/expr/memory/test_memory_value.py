"""What pointers and tensors have in common: element type, address space and alignment."""

from __future__ import annotations

import pytest

import flydsl.expr as fx


@pytest.fixture
def registers(emitted):
    return lambda dtype: emitted(lambda: fx.make_rmem_tensor(fx.make_layout((4, 2), (2, 1)), dtype)).result


def test_memory_is_never_static_and_keeps_the_sign_of_its_elements(registers):
    tensor = registers(fx.Uint16)
    assert not tensor.is_static
    assert tensor.dtype is fx.Uint16
    (ssa,) = tensor.__extract_to_ir_values__()
    again = tensor.__construct_from_ir_values__([ssa])
    assert again.dtype is fx.Uint16
    assert again.ir_value() is ssa
    assert type(again) is type(tensor)
    assert type(tensor)(tensor).dtype is fx.Uint16


def test_element_type_space_and_alignment_are_those_of_the_type(registers):
    tensor = registers(fx.Float64)
    assert str(tensor.value_type) == "f64"
    assert tensor.address_space.data.value == "register"
    assert tensor.memspace is tensor.address_space
    assert tensor.alignment == 8


def test_without_a_sign_the_elements_are_those_of_the_mlir_type(registers):
    tensor = registers(fx.Uint16)
    assert fx.Tensor(tensor.payload, tensor.ir_value()).dtype is fx.Int16
