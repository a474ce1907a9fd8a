"""Kernels with loops of 12 turns that say how many are made at a time: one block of 64 threads, f32 in and out."""

from __future__ import annotations

from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.compiler.kernel_function import CompilationContext

TURNS, THREADS = 12, 64


@flyc.kernel
def walked(x: fx.Tensor, y: fx.Tensor, turns: fx.Int32, unroll: fx.Constexpr[Any]) -> None:
    """The bounds are known: what compilers unroll completely if nobody says no."""
    t, total = fx.thread_idx.x, fx.Float32(0)
    for i in fx.range(TURNS, unroll=unroll):
        total = total * 0.5 + x[i, t]
    y[t] = total


@flyc.kernel
def counted(x: fx.Tensor, y: fx.Tensor, turns: fx.Int32, unroll: fx.Constexpr[Any]) -> None:
    t, total = fx.thread_idx.x, fx.Float32(0)
    for i in range(0, turns, unroll=unroll):
        total = total * 0.5 + x[i, t]
    y[t] = total


@flyc.kernel
def waited(x: fx.Tensor, y: fx.Tensor, turns: fx.Int32, unroll: fx.Constexpr[Any]) -> None:
    """Each turn has barriers: on a CPU it is a loop of the block."""
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, THREADS])
    t, total = fx.thread_idx.x, fx.Float32(0)
    for i in fx.range(TURNS, unroll=unroll):
        shared[t] = x[i, t]
        fx.barrier()
        total = total * 0.5 + shared[THREADS - 1 - t]
        fx.barrier()
    y[THREADS - 1 - t] = total


@flyc.kernel
def nested(x: fx.Tensor, y: fx.Tensor, turns: fx.Int32, unroll: fx.Constexpr[Any]) -> None:
    """The outer loop ends with the inner one, and has used the number of its next turn before."""
    t = fx.thread_idx.x
    y[t] = x[0, t]
    for i in fx.range(TURNS - 1, unroll=unroll):
        y[t] = y[t] * 0.5 + x[i + 1, t]
        for k in fx.range(TURNS, unroll=unroll):
            y[t + (k + 1) * THREADS] = x[k, t]


@flyc.kernel
def ended(x: fx.Tensor, y: fx.Tensor, turns: fx.Int32, unroll: fx.Constexpr[Any]) -> None:
    """It may end early, and ends with another loop."""
    t = fx.thread_idx.x
    y[t] = fx.Float32(0)
    for i in fx.range(TURNS + 9, unroll=unroll):
        if i == turns:
            break
        y[t] = y[t] * 0.5 + x[i, t]
        for k in range(turns):
            y[t + (k + 1) * THREADS] = x[k, t]


KERNELS = {"walked": walked, "counted": counted, "waited": waited, "nested": nested, "ended": ended}


@flyc.jit
def launch(x: fx.Tensor, y: fx.Tensor, turns: fx.Int32, name: fx.Constexpr[str], unroll: fx.Constexpr[Any]) -> None:
    KERNELS[name](x, y, turns, unroll).launch(grid=1, block=THREADS)


def arguments() -> tuple[np.ndarray, np.ndarray]:
    """What goes in and what comes out."""
    x = np.random.default_rng(5).integers(-8, 9, (TURNS, THREADS)).astype(np.float32)
    return x, np.zeros((TURNS + 1) * THREADS, np.float32)


def expected(name: str, x: np.ndarray) -> np.ndarray:
    """What NumPy computes: the sums are exact in f32."""
    total = np.zeros(THREADS, np.float64)
    for row in x:
        total = total * 0.5 + row
    rest = x if name in ("nested", "ended") else np.zeros_like(x)
    return np.concatenate([total, rest.reshape(-1)])


def code(name: str, unroll: Any, backend: str, arch: str, opt_level: int = 2) -> str:
    """The machine code of a kernel, as text."""
    x, y = arguments()
    with CompilationContext.compile_hints({"opt_level": opt_level}):
        return launch.trace(x, y, TURNS, name, unroll, backend=backend, arch=arch).lower().compile().disassemble()
