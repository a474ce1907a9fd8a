"""Assertions in AMD kernels: code that LLVM does not encode behind a trap of its own is compiled."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.tracing.context import current

ARCHES = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")


def stop():
    """What a failed assertion does after it has printed its line, which needs device libraries."""
    current().op("llvm.intr.trap")


@flyc.kernel
def checked_kernel(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    i = fx.thread_idx.x
    if fx.Int64(n) * fx.Int64(n) > (1 << 31) - 1:
        stop()
    y[i, 0] = x[i, 0]


@flyc.jit
def checked(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    checked_kernel(x, y, n).launch(grid=1, block=4)


@pytest.mark.parametrize("arch", ARCHES)
def test_addresses_of_64_bits_after_an_assertion(arch):
    x = np.zeros((8, 8), np.float32)
    isa = checked.trace(x, x, 3, arch=arch).lower().compile().disassemble()
    assert isa.count("s_trap 2") == 1
