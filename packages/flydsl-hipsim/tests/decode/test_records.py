"""Whole instructions and their records."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from flydsl_hipsim.decode.records import RECORD_BYTES, Decoded, decode


@dataclass
class Record:
    name: str
    address: int
    size: int
    operands: int
    form: int
    flags: int
    values: list[int]


def records(*texts: str, code: bytes = b"\0\0\0\0") -> list[Record]:
    decoded = decode([("", 0x100 + 4 * k, code, "", text) for k, text in enumerate(texts)])
    return [one(decoded, k) for k in range(decoded.count)]


def one(decoded: Decoded, k: int) -> Record:
    data = bytes(decoded.records[k * RECORD_BYTES : (k + 1) * RECORD_BYTES])
    opcode, address, size, operands, form, _ = struct.unpack_from("<II4B", data)
    (flags,) = struct.unpack_from("<I", data, 16)
    values = [struct.unpack_from("<I", data, 44 + 12 * i + 8)[0] for i in range(operands)]
    return Record(decoded.names[opcode], address, size, operands, form, flags, values)


def test_suffixes_of_encodings_are_not_part_of_the_opcode() -> None:
    texts = ("v_add_f32_e32 v0, v1, v2", "v_add_f32_e64 v0, v1, v2 clamp", "v_add_f32_sdwa v0, v1, v2 src0_sel:BYTE_1",
             "v_add_f32_dpp v0, v1, v2 row_shr:1")  # fmt: skip
    found = records(*texts)
    assert {record.name for record in found} == {"v_add_f32"}
    assert [record.form for record in found] == [0, 0, 1, 2]
    assert [record.flags for record in found] == [0, 32, 0, 0]
    assert [record.address for record in found] == [0x100, 0x104, 0x108, 0x10C]


def test_the_target_of_a_branch_comes_from_its_encoding() -> None:
    (record,) = records("s_cbranch_scc1 65534 <L_fc>", code=struct.pack("<hH", -2, 0xBF85))
    assert (record.name, record.values) == ("s_cbranch_scc1", [0x100 + 4 - 8])


def test_two_instructions_of_one_word_are_two_records() -> None:
    first, second = records("v_dual_mov_b32 v0, 1 :: v_dual_add_f32 v1, v2, v3")
    assert (first.name, first.operands, first.flags) == ("v_dual_mov_b32", 2, 16384)
    assert (second.name, second.operands, second.flags) == ("v_dual_add_f32", 3, 0)
    assert first.address == second.address


def test_what_is_not_understood_is_an_opcode_of_its_own() -> None:
    found = records("<unknown>", "", "v_add_f32 v0, strange:7")
    assert [record.name for record in found] == ["<unknown>", "<unknown>", "v_add_f32 strange:7"]


def test_hints_keep_no_operands() -> None:
    (record,) = records("s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)")
    assert (record.name, record.operands) == ("s_delay_alu", 0)


def test_comparisons_of_rdna_are_printed_without_a_suffix() -> None:
    rows, eights = records(
        "v_cmp_eq_f32 vcc_lo, v20, v22 row_shr:2 row_mask:0x9 bank_mask:0x7 fi:1",
        "v_cmpx_eq_u32 v1, v2 dpp8:[1,1,1,1,1,1,1,1]",
    )
    assert [rows.form, eights.form] == [2, 3]


def test_the_pattern_of_a_swizzle_comes_from_its_encoding() -> None:
    code = struct.pack("<HHI", 0xC123, 0xD8F4, 0)
    decoded = decode([("", 0x100, code, "", "ds_swizzle_b32 v10, v11 offset:swizzle(ROTATE,0,9)")])
    assert struct.unpack_from("<i", decoded.records, 20) == (0xC123,)
