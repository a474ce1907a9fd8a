"""Operands of products of warp groups that are not where, or not as, the instruction reads them."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError


def multiplied(operand: Callable[[fx.Tensor], fx.Tensor]) -> str:
    """The PTX of a product of 64 x 64 x 16 whose B is the operand."""

    @flyc.kernel
    def kernel(c: fx.Tensor, x: fx.Tensor) -> None:
        memory = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, 64 * 16, 1024])
        shared = memory.view(fx.nvvm.smem_layout("k", fx.BFloat16, (64, 16)))
        mma = fx.make_tiled_mma(fx.make_mma_atom(fx.nvvm.sm90.WGMMA(64, 16, fx.BFloat16)), fx.make_layout((1, 1, 1)))
        thread = mma.get_slice(fx.thread_idx.x)
        part_c = thread.partition_C(fx.flat_divide(c, (64, 64))[None, None, 0, 0])
        total = mma.make_fragment_C(part_c)
        total.fill(0)
        fx.gemm(mma, total, thread.partition_A(shared), thread.partition_B(operand(x)), total)
        fx.nvvm.sm90.wgmma_commit()
        fx.nvvm.sm90.wgmma_wait()
        part_c.store(total.load())

    @flyc.jit
    def launch(c: fx.Tensor, x: fx.Tensor) -> None:
        kernel(c, x).launch(grid=1, block=128)

    c, x = np.zeros((64, 64), np.float32), np.zeros((64, 16), np.float16)
    return launch.trace(c, x, backend="cuda", arch="sm_90a").lower().compile().disassemble()


def shared(x: fx.Tensor, offset: int = 0) -> fx.Tensor:
    """Rows of 16 bytes and the next 8 columns behind them, without a swizzle."""
    memory = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, 64 * 16 + 8, 16])
    return (memory.ptr + offset).view(fx.make_layout((64, (8, 2)), (8, (1, 512))))


def test_an_operand_may_begin_at_any_16_bytes() -> None:
    assert multiplied(lambda x: shared(x, 8)).count("wgmma.mma_async") == 1


def test_the_number_of_a_block_in_its_cluster_is_cut_off_addresses() -> None:
    text = multiplied(shared)
    cuts = re.findall(r"bfe\.u32 %r\d+, %r\d+, 4, 14;", text)
    assert len(cuts) == 2, text


@pytest.mark.parametrize(
    ("operand", "message"),
    [
        (lambda x: shared(x, 1), "operand b of .*: its memory is aligned to 16 bytes, found 2"),
        (
            lambda x: fx.make_view(fx.recast_iter(fx.BFloat16, fx.get_iter(x)), fx.make_layout((64, 16), (16, 1))),
            "operand b of .*: it is read from shared memory, found .*global",
        ),
        (
            lambda x: fx.make_rmem_tensor(fx.make_layout((64, 16)), fx.BFloat16),
            "operand b of .* is in registers, and the atom reads it from memory",
        ),
    ],
)
def test_what_the_instruction_cannot_read(operand: Callable[[fx.Tensor], fx.Tensor], message: str) -> None:
    with pytest.raises(FlyDSLError, match=message):
        multiplied(operand)
