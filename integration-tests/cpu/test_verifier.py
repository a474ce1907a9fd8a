"""FLYDSL_DEBUG_ENABLE_VERIFIER: every pass leaves a valid module, or the error names the pass that did not."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError

N = 64


@pytest.fixture(autouse=True)
def verifier(monkeypatch):
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_VERIFIER", "1")


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    i = fx.block_idx.x * N + fx.thread_idx.x
    c[i] = a[i] + b[i]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, blocks: fx.Int32):
    add_kernel(a, b, c).launch(grid=blocks, block=N)


@flyc.kernel
def reverse_kernel(x: fx.Tensor, y: fx.Tensor):
    values = fx.SharedAllocator().allocate(fx.Array[fx.Float32, N]).peek()
    i = fx.thread_idx.x
    values[i] = x[i]
    fx.barrier()
    y[i] = values[N - 1 - i]


@flyc.jit
def reverse(x: fx.Tensor, y: fx.Tensor):
    reverse_kernel(x, y).launch(grid=1, block=N)


def test_vector_add_is_valid_after_every_pass():
    a, b = np.arange(4 * N, dtype=np.float32), np.ones(4 * N, np.float32)
    c = np.zeros_like(a)
    add(a, b, c, 4)
    np.testing.assert_array_equal(c, a + b)


def test_a_kernel_with_a_barrier_is_valid_after_every_pass():
    x = np.arange(N, dtype=np.float32)
    y = np.zeros_like(x)
    reverse(x, y)
    np.testing.assert_array_equal(y, x[::-1])


def test_the_error_names_the_pass_that_left_an_invalid_module(monkeypatch):
    def fail(self: ModuleOp) -> None:
        raise VerifyException("operand 0 is of another block")

    @flyc.jit
    def reverse_anew(x: fx.Tensor, y: fx.Tensor):
        reverse_kernel(x, y).launch(grid=1, block=N)

    monkeypatch.setattr(ModuleOp, "verify", fail)
    x = np.zeros(N, np.float32)
    with pytest.raises(CompileError, match=r"after pass 'fly-rewrite-func-signature': operand 0"):
        reverse_anew(x, x.copy())
