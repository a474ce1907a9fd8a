"""Operand texts of the disassembler and the bytes of records."""

from __future__ import annotations

import struct

import pytest

from flydsl_hipsim.decode.operands import OPERAND_BYTES, parse_operand

Fields = tuple[int, int, int, int, int]


def fields(text: str) -> Fields:
    """Kind, modifiers, registers, index, value."""
    operand = parse_operand(text)
    assert operand is not None
    assert len(operand) == OPERAND_BYTES
    kind, mods, count, index, value = struct.unpack("<BBBxHxxI", operand)
    return kind, mods, count, index, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v7", (2, 0, 1, 7, 0)),
        ("v[2:5]", (2, 0, 4, 2, 0)),
        ("a[0:15]", (2, 0, 16, 256, 0)),
        ("v300", (2, 0, 1, 556, 0)),
        ("v3.h", (2, 8, 1, 3, 0)),
        ("s[8:9]", (1, 0, 2, 8, 0)),
        ("ttmp9", (1, 0, 1, 117, 0)),
        ("vcc", (1, 0, 2, 106, 0)),
        ("exec_hi", (1, 0, 1, 127, 0)),
        ("src_shared_base", (1, 0, 2, 128, 0)),
        ("-16", (3, 0, 1, 0, 0xFFFFFFF0)),
        ("64", (3, 0, 1, 0, 64)),
        ("-0.5", (4, 0, 1, 0, 0xBF000000)),
        ("0x3f800001", (5, 0, 1, 0, 0x3F800001)),
        ("lit(0xffffffff)", (5, 0, 1, 0, 0xFFFFFFFF)),
        ("-v1", (2, 1, 1, 1, 0)),
        ("-|v1|", (2, 3, 1, 1, 0)),
        ("|s4|", (1, 2, 1, 4, 0)),
        ("sext(v2)", (2, 4, 1, 2, 0)),
        ("off", (7, 0, 1, 0, 0)),
        ("hwreg(HW_REG_MODE, 4, 2)", (5, 0, 1, 0, 1 | 4 << 6 | 1 << 11)),
        ("gpr_idx(SRC0,DST)", (5, 0, 1, 0, 9)),
    ],
)
def test_an_operand(text: str, expected: Fields) -> None:
    assert fields(text) == expected


@pytest.mark.parametrize("text", ["offset:4", "glc", "lgkmcnt(0)", "quad_perm:[0,1,2,3]", "w3"])
def test_what_is_not_an_operand(text: str) -> None:
    assert parse_operand(text) is None
