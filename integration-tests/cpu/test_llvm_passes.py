"""Custom LLVM passes in kernels for the CPU."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.llvm_plugins import passes as build_passes

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError
from flydsl.compiler.stages.artifact import Artifact
from flydsl.plugins.compile_backend import CompileBackend
from flydsl_cpu.backend import CpuBackend

BLOCK = 64


def host(**passes: Any) -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.block_idx.x * BLOCK + fx.thread_idx.x
        if i < fx.get_scalar(fx.size(x)):
            y[i] = fx.math.exp(x[i]) * 2

    @flyc.jit(**passes)
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=fx.ceil_div(x.shape[0], BLOCK), block=BLOCK)

    return host


def mnemonics(artifact: Artifact) -> list[str]:
    """The instructions without operands: LLVM IR that went through text has its uses in another order, and so other
    registers."""
    return re.findall(r"^  (\w+)", artifact.disassemble(), re.MULTILINE)


@pytest.mark.parametrize("pipeline", ["", "count-loads", "default<O2>", "count-loads,default<O1>"])
@pytest.mark.parametrize("machine", ["", "any-nop@pre-ra, any-nop@pre-emit2", "any-nop@after:prologepilog"])
def test_kernels_compute_the_same_and_their_code_differs(rng: np.random.Generator, pipeline: str, machine: str) -> None:
    plugin = build_passes()
    function = host(
        llvm_pass_pipeline=pipeline,
        llvm_pass_plugins=[plugin] if pipeline else [],
        llvm_codegen_passes=machine,
        llvm_codegen_plugins=plugin,
    )
    x = rng.standard_normal(203).astype(np.float32)
    y = np.zeros_like(x)
    function(x, y)
    np.testing.assert_allclose(y, np.exp(x.astype(np.float64)) * 2, rtol=1e-5)
    plain = host().trace(x, y).lower().compile()
    differ = mnemonics(function.get_last_artifact()) != mnemonics(plain)
    assert differ == bool(machine or pipeline not in ("", "default<O2>"))


def test_a_backend_that_runs_no_passes_refuses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CpuBackend, "codegen_target", CompileBackend.codegen_target)
    x = np.zeros(8, np.float32)
    with pytest.raises(CompileError, match="backend 'cpu' does not run LLVM passes on its code for 'x86-64"):
        host(llvm_pass_pipeline="gvn").trace(x, x).lower().compile()
