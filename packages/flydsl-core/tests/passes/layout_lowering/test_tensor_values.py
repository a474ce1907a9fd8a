"""Pointers and tensors as values of the lowering."""

from __future__ import annotations

import pytest
from xdsl.ir import Block

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.parse import parse_type
from flydsl.passes.layout_lowering.tensor_values import Pointer, View, single, static_size


def pointer(text: str = "!fly.ptr<f32, global, align<16>>") -> Pointer:
    return Pointer(Block(arg_types=[parse_type(text)]).args[0])


def test_constant_offsets_are_summed_apart_from_dynamic_ones() -> None:
    start = pointer()
    moved = start.moved(3).moved(fl.Dyn(32)).moved((5,))
    assert (moved.static, moved.base) == (8, start.base)
    assert isinstance(moved.dynamic, fl.Dyn)
    assert start.moved(0) is start


@pytest.mark.parametrize(("offset", "type_"), [(4, "align<16>"), (2, "align<8>"), (1, "f32, global>")])
def test_the_alignment_follows_from_the_offset(offset: int, type_: str) -> None:
    assert type_ in str(pointer().moved(offset).type)


def test_a_pointer_has_the_element_and_space_of_its_base() -> None:
    assert str(pointer().element) == "f32"
    assert str(pointer().type) == "!fly.ptr<f32, global, align<16>>"


def test_a_tensor_of_coordinates_moves_and_has_no_storage() -> None:
    view = View((0, 0), fl.parse_layout("(4,8):(1E0,1E1)"))
    assert view.moved((1, 2), view.layout).iter == (1, 2)
    with pytest.raises(IRError, match="a tensor of coordinates has no storage to read or write"):
        _ = view.pointer


def test_a_tensor_type_is_of_pointer_and_layout() -> None:
    view = View(pointer(), fl.parse_layout("(4,8):(1,4)"))
    assert str(view.type) == "!fly.memref<f32, global, (4,8):(1,4), align<16>>"
    assert str(view.moved(2, fl.parse_layout("4:1")).type) == "!fly.memref<f32, global, 4:1, align<8>>"


def test_offsets_are_one_number_and_sizes_are_known() -> None:
    assert single(((7,),)) == 7
    with pytest.raises(IRError, match=r"a pointer moves by one number of elements, found \(1, 2\)"):
        single((1, 2))
    assert static_size(fl.parse_layout("(4,8):(1,4)")) == 32
    with pytest.raises(IRError, match="a static shape is needed"):
        static_size(fl.parse_layout("(4,?):(1,4)"))
