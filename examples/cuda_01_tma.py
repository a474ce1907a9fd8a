"""Tiles moved by the copy engine of NVIDIA GPUs (TMA): a transposition, sums in memory, tiles for a whole cluster.

The `@jit` function says how a tile lies in shared memory, and gets an atom and the tensor's coordinates; kernels cut
tiles out of the coordinates and copy them. One thread starts a copy; an mbarrier tells when a load has come. What lies
beyond the tensor comes as zeros and is not stored, so borders need no code. Rows begin at multiples of 16 bytes, and
those that are stored to have as many: the engine writes 16 bytes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from workbench import choose_backend, framed, odd, padded

import flydsl.compiler as flyc
import flydsl.expr as fx

TILE, THREADS = 32, 256
STAGES, DEEP = 6, 128  # rows of the tiles of which a block holds several
CLUSTER = 2


def tile_layout(rows: int) -> Any:
    """Rows of 32 floats, 128 bytes, of which the copy engine exchanges 16-byte pieces by the row's number."""
    swizzle = fx.static(fx.SwizzleType.get(3, 2, 3))
    return fx.make_composed_layout(swizzle, fx.make_layout((rows, TILE), (TILE, 1)))


def arrived(load: Any, tile: fx.Tensor, memory: Any, full: fx.Pointer) -> None:
    """Load a tile and wait for it."""
    if fx.thread_idx.x == 0:
        fx.nvvm.mbarrier_init(full, 1)
        fx.nvvm.fence_mbarrier_init()
        fx.nvvm.mbarrier_arrive_expect_tx(full, load.tile_bytes)
        fx.copy(load, tile, memory, mbar=full)
    fx.barrier()
    fx.nvvm.mbarrier_wait(full, 0)


@flyc.kernel
def transpose_kernel(load: Any, source: fx.Tensor, store: Any, target: fx.Tensor) -> None:
    shared = fx.SharedAllocator()
    x, y = (shared.allocate(fx.Array[fx.Float32, TILE * TILE], 1024) for _ in range(2))
    full = shared.allocate(fx.Array[fx.Int64, 1]).ptr
    i, j, thread = fx.block_idx.y, fx.block_idx.x, fx.thread_idx.x
    fx.nvvm.griddep_wait()  # launched with use_pdl: what is before this line may run beside the kernel before
    arrived(load, fx.zipped_divide(source, (TILE, TILE))[None, (i, j)], x, full)
    before, after = shared_view(x), shared_view(y)
    for step in fx.range_constexpr(TILE * TILE // THREADS):
        row = thread // TILE + step * (THREADS // TILE)
        after[row, thread % TILE] = before[thread % TILE, row]
    fx.nvvm.fence_proxy_async()
    fx.barrier()
    if thread == 0:
        fx.copy(store, y, fx.zipped_divide(target, (TILE, TILE))[None, (j, i)])
        fx.nvvm.bulk_commit_group()
        fx.nvvm.bulk_wait_group()


def shared_view(storage: Any) -> fx.Tensor:
    """A tile of shared memory as a tensor."""
    view: fx.Tensor = storage.view(tile_layout(TILE))
    return view


@flyc.jit
def transpose(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    load, source = fx.nvvm.make_tma_load(x, tile_layout(TILE))
    store, target = fx.nvvm.make_tma_store(y, tile_layout(TILE))
    blocks = fx.ceil_div(x.shape, (TILE, TILE))
    transpose_kernel(load, source, store, target).launch(
        grid=(blocks[1], blocks[0]), block=THREADS, stream=stream, use_pdl=True
    )


@flyc.kernel
def add_kernel(load: Any, source: fx.Tensor, add: Any, target: fx.Tensor) -> None:
    shared = fx.SharedAllocator()
    tiles = [shared.allocate(fx.Array[fx.Float32, DEEP * TILE], 1024) for _ in range(STAGES)]  # 96 KB
    full = shared.allocate(fx.Array[fx.Int64, STAGES]).ptr
    i = fx.block_idx.x
    for stage in fx.range_constexpr(STAGES):
        arrived(load, fx.zipped_divide(source, (DEEP, TILE))[None, (i, stage)], tiles[stage], full + stage)
    if fx.thread_idx.x == 0:
        for stage in fx.range_constexpr(STAGES):
            fx.copy(add, tiles[stage], fx.zipped_divide(target, (DEEP, TILE))[None, (i, stage)])
        fx.nvvm.bulk_commit_group()
        fx.nvvm.bulk_wait_group()


@flyc.jit
def add_to(x: fx.Tensor, total: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    """total += x, of at most 192 columns: the engine adds in memory."""
    load, source = fx.nvvm.make_tma_load(x, tile_layout(DEEP))
    add, target = fx.nvvm.make_tma_reduce(total, tile_layout(DEEP), op="add")
    add_kernel(load, source, add, target).launch(grid=fx.ceil_div(x.shape[0], DEEP), block=THREADS, stream=stream)


@flyc.kernel
def spread_kernel(load: Any, source: fx.Tensor, store: Any, target: fx.Tensor) -> None:
    shared = fx.SharedAllocator()
    tile = shared.allocate(fx.Array[fx.Float32, CLUSTER * TILE * TILE], 1024)
    full = shared.allocate(fx.Array[fx.Int64, 1]).ptr
    rank, number = fx.nvvm.cluster_rank(), fx.block_idx.x // CLUSTER
    if fx.thread_idx.x == 0:
        fx.nvvm.mbarrier_init(full, 1)
        fx.nvvm.fence_mbarrier_init()
    fx.nvvm.cluster_sync()
    if fx.thread_idx.x == 0:
        fx.nvvm.mbarrier_arrive_expect_tx(full, CLUSTER * load.tile_bytes)  # the parts of all blocks
        part = fx.zipped_divide(source, (TILE, TILE))[None, (number * CLUSTER + rank, 0)]
        fx.copy(load, part, tile.ptr + rank * (TILE * TILE), mbar=full, mask=(1 << CLUSTER) - 1)
    fx.nvvm.mbarrier_wait(full, 0)
    if fx.thread_idx.x == 0:
        fx.copy(store, tile, fx.zipped_divide(target, (1, CLUSTER * TILE, TILE))[None, (rank, number, 0)])
        fx.nvvm.bulk_commit_group()
        fx.nvvm.bulk_wait_group()
    fx.nvvm.cluster_sync()  # nobody leaves while another block still writes here


@flyc.jit
def spread(x: fx.Tensor, copies: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    """Each of the copies becomes x, of 32 columns; every tile is read once by the two blocks that store it."""
    load, source = fx.nvvm.make_tma_load(x, tile_layout(TILE), multicast=True)
    plain = fx.make_layout((1, CLUSTER * TILE, TILE), (0, TILE, 1))
    swizzled = fx.make_composed_layout(fx.static(fx.SwizzleType.get(3, 2, 3)), plain)
    store, target = fx.nvvm.make_tma_store(copies, swizzled)
    blocks = fx.ceil_div(x.shape[0], CLUSTER * TILE) * CLUSTER
    spread_kernel(load, source, store, target).launch(grid=blocks, block=THREADS, cluster=CLUSTER, stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """Random matrices against NumPy: the transposed one, one that others were added to, and copies."""
    x = framed(rows, columns, np.float32, -1)
    x[:, :columns] = rng.standard_normal((rows, columns), dtype=np.float32)
    given = x[:, :columns]
    y = framed(columns, rows, np.float32, -1)
    transpose(given, y[:, : padded(rows, 4)])
    np.testing.assert_array_equal(y[:, :rows], given.T)
    assert_untouched(y[:, rows : padded(rows, 4)], 0, 0)
    assert_untouched(y, padded(rows, 4))
    wide = min(columns, STAGES * TILE)
    total = framed(rows, wide, np.float32, 0.5)
    add_to(given[:, :wide], total[:, : padded(wide, 4)])
    np.testing.assert_array_equal(total[:, :wide], given[:, :wide] + np.float32(0.5))
    assert_untouched(total, wide, 0.5)
    narrow = min(columns, TILE)
    copies = np.full((CLUSTER, rows, TILE + 4), -1, np.float32)
    spread(given[:, :narrow], copies[:, :, : padded(narrow, 4)])
    np.testing.assert_array_equal(copies[:, :, :narrow], np.stack([given[:, :narrow]] * CLUSTER))
    for copy in copies:
        assert_untouched(copy, padded(narrow, 4))


def assert_untouched(matrix: np.ndarray, columns: int, value: float = -1) -> None:
    """Behind its columns a matrix is as it was made."""
    np.testing.assert_array_equal(matrix[:, columns:], np.full_like(matrix[:, columns:], value))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(5):
        rows, columns = odd(rng, 400), odd(rng, 400)
        check(rng, rows, columns)
        print(f"{rows} x {columns}: transposed, added and spread as by NumPy")


if __name__ == "__main__":
    main()
