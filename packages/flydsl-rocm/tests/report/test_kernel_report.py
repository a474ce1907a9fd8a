"""Reports of compiled kernels, against their disassembly."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from flydsl.base.errors import CompileError
from flydsl.toolchain.select import default_toolchain
from flydsl_rocm.backend import RocmBackend

BODY = """
  %i = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
  %j = "arith.index_cast"(%i) : (index) -> i32
  %t = "fly.make_int_tuple"(%j) : (i32) -> !fly.int_tuple<(?)>
  %p = "fly.add_offset"(%x, %t) : (!fly.ptr<f32, global>, !fly.int_tuple<(?)>) -> !fly.ptr<f32, global>
  %v = "fly.ptr.load"(%p) : (!fly.ptr<f32, global>) -> f32
  %w = "arith.mulf"(%v, %v) : (f32, f32) -> f32
  "fly.ptr.store"(%w, %p) : (f32, !fly.ptr<f32, global>) -> ()
"""


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100", "gfx1201", "gfx1250"])
def test_a_report_counts_every_instruction_once(
    kernel: Callable[..., str], lower: Callable[[str], str], arch: str
) -> None:
    backend, toolchain = RocmBackend(), default_toolchain()
    code = backend.emit_code_object(lower(kernel("%x: !fly.ptr<f32, global>", BODY)), arch=arch, toolchain=toolchain)
    (report,) = backend.code_report(code, kernels=["k"], arch=arch, toolchain=toolchain)
    text = backend.disassemble(code, arch=arch, toolchain=toolchain)
    assert report.total == len(re.findall(r"^  \w", text, re.MULTILINE))
    assert report.instructions["VALU"] == len(re.findall(r"^  v_", text, re.MULTILINE)) > 0
    assert report.instructions["VMEM"] == 2
    assert report.widest == {"global load": 32, "global store": 32}
    assert report.spills == {"VGPR": 0, "SGPR": 0}
    assert report.memory == {"LDS": 0, "scratch": 0}
    assert 0 < report.registers["VGPR"] < 16
    assert report.occupancy["registers"] == report.occupancy["LDS"] == (8 if arch.startswith("gfx9") else 16)


def test_a_kernel_that_is_not_there_is_named(kernel: Callable[..., str], lower: Callable[[str], str]) -> None:
    backend, toolchain = RocmBackend(), default_toolchain()
    code = backend.emit_code_object(
        lower(kernel("%x: !fly.ptr<f32, global>", BODY)), arch="gfx942", toolchain=toolchain
    )
    with pytest.raises(CompileError, match="the code object has no kernel 'other'; it has k"):
        backend.code_report(code, kernels=["other"], arch="gfx942", toolchain=toolchain)
