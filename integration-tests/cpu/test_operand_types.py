"""Operands that an atom or a launch does not take are refused at the user's line instead of computed with wrongly."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

MISMATCHES = [(fx.Float64, fx.Float32, "d", "Float64"), (fx.Float32, fx.Float16, "a", "Float16")]


def refused(kernel, message: str) -> None:
    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match=message) as caught:
        host(np.zeros(2, np.float32))
    assert caught.value.location.file == __file__


@pytest.mark.parametrize("word", ["gemm", "mma_atom_call"])
@pytest.mark.parametrize(("accumulator", "operand", "name", "found"), MISMATCHES)
def test_operands_of_another_type_than_the_atom_are_refused(word, accumulator, operand, name, found):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
        a, b = fx.make_rmem_tensor(1, operand), fx.make_rmem_tensor(1, operand)
        d = fx.make_rmem_tensor(1, accumulator)
        getattr(fx, word)(atom, d, a, b, d)

    refused(kernel, f"operand {name} of {word} has elements of type {found}, .* f32")


def test_a_copy_atom_does_not_multiply():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
        d = fx.make_rmem_tensor(1, fx.Float32)
        fx.gemm(atom, d, d, d, d)

    refused(kernel, "gemm needs an MMA atom first")


def test_a_launch_inside_of_fastmath_is_refused_because_kernels_do_not_inherit_it():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x[0] * 2.0 + 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        with fx.fastmath("contract"):
            kernel(x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match="flags do not reach kernels; write `with fx.fastmath"):
        host(np.zeros(1, np.float32))
