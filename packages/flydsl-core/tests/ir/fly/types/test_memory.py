"""Pointers and tensors: alignment, parameters by name, and what their types make of loose arguments."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import f16, f32, i8
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.base.errors import FrontendError
from flydsl.ir.fly.attributes import GLOBAL, SHARED
from flydsl.ir.fly.types import CoordTensorType, LayoutType, MemRefType, PointerType


def test_natural_alignment_is_not_printed() -> None:
    assert str(PointerType(f32, GLOBAL, 4)) == "!fly.ptr<f32, global>"
    assert PointerType(f32, GLOBAL, 4) == PointerType(f32, GLOBAL)


def test_alignment_must_be_a_multiple_of_the_element() -> None:
    with pytest.raises(VerifyException, match=r"align<2> is not a multiple of the 4 bytes of f32"):
        PointerType(f32, GLOBAL, 2)


@pytest.mark.parametrize(("divisibility", "align"), [(0, 64), (1, 2), (3, 2), (4, 8), (8, 16), (1024, 64)])
def test_offset_reduces_the_alignment(divisibility: int, align: int) -> None:
    assert PointerType(f16, SHARED, 64).with_offset(divisibility).align == align


def test_divisibility_of_a_pointer_counts_elements() -> None:
    assert PointerType(f16, GLOBAL, 16).divisibility == 8
    assert PointerType(i8, GLOBAL).divisibility == 1


def test_memref_has_the_pointer_it_was_made_of() -> None:
    pointer = PointerType(f16, SHARED, 16, fl.Swizzle(3, 4, 3))
    tensor = MemRefType(f16, SHARED, fl.Layout((8, 64), (64, 1)), 16, fl.Swizzle(3, 4, 3))
    assert tensor.pointer == pointer


def test_parameters_by_name_default_to_global_memory_and_the_alignment_of_the_element() -> None:
    pointer = PointerType.get(f16)
    assert (pointer.element_type, pointer.address_space, pointer.alignment) == (f16, GLOBAL, 2)
    tensor = MemRefType.get(f32, LayoutType.get((4, 8), (8, 1)), "shared", 16, fl.Swizzle(3, 4, 3))
    assert tensor == MemRefType(f32, SHARED, fl.Layout((4, 8), (8, 1)), 16, fl.Swizzle(3, 4, 3))
    assert (tensor.element_type, tensor.address_space, tensor.alignment) == (f32, SHARED, 16)


def test_leading_dimension_is_the_first_of_stride_one() -> None:
    assert MemRefType.get(f32, fl.Layout((4, 8, 2), (8, 1, 1))).leading_dim == 1
    assert MemRefType.get(f32, fl.Layout((4, 8), (16, 2))).leading_dim is None
    assert MemRefType.get(f32, fl.Layout(4, 1)).leading_dim == 0


def test_alignment_by_name_is_a_multiple_of_the_element() -> None:
    with pytest.raises(FrontendError, match="the alignment of a pointer to f32 is a multiple of 4 bytes, found 2"):
        PointerType.get(f32, alignment=2)


def test_coordinate_tensor_has_the_modes_of_its_layout() -> None:
    coords = CoordTensorType.get(
        (0, 0), fl.Layout((4, (2, 2)), (fl.Basis(1, (0,)), (fl.Basis(1, (1,)), fl.Basis(2, (1,)))))
    )
    assert (coords.rank, coords.depth, coords.is_leaf, coords.is_static) == (2, 2, False, True)
    assert not CoordTensorType.get((0, fl.Dyn()), fl.Layout((4, 2), (fl.Basis(1, (0,)), fl.Basis(1, (1,))))).is_static
