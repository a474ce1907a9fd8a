"""Immediates of s_waitcnt, against the field tables of the ISA manuals."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flydsl.expr.rocdl.waits import _encode_cdna, _encode_rdna3


@given(st.integers(0, 63), st.integers(0, 15), st.integers(0, 7))
def test_cdna_fields_are_where_the_manual_has_them(vmcnt, lgkmcnt, expcnt):
    bits = _encode_cdna(vmcnt, lgkmcnt, expcnt)
    assert ((bits & 0xF) | (bits >> 14 & 3) << 4, bits >> 8 & 0xF, bits >> 4 & 7) == (vmcnt, lgkmcnt, expcnt)


@given(st.integers(0, 63), st.integers(0, 63), st.integers(0, 7))
def test_rdna3_fields_are_where_the_manual_has_them(vmcnt, lgkmcnt, expcnt):
    bits = _encode_rdna3(vmcnt, lgkmcnt, expcnt)
    assert (bits >> 10, bits >> 4 & 63, bits & 7) == (vmcnt, lgkmcnt, expcnt)
