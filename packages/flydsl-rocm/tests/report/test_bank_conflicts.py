"""Conflicts of LDS banks, and what registers hold in each lane, from listings."""

from __future__ import annotations

import pytest

from flydsl_rocm.report.bank_conflicts import predicted_conflicts
from flydsl_rocm.report.instructions import listing
from flydsl_rocm.report.lane_values import LaneValues

BLOCK = (64, 1, 1)


def conflicts(
    *lines: str, banks: int = 32, wave: int = 64, block: tuple[int, int, int] = BLOCK
) -> tuple[int, int, int]:
    found = predicted_conflicts(list(listing("\n".join(lines))), wave, block, banks)
    return found.known, found.unknown, found.conflicts


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["v_lshlrev_b32_e32 v1, 2, v0", "ds_write_b32 v1, v2"], (1, 0, 0)),
        (["v_lshlrev_b32_e32 v1, 3, v0", "ds_read_b32 v2, v1 offset:12"], (1, 0, 2)),  # 2 passes, each twice
        (["v_lshlrev_b32_e32 v1, 7, v0", "ds_read_b32 v2, v1"], (1, 0, 62)),  # all in one bank
        (["v_lshlrev_b32_e32 v1, 4, v0", "ds_read_b128 v[2:5], v1"], (1, 0, 0)),
        (["v_lshlrev_b32_e32 v1, 2, v0", "ds_read2st64_b32 v[2:3], v1 offset1:1"], (1, 0, 4)),
        (["v_mov_b32_e32 v1, 64", "ds_read_b32 v2, v1"], (1, 0, 0)),  # one word for all
        (["v_mov_b32_e32 v1, v9", "ds_read_b32 v2, v1"], (0, 1, 0)),
        (["v_lshl_add_u32 v1, v0, 3, s7", "ds_read_b32 v2, v1"], (1, 0, 2)),  # moved by what is not known
        (["v_and_b32_e32 v1, s7, v0", "ds_read_b32 v2, v1"], (0, 1, 0)),
        (["ds_bpermute_b32 v2, v1, v3", "ds_swizzle_b32 v4, v3 offset:1"], (0, 0, 0)),
    ],
)
def test_conflicts_of_an_access(lines: list[str], expected: tuple[int, int, int]) -> None:
    assert conflicts(*(f"  {line}" for line in lines)) == expected


def test_more_banks_have_fewer_conflicts() -> None:
    lines = "  v_lshlrev_b32_e32 v1, 7, v0", "  ds_read_b32 v2, v1"
    assert conflicts(*lines, banks=64) == (1, 0, 31)


def test_a_block_of_two_dimensions_has_packed_numbers() -> None:
    lines = "  v_bfe_u32 v1, v0, 10, 10", "  v_lshlrev_b32_e32 v1, 7, v1", "  ds_read_b32 v2, v1"
    assert conflicts(*lines, wave=32, block=(16, 4, 1)) == (1, 0, 1)


def test_what_a_loop_changes_is_unknown_within_it() -> None:
    lines = [
        "k:",
        "  v_lshlrev_b32_e32 v1, 2, v0",
        "  v_lshlrev_b32_e32 v3, 2, v0",
        "L_10:",
        "  ds_read_b32 v2, v1",
        "  ds_read_b32 v2, v3",
        "  v_add_u32_e32 v1, 0x100, v1",
        "  s_cbranch_scc1 65530 <L_10>",
    ]
    assert conflicts(*lines) == (1, 1, 0)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("v_add_u32_e32 v1, 3, v0", lambda n: n + 3),
        ("v_subrev_u32_e32 v1, 3, v0", lambda n: (n - 3) & 0xFFFFFFFF),
        ("v_mul_u32_u24_e32 v1, 12, v0", lambda n: 12 * n),
        ("v_mad_u32_u24 v1, v0, 3, 5", lambda n: 3 * n + 5),
        ("v_lshl_or_b32 v1, v0, 4, 1", lambda n: n << 4 | 1),
        ("v_add_lshl_u32 v1, v0, 2, 3", lambda n: (n + 2) << 3),
        ("v_and_or_b32 v1, v0, 7, 16", lambda n: n & 7 | 16),
        ("v_xad_u32 v1, v0, 1, 2", lambda n: (n ^ 1) + 2),
        ("v_lshrrev_b32_e32 v1, 1, v0", lambda n: n >> 1),
        ("v_bitop3_b32 v1, v0, 5, 9 bitop3:0x1e", lambda n: n ^ (5 | 9)),
        ("v_dual_mov_b32 v5, 0 :: v_dual_bitop2_b32 v1, 63, v0 bitop3:0x40", lambda n: n & 63),
        ("v_dual_mov_b32 v5, 0 :: v_dual_lshlrev_b32 v1, 2, v0", lambda n: 4 * n),
    ],
)
def test_instructions_on_lanes(line: str, expected: object) -> None:
    values = LaneValues(list(listing(f"  {line}\n  s_endpgm\n")), 64, BLOCK)
    assert [one.name for one in values.walk()][-1] == "s_endpgm"
    found = values.of("v1")
    assert found is not None
    assert list(found.values) == [expected(n) for n in range(64)]  # type: ignore[operator]


def test_lane_numbers_and_first_lanes() -> None:
    text = """
  v_mbcnt_lo_u32_b32 v1, -1, 0
  v_mbcnt_hi_u32_b32 v1, -1, v1
  v_readfirstlane_b32 s3, v1
  v_add_u32_e32 v2, s3, v1
  global_load_dwordx2 v[4:5], v1, s[2:3]
  s_endpgm
"""
    values = LaneValues(list(listing(text)), 64, BLOCK)
    list(values.walk())
    for register in ("v1", "v2"):
        found = values.of(register)
        assert found is not None
        assert list(found.values) == list(range(64))
    assert values.of("v5") is None
