"""Objects that say themselves how they are passed: keys, packed values, C parameters and interpreted values."""

from __future__ import annotations

import ctypes
import struct

import pytest

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, CompileError
from flydsl.compiler.call.jit_argument import abi_spec, abi_values, pack_abi
from flydsl.compiler.call.kinds import bind
from flydsl.frontend.signature import Parameter
from flydsl.toolchain.slots import slot_table

ANY = Parameter("x", "any")


class Scaled:
    """A number with a factor, which is part of the code."""

    def __init__(self, number, count, factor=2):
        self.number, self.count, self.factor = number, count, factor

    def __get_ir_types__(self):
        return [fx.Float32.ir_type_of(), fx.Int8.ir_type_of()]

    def __cache_signature__(self):
        return self.factor

    def __c_abi_spec__(self):
        def number(storage):
            storage.value = self.number

        def count(storage):
            storage.value = self.count

        return [(ctypes.c_float, number), (ctypes.c_int8, count)]

    def __extract_to_ir_values__(self):
        return []

    def __construct_from_ir_values__(self, values):
        return self


def test_the_key_holds_types_and_signature():
    one, same, other = (bind(ANY, value, frozenset()).spec for value in (Scaled(1, 2), Scaled(3, 4), Scaled(1, 2, 5)))
    assert "Scaled, [f32, i8]" in one.text()
    assert one.text() == same.text() != other.text()
    assert one == same != other


def test_values_are_packed_in_blocks():
    assert pack_abi(Scaled(1.5, 3)) == struct.pack("<f4xb7x", 1.5, 3)
    assert abi_values(Scaled(1.5, 3)) == [1.5, 3]


def test_the_slots_are_those_of_its_values():
    argument = bind(ANY, Scaled(1, 2), frozenset())
    assert argument.plan_part(iter(slot_table([("scalar", "f32"), ("scalar", "i8")]))).codes == "16s"
    with pytest.raises(CompileError, match=r"__c_abi_spec__ gives values of \(4, 1\) bytes, .* take \(4, 8\)"):
        argument.plan_part(iter(slot_table([("scalar", "f32"), ("scalar", "i64")])))


def test_slots_of_the_next_argument_are_left_alone():
    slots = iter(slot_table([("scalar", "f32"), ("scalar", "i8"), ("scalar", "i64")]))
    bind(ANY, Scaled(1, 2), frozenset()).plan_part(slots)
    assert next(slots).type == "i64"


def test_exported_c_code_takes_an_address_for_each_value():
    slots = slot_table([("scalar", "f32"), ("scalar", "i8")])
    values = list(bind(ANY, Scaled(1, 2), frozenset()).spec.c_parameters(iter(slots)))
    assert [tuple(value)[:4] for value in values] == [("0", "const void *", 0, 4), ("1", "const void *", 8, 1)]


def test_the_interpreter_takes_its_numbers():
    assert bind(ANY, Scaled(1.5, 3), frozenset()).interpreted(None, []) == [1.5, 3]


def test_what_it_says_of_its_values_is_checked():
    class Wrong(Scaled):
        def __c_abi_spec__(self):
            return [(int, None)]

    with pytest.raises(ArgumentError, match=r"Wrong.__c_abi_spec__ gives \(ctypes type, function that fills one\)"):
        abi_spec(Wrong(1, 2))
