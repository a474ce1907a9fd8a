"""A matrix product C = A B^T of 16 or 8-bit floats by the matrix units of Hopper, as large kernels there are written.

Blocks stay and walk over tiles of C. One warp of a block has the copy engine bring tiles of A and B to a ring of
stages; two groups of four warps multiply them, each its half of the tile. Warps that only start copies leave their
registers to those that hold sums. An epilogue, a function of the sums, makes results of them before they are stored:
`gemm(a, b, c, 132, 256, linear(gelu), (bias, residual))`. What lies beyond a matrix is 0 and not stored: sizes need no
code of their own. Rows begin at multiples of 16 bytes, and those of C have as many, since the engine stores 16 bytes at
a time. A and B of 16 bits may be transposed: `gemm(x.t(), ...)` reads them as they are.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from cuda_epilogues import EPILOGUES, plain
from cuda_extras import Extras, maps_of_extras
from cuda_gemm import (
    CONSUMER_REGISTERS,
    GROUP_ROWS,
    PIECE,
    PRODUCER_REGISTERS,
    Epilogue,
    Group,
    Plan,
    Ring,
    check_columns,
    maps_of_operands,
)
from workbench import choose_backend, framed, odd, padded

import flydsl.compiler as flyc
import flydsl.expr as fx

WIDTHS = (256, 128, 64)
"""Columns of a tile of C."""


@flyc.kernel
def gemm_kernel(
    operands: Any, target: Any, extras: Any, steps: fx.Int32, plan: fx.Constexpr[Plan], epilogue: fx.Constexpr[Any]
) -> None:
    memory = fx.SharedAllocator()
    ring = Ring(memory, plan)
    results = memory.allocate(fx.Array[plan.result, plan.results], 1024)
    warp = fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        ring.init((*operands, *extras, target))
    fx.barrier()

    ((load_a, a), (load_b, b)), (store_c, c) = operands, target
    scheduler = fx.nvvm.TileScheduler(fx.ceil_div(c.shape[0], plan.m), fx.ceil_div(c.shape[1], plan.n))
    read = Extras(ring, extras)
    state = ring.state()
    fx.nvvm.griddep_launch()
    if group == plan.groups:
        fx.nvvm.setmaxnreg_decrease(PRODUCER_REGISTERS)
        if warp == 4 * plan.groups:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                fx.nvvm.griddep_wait()
                sides = (
                    (load_a, fx.zipped_divide(a, (plan.m, plan.k))),
                    (load_b, fx.zipped_divide(b, (plan.n, plan.k))),
                )
                for tile in range(fx.block_idx.x, scheduler.tiles, fx.grid_dim.x):
                    row, column = scheduler.tile_coord(tile)
                    state = ring.bring(state, sides, ((row,), (column,)), (0, steps))
                    state = read.bring(state, (row, column))
    else:
        fx.nvvm.setmaxnreg_increase(CONSUMER_REGISTERS)
        mine = Group(ring, results, group)
        tiles_c = fx.zipped_divide(c, (GROUP_ROWS, PIECE))
        for tile in range(fx.block_idx.x, scheduler.tiles, fx.grid_dim.x):
            state = mine.multiply(state, steps)
            row, column = scheduler.tile_coord(tile)
            own = row * plan.groups + group
            put = mine.to_tiles((store_c, tiles_c), own)
            state = mine.store(state, put, (own, column * (plan.n // PIECE)), epilogue, read)
        if mine.thread == 0:
            fx.nvvm.bulk_wait_group(read=True)  # the kernel's end waits for the rest


@flyc.jit
def gemm(
    a: fx.Tensor,
    b: fx.Tensor,
    c: fx.Tensor,
    blocks: fx.Int32,
    columns: fx.Constexpr[int] = 256,
    epilogue: fx.Constexpr[Epilogue] = plain,
    extras: tuple[fx.Tensor, ...] = (),
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """C = epilogue(A B^T) by `blocks` blocks, one for each multiprocessor, in tiles of 256, 128 or 64 columns.

    `extras` are what the epilogue reads: vectors along the rows of C, of its type or Float32, and at most one matrix
    like C, of its type, which has 16 bits then.
    """
    check_columns(columns)
    major_a, major_b = ("mn" if matrix.leading_dim == 0 else "k" for matrix in (a, b))
    plan = Plan(a.dtype, c.dtype, (major_a, major_b), columns)
    target = fx.nvvm.make_tma_store(c, fx.nvvm.smem_layout("k", plan.result, (GROUP_ROWS, PIECE)))
    steps = fx.get_scalar(fx.ceil_div(a.shape[1], plan.k))
    gemm_kernel(maps_of_operands(a, b, plan), target, maps_of_extras(extras, plan), steps, plan, epilogue).launch(
        grid=fx.max(blocks, 1), block=plan.threads, use_pdl=True, stream=stream
    )


def columns_for(m: int, n: int, blocks: int) -> int:
    """How wide tiles should be: blocks that all have work count, and so does what each tile costs besides."""
    overhead = 32

    def cost(columns: int) -> int:
        tiles = -(-m // 128) * -(-n // columns)
        return -(-tiles // blocks) * (columns + overhead)

    return min(WIDTHS, key=cost)


def check(
    rng: np.random.Generator,
    m: int,
    n: int,
    k: int,
    transposed: str = "",
    columns: int = 256,
    blocks: int = 132,
    epilogue: str = "plain",
) -> None:
    """One random product of float16 against NumPy in float64; what lies behind C's columns stays as it is.

    C has rows of whole 16 bytes, which the copy engine stores: columns without a row of B become 0, and are left out
    here where an epilogue makes others of them. Those of "a" and "b" in `transposed` are in memory as transposes.
    """
    halves = partial(framed, dtype=np.float16)
    a, b = (halves(k, rows).T if name in transposed else halves(rows, k) for name, rows in (("a", m), ("b", n)))
    a, b, residual = a[:m, :k], b[:n, :k], halves(m, n)[:, :n]
    for matrix in (a, b, residual):
        matrix[...] = rng.standard_normal(matrix.shape, dtype=np.float32)
    bias = rng.standard_normal(n, dtype=np.float32)
    device, reference, names = EPILOGUES[epilogue]
    extras = tuple({"bias": bias, "residual": residual}[name] for name in names)
    c, width = halves(m, n), padded(n, 2)
    gemm(a, b, c[:, :width], blocks, columns, device, extras)
    sums = a.astype(np.float64) @ b.astype(np.float64).T
    expected = reference(sums, *(extra.astype(np.float64) for extra in extras))
    np.testing.assert_allclose(c[:, :n], expected, rtol=2e-3, atol=1e-3 * k**0.5)
    if epilogue == "plain":
        np.testing.assert_array_equal(c[:, n:width], 0)
    np.testing.assert_array_equal(c[:, width:], np.full_like(c[:, width:], np.nan))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for transposed, epilogue in (("", "plain"), ("a", "bias_gelu_residual"), ("b", "bias_silu"), ("ab", "lower")):
        m, n, k = odd(rng, 400), odd(rng, 400), odd(rng, 400)
        check(rng, m, n, k, transposed, blocks=4, epilogue=epilogue)
        print(f"{m} x {k} times {k} x {n}, {epilogue}: equal to NumPy in float64, but for the rounding to float16")


if __name__ == "__main__":
    main()
