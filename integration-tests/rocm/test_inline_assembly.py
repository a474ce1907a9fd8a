"""Inline assembly on simulated GPUs: results, effects, and the lines of instructions that LLVM refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, ToolchainError
from flydsl_hipsim.bench import HipsimBench

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")


def run(body: Any, x: np.ndarray) -> np.ndarray:
    """`body(i, x[i])` by 64 threads."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = body(i, x[i])

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=64)

    y = np.zeros_like(x)
    host(x, y)
    return y


@pytest.mark.parametrize("chip", CHIPS)
def test_operands_go_in_and_results_come_out(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x = rng.standard_normal(64).astype(np.float32)

    def body(i: Any, v: Any) -> Any:
        product = fx.rocdl.inline_asm(fx.Float32, [v, fx.Float32(3.0)], "v_mul_f32 $0, $1, $2", "=v,v,v")
        swapped = fx.rocdl.inline_asm(
            [fx.Int32, fx.Int32], [i, 7], "v_mov_b32 $0, $3\nv_mov_b32 $1, $2", "=&v,=&v,v,v", has_side_effects=True
        )
        return product + fx.Float32(swapped[0]) * 1000.0 + fx.Float32(swapped[1])

    np.testing.assert_array_equal(run(body, x), x * np.float32(3) + np.float32(7000) + np.arange(64, dtype=np.float32))


def test_an_empty_text_keeps_the_optimiser_from_looking_through(hipsim: HipsimBench) -> None:
    hipsim.use("gfx942")
    x = np.ones(64, np.float32)
    assert (run(lambda i, v: fx.rocdl.inline_asm(fx.Float32, [v * 0.0 + 2.0], "", "=v,0"), x) == 2).all()


def test_effects_without_results_stay(hipsim: HipsimBench) -> None:
    hipsim.use("gfx942")

    @flyc.kernel
    def kernel(x: fx.Tensor):
        assert fx.rocdl.inline_asm(None, [], "s_nop 5", "") is None
        x[0] = fx.rocdl.inline_asm([fx.Float32], [2.5], "v_mov_b32 $0, $1", "=v,v")[0]

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    x = np.zeros(1, np.float32)
    assert "s_nop 5" in host.trace(x).lower().compile().disassemble()
    host(x)
    assert x[0] == 2.5


SWAP = "v_mov_b32_dpp $0, $1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("has_side_effects", [False, True])
def test_lanes_that_exchange_are_not_parted(chip: str, has_side_effects: bool, hipsim: HipsimBench) -> None:
    """Between two branches on one condition, where a copy in each arm would see the lanes of that arm alone."""
    hipsim.use(chip)

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        if i < 7:
            y[i + 64] = i
        swapped = fx.rocdl.inline_asm(fx.Int32, [x[i]], SWAP, "=v,v", has_side_effects=has_side_effects)
        if i < 7:
            y[i] = swapped
        else:
            y[i] = swapped * 3

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=64)

    x, y, i = np.arange(64, dtype=np.int32) + 10, np.zeros(128, np.int32), np.arange(64)
    host(x, y)
    np.testing.assert_array_equal(y[:64], x[i ^ 1] * np.where(i < 7, 1, 3))


REFUSED = {
    "an unknown instruction": ("v_mull_f32 $0, $1, $2", "=v,v,v", "invalid instruction, did you mean: v_mul"),
    "another target's": ("v_wmma_f32_16x16x16_f16 $0, $1, $2, 0", "=v,v,v", "instruction not supported|invalid"),
    "a bad operand": ("v_mul_f32 $0, $1, banana", "=v,v,v", "<inline asm>"),
    "a missing operand": ("v_mul_f32 $0, $1, $2, $3", "=v,v,v", "invalid operand in inline asm"),
    "no such register": ("v_mul_f32 $0, $1, $2", "=v,{v300},v", "constraint '{v300}'"),
    "no such class": ("v_mul_f32 $0, $1, $2", "=q,v,v", "constraint 'q'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_llvm_refuses_is_an_error_at_the_user_s_line(case: str, hipsim: HipsimBench) -> None:
    hipsim.use("gfx942")
    text, constraints, words = REFUSED[case]
    with pytest.raises(ToolchainError, match=words) as caught:
        run(
            lambda i, v: (
                fx.rocdl.inline_asm(fx.Float32, [v, v], "v_mov_b32 $0, $1", "=v,v,v")
                + fx.rocdl.inline_asm(fx.Float32, [v, v], text, constraints)
            ),  # here
            np.ones(64, np.float32),
        )
    assert caught.value.location is not None
    assert "text, constraints" in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((fx.Float32, [], "v_nop", "v"), "constraints 'v' are of 0 results and 1 operands, and it has 1 and 0"),
        ((None, [1], "v_nop", "=v,v"), "are of 1 results and 1 operands, and it has 0 and 1"),
        ((fx.Float32, [], 5, "=v"), "takes instructions and constraints as text"),
        ((object, [], "v_nop", "=v"), "a result type is one such as"),
    ],
)
def test_constraints_that_do_not_fit_are_refused_while_tracing(arguments: Any, words: str, hipsim: HipsimBench) -> None:
    hipsim.use("gfx942")
    with pytest.raises(FrontendError, match=words):
        run(lambda i, v: fx.rocdl.inline_asm(*arguments), np.ones(64, np.float32))
