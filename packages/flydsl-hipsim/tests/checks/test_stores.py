"""Writes that are on their way when their wave comes to a barrier: a fault when another wave reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.errors import KernelFault
from flydsl_hipsim.program import Program

CHIPS = ("gfx942", "gfx1100", "gfx1201")
ORDERS = pytest.mark.parametrize("order", ["forward", "backward", "random:3"])


def run(program: Program, kernel: str, order: str, grid: int = 1, check: str = "waits") -> np.ndarray:
    a, c = np.arange(4096, dtype=np.uint32) + 5, np.zeros(4096, np.uint32)
    program.run(kernel, grid, 128, [a, c], check=check, order=order, threads=1)
    return c


@ORDERS
@pytest.mark.parametrize("check", ["waits", "all"])
@pytest.mark.parametrize(
    "kernel",
    [
        *("lds_waited", "lds_own", "lds_second_barrier"),
        *("memory_waited", "memory_second_barrier", "memory_own"),
    ],
)
def test_writes_that_were_waited_for_may_be_read(kernels: Any, kernel: str, order: str, check: str) -> None:
    read = np.arange(128) if kernel.endswith("own") else np.arange(128) ^ 64
    np.testing.assert_array_equal(run(kernels("stores", 2), kernel, order, check=check)[:128], read + 5)


@ORDERS
@pytest.mark.parametrize("kernel", ["lds_not_waited", "lds_waited_behind"])
def test_a_write_to_lds_is_waited_for_before_the_barrier(kernels: Any, kernel: str, order: str) -> None:
    where = r"at 0x\w+ are read here; wave \d of the same workgroup wrote them"
    what = rf"a missing wait: 4 bytes of LDS {where} and came to the barrier before it had waited for that"
    with pytest.raises(
        KernelFault, match=what + r".*written at pc \w+: ds_(write|store)_b32.* wave \d.*ds_(read|load)_b32"
    ):
        run(kernels("stores", 2), kernel, order)


@ORDERS
@pytest.mark.parametrize("kernel", ["memory_not_waited", "memory_waited_behind"])
def test_a_store_is_waited_for_before_the_barrier_where_waves_have_caches_of_their_own(
    kernels: Any, kernel: str, order: str
) -> None:
    if kernels.arch == "gfx942":  # one cache for all waves of a workgroup, which keeps their order
        np.testing.assert_array_equal(run(kernels("stores", 2), kernel, order)[:128], (np.arange(128) ^ 64) + 5)
        return
    with pytest.raises(KernelFault, match=r"a missing wait: 4 bytes of global memory.*at pc \w+: global_store_b32"):
        run(kernels("stores", 2), kernel, order)


@ORDERS
def test_a_store_is_waited_for_before_another_workgroup_is_told(kernels: Any, order: str) -> None:
    np.testing.assert_array_equal(
        run(kernels("stores", 2), "told_in_order", order, grid=2)[2048:2176], np.arange(128) + 5
    )
    what = r"a missing wait: .* of workgroup number 0 wrote them and came to an atomic access before"
    with pytest.raises(KernelFault, match=what):
        run(kernels("stores", 2), "told_too_early", order, grid=2)


@ORDERS
def test_loads_to_lds_are_waited_for(compiler: Any, order: str) -> None:
    program = compiler.compiled("stores", 2, "gfx942")
    np.testing.assert_array_equal(run(program, "load_waited", order)[:128], (np.arange(128) ^ 64) + 5)
    np.testing.assert_array_equal(run(program, "load_own_waited", order)[:128], np.arange(128) + 5)
    with pytest.raises(
        KernelFault, match="came to the barrier before it had waited for that; written at .*load_lds_dword"
    ):
        run(program, "load_not_waited", order)
    with pytest.raises(
        KernelFault, match="are read before the load to there has been waited for; loaded at .*lds_dword"
    ):
        run(program, "load_own_not_waited", order)
