"""Pointers of a call: what is accepted, how they are packed, C parameters and interpreted values."""

from __future__ import annotations

import ctypes

import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, UnsupportedTensorError
from flydsl.compiler.call.kinds import bind
from flydsl.compiler.call.pointer import PointerSpec
from flydsl.frontend.signature import Parameter
from flydsl.ir.interpret import Address
from flydsl.toolchain.slots import slot_table

POINTER = Parameter("p", "pointer")
SLOTS = slot_table([("pointer", "!llvm.ptr")])


def test_a_pointer_has_the_text_of_what_it_points_to():
    argument = bind(POINTER, flyc.from_c_void_p(fx.Float16, 4096, assumed_align=16), frozenset())
    assert argument.spec.text() == "pointer<Float16, space<1>, align<16>>"
    assert argument.plan_part(iter(SLOTS)) == ("Q", (15,))


@pytest.mark.parametrize(
    ("pointer", "address"), [(None, 0), (4096, 4096), (ctypes.c_void_p(8), 8), (ctypes.c_void_p(None), 0)]
)
def test_addresses_are_integers_and_c_pointers(pointer, address):
    assert flyc.from_c_void_p(fx.Int8, pointer).address == address


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((float, 0), {}, "element_type is a numeric type such as fx.Float32"),
        ((fx.Int8, -1), {}, "a pointer is a ctypes.c_void_p, an integer from 0 to 2"),
        ((fx.Int32, 0), {"assumed_align": 2}, "assumed_align is a power of two and a multiple of 4 bytes"),
        ((fx.Int32, 0), {"address_space": fx.AddressSpace.Shared}, "a pointer of the host is in"),
    ],
)
def test_what_is_no_pointer_is_refused(arguments, options, message):
    with pytest.raises(ArgumentError, match=message):
        flyc.from_c_void_p(*arguments, **options)


def test_a_pointer_stands_for_nothing_else_and_nothing_else_for_a_pointer():
    with pytest.raises(ArgumentError, match="a pointer is passed as flyc.from_c_void_p"):
        bind(POINTER, 4096, frozenset())
    with pytest.raises(ArgumentError, match="a tensor is expected, found <pointer to Int8 at 0x0>"):
        bind(Parameter("x", "tensor"), flyc.from_c_void_p(fx.Int8, None), frozenset())


def test_a_misaligned_address_is_refused():
    with pytest.raises(UnsupportedTensorError, match="the pointer is at 0x2, which is not a multiple of 4 bytes"):
        bind(POINTER, flyc.from_c_void_p(fx.Int32, 2), frozenset())


def test_exported_c_code_takes_an_address():
    (parameter,) = PointerSpec("Float32", 1, 4).c_parameters(iter(SLOTS))
    assert (parameter.name, parameter.ctype, parameter.offset, parameter.size) == ("", "void *", 0, 8)


def test_the_interpreter_takes_an_address():
    (value,) = bind(POINTER, flyc.from_c_void_p(fx.Int8, None), frozenset()).interpreted(None, [])
    assert isinstance(value, Address)
