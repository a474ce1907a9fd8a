"""Modules run by the machine: blocks and threads in order, shared memory, and errors with their thread."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import KernelError, OutOfBoundsError
from flydsl.ir.interpret import Machine
from flydsl.ir.parse import parse_module


def launch(kernel, *arrays, grid=1, block=1, smem=0):
    @flyc.jit
    def host(x: fx.Tensor, g: fx.Int32, b: fx.Int32):
        kernel(x).launch(grid=g, block=b, smem=smem)

    flyc.interpret(host)(*arrays, grid, block)


@flyc.kernel
def count(x: fx.Tensor):
    i = fx.block_idx.x * fx.block_dim.x + fx.thread_idx.x
    x[i] = x[i] + i


@flyc.kernel
def outside(x: fx.Tensor):
    if fx.block_idx.x == 2:
        x[fx.thread_idx.x + 4] = 1


def test_every_thread_of_every_block_runs_once():
    x = np.zeros(21, np.int32)
    launch(count, x, grid=3, block=7)
    np.testing.assert_array_equal(x, np.arange(21))


def test_launches_follow_each_other():
    @flyc.jit
    def twice(x: fx.Tensor):
        count(x).launch(grid=1, block=9)
        count(x).launch(grid=1, block=9)

    x = np.zeros(9, np.int32)
    flyc.interpret(twice)(x)
    np.testing.assert_array_equal(x, 2 * np.arange(9))


def test_no_blocks_are_no_work():
    x = np.full(3, 5, np.int32)
    launch(count, x, grid=0, block=3)
    np.testing.assert_array_equal(x, 5)


@pytest.mark.parametrize(
    ("grid", "block", "message"),
    [
        (-1, 3, r"is launched with a negative size: \(-1, 1, 1, 3, 1, 1\)"),
        (1, 0, r"is launched with blocks of no threads: \(0, 1, 1\)"),
        (1, 1 << 30, r"a block of \(1073741824, 1, 1\) threads is above the limit of 1024 threads"),
    ],
)
def test_impossible_sizes_are_errors(grid, block, message):
    with pytest.raises(KernelError, match=message):
        launch(count, np.zeros(3, np.int32), grid=grid, block=block)


def test_an_error_names_kernel_block_and_thread():
    with pytest.raises(OutOfBoundsError, match="outside") as caught:
        launch(outside, np.zeros(6, np.int32), grid=4, block=3)
    error = caught.value
    assert (error.block, error.thread) == ((2, 0, 0), (2, 0, 0))
    assert "outside" in error.kernel
    assert error.location.file == __file__
    assert "block (2, 0, 0), thread (2, 0, 0): " in str(error)


def test_the_host_function_is_chosen_by_name():
    text = "func.func @a() {{ func.return }} func.func @b() {{ {} func.return }}"
    machine = Machine(parse_module(text.format('"llvm.intr.trap"() : () -> ()')), 32, [])
    machine.run("a", [])
    with pytest.raises(KernelError, match="an assertion does not hold; its text is printed before this error"):
        machine.run("b", [])
