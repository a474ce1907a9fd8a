"""Float formats: bits and numbers there and back, rounding, limits, and which format holds which."""

from __future__ import annotations

import math
import random
import struct

import pytest

from flydsl.base.float_formats import FLOAT_FORMATS

SMALL = [name for name, form in FLOAT_FORMATS.items() if form.sign_bit < 16]
CODES = {"f16": ("<e", "<H"), "f32": ("<f", "<I"), "f64": ("<d", "<Q")}


def packed(name: str, value: float) -> tuple[int, float]:
    """The bits and the number that `struct` makes of a value."""
    code, integer = CODES[name]
    try:
        data = struct.pack(code, value)
    except OverflowError:
        data = struct.pack(code, math.copysign(math.inf, value))
    return struct.unpack(integer, data)[0], struct.unpack(code, data)[0]


@pytest.mark.parametrize("name", SMALL)
def test_bits_of_a_number_decode_to_it(name: str) -> None:
    form = FLOAT_FORMATS[name]
    for bits in range(2 << form.sign_bit):
        value = form.decode(bits)
        if not math.isnan(value):
            assert form.encode(value) == bits, hex(bits)
            assert math.isinf(value) or abs(value) <= form.largest_value


@pytest.mark.parametrize("name", SMALL)
def test_a_number_between_two_goes_to_the_nearer_and_a_tie_to_even(name: str) -> None:
    form = FLOAT_FORMATS[name]
    for bits in range(form.largest):
        low, high = form.decode(bits), form.decode(bits + 1)
        middle = (low + high) / 2
        assert form.encode(middle) == bits + (bits & 1)
        assert form.encode(math.nextafter(middle, 0)) == bits
        assert form.encode(math.nextafter(middle, math.inf)) == bits + 1


@pytest.mark.parametrize("name", CODES)
def test_wide_formats_are_those_of_python(name: str) -> None:
    form, rng = FLOAT_FORMATS[name], random.Random(3)
    exponents = (rng.uniform(-1, 1) * 2 ** rng.randint(-160, 140) for _ in range(2000))
    for value in (0.0, -0.0, 1.0, 65504.0, 65519.9, 65520.0, 1e-45, math.inf, -math.inf, *exponents):
        bits, rounded = packed(name, value)
        assert (form.encode(value), form.decode(bits)) == (bits, rounded), value


def test_bfloat16_rounds_once() -> None:
    assert FLOAT_FORMATS["bf16"].encode(1 + 2**-8 + 2**-40) == 0x3F81


@pytest.mark.parametrize(
    "name, bits, negative",
    [("bf16", 0x7F80, 0xFF80), ("f8E4M3FN", 0x7F, 0xFF), ("f8E4M3FNUZ", 0x80, 0x80), ("f4E2M1FN", 0x7, 0xF)],
)
def test_what_is_out_of_range(name: str, bits: int, negative: int) -> None:
    form = FLOAT_FORMATS[name]
    for value in (math.inf, form.largest_value * 2):
        assert (form.encode(value), form.encode(-value)) == (bits, negative)


def test_not_a_number_without_a_nan_is_zero_of_the_opposite_sign() -> None:
    form = FLOAT_FORMATS["f6E3M2FN"]
    assert (form.encode(math.nan), form.encode(-math.nan)) == (0x20, 0)
    assert math.isnan(FLOAT_FORMATS["f8E5M2FNUZ"].decode(0x80))


@pytest.mark.parametrize(
    "wide, narrow, holds",
    [
        ("f32", "f16", True),
        ("f32", "bf16", True),
        ("f16", "bf16", False),
        ("bf16", "f16", False),
        ("f16", "f8E5M2", True),
        ("bf16", "f8E4M3B11FNUZ", True),
        ("f8E5M2", "f4E2M1FN", True),
        ("f8E4M3FNUZ", "f4E2M1FN", False),
        ("f6E3M2FN", "f8E5M2", False),
    ],
)
def test_a_format_holds_those_of_smaller_range_and_precision(wide: str, narrow: str, holds: bool) -> None:
    assert FLOAT_FORMATS[wide].holds(FLOAT_FORMATS[narrow]) == holds
