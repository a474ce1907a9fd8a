"""Kernels that carry what generated ones do not: assembly, and memory that is said to stay as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from support.source_modules import module_of

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 64
_CORPUS = Path(__file__).resolve().parents[3] / "foreign/corpus"


@flyc.kernel
def functions_of_numbers_kernel(x: fx.Tensor, y: fx.Tensor, backend: fx.Constexpr[str]) -> None:
    """An instruction that depends on its operands alone, where the language has such assembly."""
    i, value = fx.thread_idx.x, x[fx.thread_idx.x]
    if fx.const_expr(backend == "rocm"):
        value = fx.rocdl.inline_asm(fx.Float32, [value, fx.Float32(3)], "v_mul_f32 $0, $1, $2", "=v,v,v")
    if fx.const_expr(backend == "cuda"):
        value = fx.nvvm.tanh_approx(value)
    if i % 3 == 0:
        y[i] = value
    else:
        y[i] = -value


@flyc.jit
def functions_of_numbers(x: fx.Tensor, y: fx.Tensor, backend: fx.Constexpr[str]) -> None:
    functions_of_numbers_kernel(x, y, backend).launch(grid=1, block=THREADS)


def prepared() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Functions with arguments, by name."""
    vectors = module_of(_CORPUS / "vectors.py")
    x, y = np.zeros(THREADS, np.float32), np.zeros(THREADS, np.float32)
    long = np.zeros((2, 3 * 256), np.float32)
    return {
        "assembly": (functions_of_numbers, (x, y, os.environ["FLYDSL_COMPILE_BACKEND"])),
        "memory that stays": (vectors.reversed_vectors, (long[0], long[1])),
    }
