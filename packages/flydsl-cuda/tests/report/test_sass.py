"""Listings of machine code: functions, branches, loops, padding; and what is told when there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainError
from flydsl_cuda.report import sass
from flydsl_cuda.report.sass import Instruction, disassemble, functions, loops

LISTING = """\
	.target	sm_90a
//--------------------- .text.first    --------------------------
	.section	.text.first,"ax",@progbits
	.align	128
first:
.text.first:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 EXIT ;
.L_x_1:
        /*0020*/                   IADD3 R2, R3, R6, RZ ;
.L_x_0:
        /*0030*/                   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], R24 ;
        /*0040*/              @UP1 UIADD3 UR4, UR4, 0x1, URZ ;
        /*0050*/               @P1 BRA `(.L_x_0) ;
        /*0060*/               @P2 BRA `(.L_x_1) ;
        /*0070*/                   EXIT ;
.L_x_2:
        /*0080*/                   BRA `(.L_x_2);
        /*0090*/                   NOP;
.L_x_3:

	.section	.text.second,"ax",@progbits
second:
.L_x_4:
        /*0000*/               @P0 BRA `(.L_x_4) ;
        /*0010*/                   EXIT ;
"""


BEHIND = """\
	.section	.text.k,"ax",@progbits
        /*0000*/              @!P0 BRA `(.L_slow) ;
.L_back:
        /*0010*/                   CCTL.IVALL ;
        /*0020*/                   EXIT ;
.L_slow:
        /*0030*/                   NANOSLEEP 0x1 ;
        /*0040*/                   IADD3 R2, R2, R3, RZ ;
        /*0050*/                   BRA `(.L_back) ;
.L_x:
        /*0070*/               @P2 BRA `(.L_x) ;
        /*0080*/                   EXIT ;
"""


def test_functions_end_before_their_padding() -> None:
    found = functions(LISTING)
    assert [one.name for one in found["first"]] == [
        "LDC",
        "EXIT",
        "IADD3",
        "HGMMA.64x128x16.F32.BF16",
        "UIADD3",
        "BRA",
        "BRA",
        "EXIT",
    ]
    assert found["first"][3] == Instruction(0x30, "HGMMA.64x128x16.F32.BF16", "R24, gdesc[UR4], R24", "", ".L_x_0")
    assert found["first"][4].predicate == "@UP1"
    assert found["first"][5].target == ".L_x_0"
    assert [one.name for one in found["second"]] == ["BRA", "EXIT"]


def test_loops_are_found_by_their_branches() -> None:
    found = functions(LISTING)
    assert [[one.address for one in loop] for loop in loops(found["first"])] == [
        [0x30, 0x40, 0x50],
        [0x20, 0x30, 0x40, 0x50, 0x60],
    ]
    assert [len(loop) for loop in loops(found["second"])] == [1]


def test_what_stands_behind_the_rest_and_branches_back_is_no_loop() -> None:
    body = functions(BEHIND)["k"]
    assert list(loops(body[:6])) == []
    assert [[one.address for one in loop] for loop in loops(body)] == [[0x70]]


@pytest.mark.parametrize("branch", ["@!UP0 BRA `(.L_x)", "BRA.U !UP0, `(.L_x)", "BRA.DIV UR4, `(.L_x)"])
def test_a_predicate_may_be_an_operand(branch: str) -> None:
    lines = [f"{branch} ;", "BRA `(.L_y) ;", ".L_x:", "MEMBAR.SC.GPU ;", ".L_y:", "@P0 BRA `(.L_start) ;", "EXIT ;"]
    listing = '\t.section\t.text.k,"ax",@progbits\n.L_start:\n' + "".join(
        f"{line}\n" if line.endswith(":") else f"        /*{number:04x}*/   {line}\n"
        for number, line in enumerate(lines)
    )
    (loop,) = loops(functions(listing)["k"])
    assert "MEMBAR.SC.GPU" in [one.name for one in loop]


def test_without_the_program_there_is_no_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sass, "find_program", lambda name: None)
    assert disassemble(b"any") is None


def test_what_the_program_says_is_the_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "nvdisasm"
    program.write_text("#!/bin/sh\necho not a cubin >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(sass, "find_program", lambda name: program)
    with pytest.raises(ToolchainError, match="nvdisasm refuses the machine code: not a cubin"):
        disassemble(b"any")
    program.chmod(0o644)
    with pytest.raises(ToolchainError, match="nvdisasm cannot be run: Permission denied"):
        disassemble(b"any")
