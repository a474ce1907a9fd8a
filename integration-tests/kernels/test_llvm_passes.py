"""Passes of a plugin in the code of kernels: over LLVM IR, and over machine code at points of code generation."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from support.examples import load_example
from support.llvm_plugins import passes
from support.targets import Target

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 64
POINTS = ("pre-ra", "after:machine-scheduler", "pre-sched2")
"""Before register allocation, in SSA form and behind the scheduler; before the second scheduler."""
LAST = {"cpu": "pre-emit2"}
"""Behind what chooses instructions, registers and the order."""


@flyc.kernel
def doubled_kernel(x: fx.Tensor, y: fx.Tensor, trace: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        y[i] = x[i] * 2.0
        trace[i] = fx.Int32(-7)


@flyc.jit
def doubled(x: fx.Tensor, y: fx.Tensor, trace: fx.Tensor):
    doubled_kernel(x, y, trace).launch(grid=fx.ceil_div(x.shape[0], BLOCK), block=BLOCK)


def run_doubled(rng: np.random.Generator, hints: dict[str, object]) -> np.ndarray:
    """What the kernel leaves in `trace`, of an odd size and behind a stride; its other result is checked."""
    x, y = rng.standard_normal(333).astype(np.float32)[::2], np.full(167, np.nan, np.float32)
    trace = np.zeros(167, np.int32)
    flyc.compile[hints](doubled, x, y, trace)(x, y, trace)
    np.testing.assert_array_equal(y, (x.astype(np.float64) * 2).astype(np.float32))
    return trace


@pytest.mark.parametrize("pipeline", ["trace-threads,default<O2>", "trace-threads", "function(trace-threads)"])
def test_a_pass_over_llvm_ir_stores_the_index_of_each_thread(rng: np.random.Generator, pipeline: str) -> None:
    assert (run_doubled(rng, {}) == -7).all()
    trace = run_doubled(rng, {"llvm_pass_pipeline": pipeline, "llvm_pass_plugins": str(passes())})
    np.testing.assert_array_equal(trace, np.arange(167) % BLOCK)


def test_the_decorator_and_the_environment_say_which_passes_run(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_PASS_PIPELINE", "trace-threads")
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_PASS_PLUGINS", str(passes()))
    np.testing.assert_array_equal(run_doubled(rng, {}), np.arange(167) % BLOCK)
    traced = flyc.jit(llvm_pass_pipeline="count-loads")(doubled.__wrapped__)  # the decorator wins
    x, y, trace = np.ones(5, np.float32), np.zeros(5, np.float32), np.zeros(5, np.int32)
    traced(x, y, trace)
    assert (trace == -7).all()


def instructions(isa: str) -> list[str]:
    """Mnemonics and operands, without targets of branches, and without what depends on the order of others."""
    lines = [re.split(r"\s+//", line)[0].strip() for line in isa.splitlines()]
    ignored = ("s_waitcnt", "s_nop", "s_delay_alu", "nop")
    kept = [line for line in lines if line and not line.endswith(":") and not line.startswith(ignored)]
    return [line.split()[0] if re.match(r"s_c?branch|j[a-z]+\b", line) else line for line in kept]


@pytest.fixture(scope="module")
def gemm():
    """A matrix product with tiles in shared memory."""
    return load_example("12_tiled_gemm").gemm


def run_gemm(gemm, target: Target, rng: np.random.Generator, hints: dict[str, object]) -> tuple[np.ndarray, str]:
    """A product of odd size, checked, and its instructions: of matrices where the chip has such for f32."""
    unit = "mfma" if target.name.startswith("gfx9") else "fma"
    a, b = rng.standard_normal((37, 19), np.float32), rng.standard_normal((19, 67), np.float32)
    c = np.full((37, 67), np.nan, np.float32)
    compiled = flyc.compile[hints](gemm, a, b, c, unit)
    compiled(a, b, c, unit)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-5)
    return c, compiled.artifact.disassemble()


@pytest.mark.parametrize("point", [*POINTS, "last"])
def test_independent_instructions_are_exchanged_and_the_results_stay(
    point: str, gemm, target: Target, rng: np.random.Generator
) -> None:
    state = rng.bit_generator.state
    plain, before = run_gemm(gemm, target, rng, {})
    rng.bit_generator.state = state
    point = LAST.get(target.name, "before:si-insert-waitcnts") if point == "last" else point
    hints = {"llvm_codegen_passes": f"swap-neighbours@{point}", "llvm_codegen_plugins": str(passes())}
    swapped, after = run_gemm(gemm, target, rng, hints)
    np.testing.assert_array_equal(swapped, plain)  # bit for bit: what an order decides is a dependence
    before, after = instructions(before), instructions(after)
    assert after != before
    if point not in POINTS:  # later passes insert waits and no others
        assert Counter(after) == Counter(before)
