"""Words that the disassembler uses for gfx11 and later chips."""

from __future__ import annotations

import struct

import pytest

from flydsl_hipsim.decode.operands import parse_operand
from flydsl_hipsim.decode.records import RECORD_BYTES, decode


def operand(text: str) -> tuple[int, ...]:
    """(kind, modifiers, registers, index, upper index, value)."""
    found = parse_operand(text)
    assert found is not None
    return struct.unpack("<BBBxHHI", found)


@pytest.mark.parametrize("text", ["lit64(0x123456789abcdef0)", "0x123456789abcdef0"])
def test_a_literal_of_64_bits_is_kept_whole(text: str) -> None:
    assert operand(text) == (8, 0, 1, 0x5678, 0x1234, 0x9ABCDEF0)


def test_halves_of_registers_are_modifiers() -> None:
    assert operand("v3.h")[:4] == (2, 8, 1, 3)
    assert operand("-|v3.l|")[:4] == (2, 1 | 2 | 16, 1, 3)


def test_messages_and_cycle_counters_have_numbers() -> None:
    assert operand("sendmsg(MSG_RTN_GET_REALTIME)")[5] == 131
    assert operand("hwreg(HW_REG_SHADER_CYCLES, 0, 20)")[5] == 29 | 19 << 11
    assert operand("hwreg(HW_REG_WAVE_MODE)")[5] == operand("hwreg(HW_REG_MODE)")[5]


@pytest.mark.parametrize(("byte", "of_source", "of_destination"), [(0, 0, 0), (1, 2, 4), (2, 1, 8), (3, 3, 12)])
def test_a_byte_is_selected_as_op_sel_does(byte: int, of_source: int, of_destination: int) -> None:
    op_sel = 12
    for text, expected in (("v_cvt_f32_fp8 v0, v1", of_source), ("v_cvt_sr_fp8_f32 v0, v1, v2", of_destination)):
        made = decode([("", 0, bytes(8), "", f"{text} byte_sel:{byte}")])
        assert made.records[op_sel] == expected


def test_halves_for_sources_stay_beside_the_byte_of_a_destination() -> None:
    assert decode([("", 0, bytes(8), "", "v_cvt_sr_fp8_f16 v0, v1, v2 op_sel:[1,0,0] byte_sel:2")]).records[12] == 9


@pytest.mark.parametrize(
    ("words", "bits"),
    [
        ("matrix_a_scale:MATRIX_SCALE_ROW1", 1),
        ("matrix_b_scale:MATRIX_SCALE_ROW1 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3", 2 | 32),
        ("matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3", 4),
    ],
)
def test_what_is_said_of_scales_is_bits_of_one_field(words: str, bits: int) -> None:
    text = f"v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v48, v49 {words}"
    made = decode([("", 0, bytes(16), "", text)])
    assert int.from_bytes(made.records[28:32], "little") == bits


@pytest.mark.parametrize(
    ("text", "shift"),
    [("global_load_u8", 0), ("global_load_d16_b16", 1), ("global_load_b32", 2), ("global_load_b128", 4)],
)
def test_a_scaled_offset_counts_elements(text: str, shift: int) -> None:
    decoded = decode([("", 0, b"\0" * 8, "", f"{text} v1, v0, s[0:1] scale_offset")])
    assert decoded.names == [text]
    assert decoded.records[39] == shift  # abid


def test_a_dual_instruction_is_two_records_of_one_address() -> None:
    decoded = decode([("", 64, b"\0" * 8, "", "v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v2, s3, v1")])
    assert decoded.names == ["v_dual_mov_b32", "v_dual_add_f32"]
    assert [struct.unpack_from("<I", decoded.records, k * RECORD_BYTES + 4)[0] for k in range(2)] == [64, 64]
    assert [struct.unpack_from("<I", decoded.records, k * RECORD_BYTES + 16)[0] for k in range(2)] == [16384, 0]
