"""Functions that are one instruction: of numbers and vectors, and what they are not for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

Ptx = Callable[..., str]


def test_a_hyperbolic_tangent_is_an_instruction_for_each_number(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        x[0] = fx.nvvm.tanh_approx(fx.Float32(x[0]))
        vector = fx.Vector.from_elements([fx.Float32(x[i]) for i in range(1, 4)])
        found = fx.nvvm.tanh_approx(vector)
        assert found.shape == vector.shape
        for i in range(3):
            x[i + 1] = found[i]

    text = traced_ptx(body)
    assert text.count("tanh.approx.f32") == 4


def test_what_nobody_reads_is_left_out(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        fx.nvvm.tanh_approx(fx.Float32(x[0]))
        x[0] = 1

    assert "tanh" not in traced_ptx(body)


def test_other_types_are_refused(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        fx.nvvm.tanh_approx(fx.Vector.from_elements([fx.Float16(1)]))

    with pytest.raises(FrontendError, match=r"tanh_approx is of Float32, found .*; \.to\(fx\.Float32\) converts"):
        traced_ptx(body)
