"""Classes of instructions and widths of accesses."""

from __future__ import annotations

import pytest

from flydsl_cuda.report.classes import CLASSES, access_of, class_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *[("FFMA.FTZ", "float"), ("HFMA2.MMA", "float"), ("HFMA2.BF16_V2", "float"), ("IMAD.WIDE.U32", "integer")],
        *[("LOP3.LUT", "integer"), ("MUFU.EX2", "special"), ("SHFL.BFLY", "special"), ("ULOP3.LUT", "uniform")],
        *[("UMOV", "uniform"), ("R2UR", "special"), ("MOV", "move"), ("HGMMA.64x256x16.F32.BF16", "tensor")],
        *[("HMMA.16816.F32", "tensor"), ("LDG.E.128.CONSTANT", "global"), ("LDGSTS.E.BYPASS.128", "global")],
        *[("LDSM.16.MT88.4", "shared"), ("STL.64", "local"), ("LDC.64", "constant"), ("ULDC.64", "constant")],
        *[("UTMALDG.2D", "TMA"), ("BAR.SYNC.DEFER_BLOCKING", "barrier"), ("SYNCS.PHASECHK.TRANS64.TRYWAIT", "barrier")],
        *[("WARPGROUP.ARRIVE", "barrier"), ("BRA", "branch"), ("EXIT", "branch"), ("NOP", "other")],
    ],
)
def test_an_instruction_is_of_one_class(name: str, kind: str) -> None:
    assert class_of(name) == kind
    assert kind in CLASSES


@pytest.mark.parametrize(
    ("name", "access"),
    [
        *[("LDG.E.128.CONSTANT", ("global load", 128)), ("LDG.E", ("global load", 32))],
        *[("LDG.E.U8", ("global load", 8)), ("STG.E.64", ("global store", 64)), ("LDG.E.S16", ("global load", 16))],
        *[
            ("LDS.U.128", ("shared load", 128)),
            ("LDSM.16.M88.4", ("shared load", 128)),
            ("LDSM.16.M88", ("shared load", 32)),
        ],
        *[("LDGSTS.E.BYPASS.128", ("global to shared", 128)), ("STL.64", ("local store", 64))],
        *[("FADD", None), ("ATOMG.E.ADD.F32", None)],
    ],
)
def test_accesses_have_directions_and_widths(name: str, access: tuple[str, int] | None) -> None:
    assert access_of(name) == access
