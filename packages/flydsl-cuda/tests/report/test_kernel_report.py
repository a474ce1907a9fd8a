"""Reports of kernels by the real assembler and disassembler."""

from __future__ import annotations

import pytest

from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.ptxas import Resources, assemble, find_ptxas
from flydsl_cuda.report import kernel_report
from flydsl_cuda.report.kernel_report import code_reports

PTX = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
.reg .b64 %a; .reg .f32 %f<5>; .reg .u32 %n; .reg .pred %p;
ld.param.u64 %a, [p];
ld.param.u32 %n, [n];
again:
ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%a];
fma.rn.f32 %f1, %f1, %f2, %f3;
st.global.f32 [%a], %f1;
FENCE
add.u64 %a, %a, 4096;
sub.u32 %n, %n, 1;
setp.ne.u32 %p, %n, 0;
@%p bra again;
ret;
}
"""


def code_of(fence: str = "") -> CodeObject:
    ptx, ptxas = PTX.replace("FENCE", fence), find_ptxas()
    assert ptxas is not None
    return CodeObject(ptx, *assemble(ptx, ptxas, "sm_90a"))


def test_instructions_and_widths_are_counted() -> None:
    (report,) = code_reports(code_of(), ["k"])
    assert report.instructions["float"] >= 1
    assert report.instructions["local"] == report.instructions["tensor"] == 0
    assert report.instructions["global"] >= 2
    assert report.widest == {"global load": 128, "global store": 32}
    assert report.spills == {"store bytes": 0, "load bytes": 0}
    assert report.notes == ()


def test_waits_for_the_device_in_a_loop_are_told() -> None:
    (report,) = code_reports(code_of("fence.sc.gpu;"), ["k"])
    (note,) = report.notes
    assert note.startswith("a loop waits for the whole device's memory: ")
    assert "MEMBAR.SC.GPU" in note


def test_without_the_program_the_assembler_alone_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_report, "disassemble", lambda cubin: None)
    (report,) = code_reports(CodeObject("", b"", {"k": Resources(registers=40)}), ["k"])
    assert (report.registers, report.instructions, report.widest) == ({"GPR": 40}, {}, {})
    assert "pip install 'flydsl-cuda[report]'" in report.notes[0]
