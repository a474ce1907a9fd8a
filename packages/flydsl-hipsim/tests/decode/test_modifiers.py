"""Modifier texts of the disassembler and the fields they set."""

from __future__ import annotations

import pytest

from flydsl_hipsim.decode.modifiers import parse_modifier


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("offset:-16", ("offset", -16)),
        ("offset1:4", ("offset1", 4)),
        ("sc0", ("flags", 8)),
        ("mul:4", ("omod", 2)),
        ("op_sel_hi:[1,0,1]", ("op_sel_hi", 5)),
        ("quad_perm:[1,0,3,2]", ("dpp_control", 0xB1)),
        ("row_shr:1", ("dpp_control", 0x111)),
        ("row_bcast:31", ("dpp_control", 0x143)),
        ("dpp8:[7,6,5,4,3,2,1,0]", ("dpp_control", 0o01234567)),
        ("bank_mask:0xf", ("bank_mask", 15)),
        ("dst_sel:WORD_1", ("dst_sel", 5)),
        ("dst_unused:UNUSED_PRESERVE", ("dst_unused", 2)),
        ("vmcnt(3)", ("offset", 3)),
        ("lgkmcnt(0)", ("offset1", 0)),
        ("bitop3:0x1e", ("dpp_control", 0x1E)),
    ],
)
def test_a_modifier(text: str, expected: tuple[str, int]) -> None:
    assert parse_modifier(text) == expected


@pytest.mark.parametrize("text", ["unheard_of", "unheard:of", "v1"])
def test_what_is_not_a_modifier(text: str) -> None:
    assert parse_modifier(text) is None
