"""Numbers of a call: their types, their ranges, how they are packed, C parameters and interpreted values."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.kinds import bind
from flydsl.compiler.call.scalar import ScalarSpec, bfloat16_argument, is_number, scalar_bits
from flydsl.frontend.signature import Parameter
from flydsl.toolchain.slots import slot_table


def bound(dtype, value):
    return bind(Parameter("n", "scalar", dtype), value, frozenset())


@pytest.mark.parametrize(
    ("dtype", "value", "message"),
    [
        (fx.Uint8, 300, "300 does not fit in Uint8; pass a value from 0 to 255"),
        (fx.Int8, -129, "-129 does not fit in Int8; pass a value from -128 to 127"),
        (fx.Int32, 1.5, r"an Int32 takes an integer, found 1\.5"),
        (fx.Float32, "1", "Float32 takes a number, found str"),
        (fx.Float16, 1e5, r"100000\.0 does not fit in Float16"),
        (fx.Float8E5M2, 1.0, "a Float8E5M2 cannot be passed as a scalar"),
    ],
)
def test_a_number_that_does_not_fit_is_refused(dtype, value, message):
    with pytest.raises(ArgumentError, match=f"argument 'n': {message}"):
        bound(dtype, value)


@pytest.mark.parametrize(
    ("dtype", "value", "bits"),
    [(fx.Uint8, 255, -1), (fx.Int64, -5, -5), (fx.Boolean, 2, True), (fx.BFloat16, 1.0, 0x3F80), (fx.Float64, 3, 3.0)],
)
def test_bits_are_those_of_the_slot(dtype, value, bits):
    assert scalar_bits(dtype, value) == bits


def test_a_bfloat16_beyond_its_range_overflows_as_other_floats_do():
    with pytest.raises(OverflowError):
        bfloat16_argument(1e40)


@pytest.mark.parametrize(("value", "expected"), [(1, True), (np.float32(1), True), (fx.Int8(1), True), ("1", False)])
def test_numbers_are_those_of_python_and_of_array_libraries(value, expected):
    assert is_number(value) is expected


@pytest.mark.parametrize(("dtype", "codes"), [(fx.Uint16, "H6x"), (fx.Int16, "h6x"), (fx.Boolean, "?7x")])
def test_unsigned_slots_have_letters_that_check_their_range(dtype, codes):
    slots = slot_table([("scalar", dtype.mlir_name)])
    assert bound(dtype, 1).plan_part(iter(slots)) == (codes, ())


@pytest.mark.parametrize(
    ("name", "mlir", "ctype", "text"),
    [
        ("Uint32", "i32", "uint32_t", "Uint32"),
        ("Int8", "i8", "int8_t", "Int8"),
        ("Boolean", "i1", "_Bool", "Boolean"),
        ("BFloat16", "bf16", "uint16_t", "the bits of a bf16"),
        ("Float64", "f64", "double", "Float64"),
    ],
)
def test_exported_c_code_takes_the_number(name, mlir, ctype, text):
    (parameter,) = ScalarSpec(name).c_parameters(iter(slot_table([("scalar", mlir)])))
    assert (parameter.name, parameter.ctype, parameter.text) == ("", ctype, text)


def test_the_interpreter_takes_the_number_rounded_to_its_type():
    assert bound(fx.Float32, 0.1).interpreted(None, []) == list(struct.unpack("<f", struct.pack("<f", 0.1)))
    assert bound(fx.Int32, fx.Int32(7)).interpreted(None, []) == [7]
