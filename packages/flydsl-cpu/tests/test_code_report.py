"""Reports of native kernels."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError
from flydsl_cpu.code_report import code_reports


@flyc.kernel
def scale(x: fx.Tensor):
    i = fx.thread_idx.x
    x[i] = x[i] * 2.0


@flyc.jit
def host(x: fx.Tensor):
    scale(x).launch(grid=1, block=64)


@pytest.mark.parametrize("arch", ["x86-64-v3", "aarch64"])
def test_a_report_counts_every_instruction_once(arch: str) -> None:
    artifact = host.trace(np.zeros(64, np.float32), backend="cpu", arch=arch).lower().compile()
    (report,) = artifact.report()
    assert report.name == artifact.kernels[0]
    lines = [line for line in artifact.disassemble().splitlines() if line.startswith("  ")]
    assert 0 < report.total <= len(lines)
    assert report.instructions["vector"] > 0
    assert report.widest["vector register"] >= 128


def test_classes_are_by_name_and_operands() -> None:
    text = "k:\n  vaddps %ymm0, %ymm1, %ymm2 // 0: 0\n  jne 1 <L_0> // 0: 0\nL_0:\n  callq 5 // 0: 0\n  retq // 0: 0\n"
    (report,) = code_reports(text, ["k"])
    assert report.instructions == {"vector": 1, "scalar": 0, "branch": 2, "call": 1}
    with pytest.raises(CompileError, match="no kernel 'other'; it has k"):
        code_reports(text, ["other"])
