"""Copies by tiles and products of matrices, run by the interpreter."""

from __future__ import annotations

import numpy as np
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def copy_rows(x: fx.Tensor, y: fx.Tensor):
    atom = fx.make_copy_atom(fx.UniversalCopy(32), 32)
    i = fx.thread_idx.x
    fx.copy(atom, x[i, None], y[i, None])


def test_a_copy_moves_every_element_of_the_parts():
    x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    y = np.zeros_like(x)
    launch(copy_rows, x, y, block=4)
    np.testing.assert_array_equal(y, x)


@flyc.kernel
def through_registers(x: fx.Tensor, y: fx.Tensor):
    atom = fx.make_copy_atom(fx.UniversalCopy(32), 32)
    x, y = (fx.make_view(fx.get_iter(t), fx.make_layout(8, 1)) for t in (x, y))
    registers = fx.make_fragment_like(x)
    fx.copy(atom, x, registers)
    registers.store(registers.load() * 2.0)
    fx.copy(atom, registers, y)


def test_registers_are_a_destination_and_a_source():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    launch(through_registers, x, y, block=1)
    np.testing.assert_array_equal(y, 2 * x)
