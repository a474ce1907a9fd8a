"""Instructions that the threads of a warp run together: one copy of each, whatever branches are around it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.compiler.kernel_function import CompilationContext
from flydsl_cuda.code_object import CodeObject


def ptx_between_equal_branches(middle: Callable[[], None], level: int) -> str:
    """`middle` between two branches on the same condition, which optimisers like to join."""

    @flyc.kernel
    def kernel(y: fx.Tensor):
        i = fx.thread_idx.x
        if i < 7:
            y[i + 100] = 1
        middle()
        if i < 7:
            y[i] = 2
        else:
            y[i] = 3

    @flyc.jit
    def host(y: fx.Tensor):
        kernel(y).launch(grid=1, block=32)

    with CompilationContext.compile_hints({"opt_level": level}):
        made = host.trace(np.zeros(200, np.int32), backend="cuda", arch="sm_90a").lower().compile()
    return CodeObject.from_bytes(made.device).ptx


def meet() -> None:
    fx.nvvm.cluster_arrive()
    fx.nvvm.cluster_wait()


@pytest.mark.parametrize("level", range(4))
def test_no_copy_is_made_of_what_a_warp_runs_together(level: int) -> None:
    ptx = ptx_between_equal_branches(meet, level)
    assert [ptx.count(f"barrier.cluster.{what}.aligned") for what in ("arrive", "wait")] == [1, 1]
