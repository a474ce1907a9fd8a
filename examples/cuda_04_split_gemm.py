"""A matrix product C = A B^T of few tiles on Hopper: a block for each, or several that share one, each a part of K.

Where C has fewer tiles than the GPU has multiprocessors, most would have nothing to do. Here `split` blocks sum up
products of their part of K. Then each sends every other one a part of its sums through shared memory of the cluster,
and adds up what it gets: always in the order of K, so that results are the same each time. Where tiles are as many as
multiprocessors, each block has one, and `share` blocks of a cluster with the same rows of A, or of B, bring these
together: the copy engine writes what it reads to all of them. `way_for` says how a product is best cut; what has more
tiles is for cuda_02_gemm.py.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from cuda_epilogues import plain
from cuda_gemm import DEPTH_BYTES, GROUP_ROWS, GROUP_THREADS, PIECE, Group, Plan, Ring, check_columns, maps_of_operands
from workbench import choose_backend, framed, odd, padded

import flydsl.compiler as flyc
import flydsl.expr as fx

LONG_START, START, EXCHANGE = 1400, 800, 1 / 8  # what a tile costs, in rows of 128 bytes; and each of its sums
LARGE = 32 << 20  # bytes of B, from which on to share it makes up for waiting for one another
WARP = 32  # which starts copies: alone, as registers do not move here
EVERYONE = 3  # the named barrier of all groups that multiply; each has one of its own before it


class Way(NamedTuple):
    """How a product is cut: columns and rows of a tile, blocks that share it, and blocks that share which operand."""

    columns: int
    rows: int
    split: int
    share: int = 1
    shared: str = "a"

    @property
    def groups(self) -> int:
        """Of four warps; each multiplies 64 rows, some of which need not be of the tile."""
        return -(-self.rows // GROUP_ROWS)


SHARING_B = (Way(128, 64, 1, 2, "b"), Way(64, 128, 1, 2, "b"))
WAYS = (
    *(Way(columns, rows, split) for columns in (128, 64) for rows in (16, 64, 128) for split in (2, 4, 8)),
    *(Way(columns, 128, 1) for columns in (64, 128, 256)),
    Way(64, 128, 1, 2, "a"),
    *SHARING_B,
)


class Exchange:
    """Sums of the blocks of a cluster, added up: block number r gets those of the r-th part of the columns.

    They are where stages were: first what a block has, in the parts that it sends, then what the others send it.
    """

    def __init__(self, ring: Ring, told: fx.Pointer, split: int, rank: Any) -> None:
        plan = ring.plan
        self.split, self.rank, self.told, self.threads = split, rank, told, plan.groups * GROUP_THREADS
        self.eights = plan.n // 8 // split  # a thread has four sums of eight columns
        self.part = self.eights * self.threads * 4
        self.sent = fx.recast_iter(fx.Float32, ring.a)
        self.got = self.sent + split * self.part
        if 2 * split * self.part * 4 > plan.stages * plan.stage_bytes:
            raise ValueError(f"the stages of {plan} have no room for its sums")

    def init(self) -> None:
        """Make the barrier; by one thread."""
        fx.nvvm.mbarrier_init(self.told, 1)
        fx.nvvm.mbarrier_arrive_expect_tx(self.told, (self.split - 1) * self.part * 4)

    def send(self, sums: fx.Tensor) -> None:
        """Send each other block its part; by all groups, when no block of the cluster uses its stages any more."""
        eights, threads, thread = self.eights * self.split, self.threads, fx.thread_idx.x
        own = fx.make_view(fx.get_iter(sums), fx.make_layout((4, eights), (1, 4)))
        place = fx.make_view(self.sent, fx.make_layout((4, threads, eights), (1, 4, 4 * threads)))
        fx.copy(fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), own, place[None, thread, None])
        fx.nvvm.fence_proxy_async()
        fx.nvvm.named_barrier_sync(EVERYONE, threads)
        if thread == 0:
            for number in fx.range_constexpr(self.split):
                if number != self.rank:
                    start, there = self.sent + number * self.part, self.got + self.rank * self.part
                    fx.copy(fx.nvvm.BulkCopy(), start, there, mbar=self.told, rank=number, elements=self.part)

    def total(self) -> fx.Vector:
        """The sums of this block's columns over all of K, in the order of K."""
        fx.nvvm.mbarrier_wait(self.told, 0)
        total = self.sums_of(0)
        for number in fx.range_constexpr(1, self.split):
            total = total + self.sums_of(number)
        return total

    def sums_of(self, number: int) -> fx.Vector:
        """What block `number` of the cluster has for this one."""
        block = fx.arith.select(self.rank == number, fx.Int32(number), fx.Int32(self.split + number))
        sixteen = fx.PointerType.get(fx.Float32, fx.AddressSpace.Shared, 16)
        layout = fx.make_layout((4, self.threads, self.eights), (1, 4, 4 * self.threads))
        part = fx.make_view(fx.recast_iter(sixteen, self.sent + block * self.part), layout)
        sums = fx.make_rmem_tensor(fx.make_layout((4, self.eights), (1, 4)), fx.Float32)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), part[None, fx.thread_idx.x, None], sums)
        return sums.load()


@flyc.kernel
def split_gemm_kernel(
    operands: Any, target: Any, steps: fx.Int32, plan: fx.Constexpr[Plan], split: fx.Constexpr[int]
) -> None:
    memory = fx.SharedAllocator()
    ring = Ring(memory, plan)
    results = memory.allocate(fx.Array[plan.result, plan.results], 1024)
    told = memory.allocate(fx.Array[fx.Int64, 1]).ptr
    warp, rank = fx.nvvm.warp_idx(), fx.nvvm.cluster_rank()
    group = warp // 4
    exchange = Exchange(ring, told, split, rank)
    if fx.thread_idx.x == 0:
        exchange.init()
        ring.init((*operands, target))
    fx.barrier()

    ((load_a, a), (load_b, b)), (store_c, c) = operands, target
    scheduler = fx.nvvm.TileScheduler(fx.ceil_div(c.shape[0], plan.rows), fx.ceil_div(c.shape[1], plan.n))
    row, column = scheduler.tile_coord(fx.block_idx.x // split)
    first, end = steps * rank // split, steps * (rank + 1) // split
    fx.nvvm.griddep_launch()
    if group == plan.groups:
        if warp == 4 * plan.groups:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                tiles_b = fx.zipped_divide(b, (plan.n, plan.k))
                fx.nvvm.griddep_wait()
                sides = ((load_a, fx.zipped_divide(a, (plan.rows, plan.k))), (load_b, tiles_b))
                ring.bring(ring.state(), sides, ((row,), (column,)), (first, end))
        fx.nvvm.cluster_arrive(relaxed=True)  # behind the copies: racecheck holds threads here till all have come
        fx.nvvm.cluster_wait()
        fx.nvvm.cluster_arrive(relaxed=True)
    else:
        mine = Group(ring, results, group)
        mine.multiply(ring.state(), end - first)
        fx.nvvm.cluster_arrive(relaxed=True)
        fx.nvvm.cluster_wait()  # from here on no stage is in use
        exchange.send(mine.sums)
        total = exchange.total()
        fx.nvvm.cluster_arrive(relaxed=True)  # what came here is no longer read where it came from
        width = plan.n // split
        buffer = mine.write(total, 0, width)
        tiles_c = fx.zipped_divide(c, (min(plan.rows, GROUP_ROWS), width))
        mine.to_tiles((store_c, tiles_c), row * plan.groups + group)(buffer, column * split + rank)
        if mine.thread == 0:
            fx.nvvm.bulk_wait_group(read=True)  # the kernel's end waits for the rest
    fx.nvvm.cluster_wait()  # nobody leaves while others still read here


@flyc.kernel
def shared_gemm_kernel(operands: Any, target: Any, steps: fx.Int32, plan: fx.Constexpr[Plan]) -> None:
    memory = fx.SharedAllocator()
    rank = fx.nvvm.cluster_rank() if plan.share > 1 else fx.Int32(0)
    ring = Ring(memory, plan, rank)
    results = memory.allocate(fx.Array[plan.result, plan.results], 1024)
    warp = fx.nvvm.warp_idx()
    group = warp // 4
    if fx.thread_idx.x == 0:
        ring.init((*operands, target))
    fx.barrier()
    if fx.const_expr(plan.share > 1):
        fx.nvvm.cluster_arrive(relaxed=True)
        fx.nvvm.cluster_wait()  # from here on others write to stages, and tell barriers

    ((load_a, a), (load_b, b)), (store_c, c) = operands, target
    down, across = plan.of_cluster
    scheduler = fx.nvvm.TileScheduler(fx.ceil_div(c.shape[0], down), fx.ceil_div(c.shape[1], across))
    row, column = scheduler.tile_coord(fx.block_idx.x // plan.share)
    part_a, part_b = row * plan.share + rank, column * plan.share + rank
    row, column = (row, part_b) if plan.shared == "a" else (part_a, column)
    fx.nvvm.griddep_launch()
    if group == plan.groups:
        if warp == 4 * plan.groups:  # noqa: SIM102 (all threads of this warp elect one)
            if fx.nvvm.elect_one():
                tiles_a = fx.zipped_divide(a, (plan.brings("a")[0], plan.k))
                sides = ((load_a, tiles_a), (load_b, fx.zipped_divide(b, (plan.brings("b")[0], plan.k))))
                fx.nvvm.griddep_wait()
                ring.bring(ring.state(), sides, ((part_a,), (part_b,)), (0, steps))
    else:
        mine = Group(ring, results, group)
        state = mine.multiply(ring.state(), steps)
        own = row * plan.groups + group
        put = mine.to_tiles((store_c, fx.zipped_divide(c, (GROUP_ROWS, PIECE))), own)
        mine.store(state, put, (own, column * (plan.n // PIECE)), plain)
        if mine.thread == 0:
            fx.nvvm.bulk_wait_group(read=True)  # the kernel's end waits for the rest
    if fx.const_expr(plan.share > 1):
        fx.nvvm.cluster_arrive(relaxed=True)
        fx.nvvm.cluster_wait()  # nobody leaves while others write here


@flyc.jit
def split_gemm(
    a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, way: fx.Constexpr[Way], stream: fx.Stream = fx.Stream(None)
) -> None:
    """C = A B^T, cut as `way` says."""
    check_way(way)
    major_a, major_b = ("mn" if matrix.leading_dim == 0 else "k" for matrix in (a, b))
    rows = way.rows if major_a == "k" else way.groups * GROUP_ROWS
    if fx.const_expr(way.shared == "b" and major_b == "mn" and way.columns < 2 * GROUP_ROWS):
        way = way._replace(share=1)  # boxes have 64 columns where neighbours are along N
    buffers = min(2, max(1, way.columns // way.split // PIECE))
    plan = Plan(a.dtype, c.dtype, (major_a, major_b), way.columns, way.groups, buffers, rows, way.share, way.shared)
    check_plan(way, plan)
    width = min(PIECE, way.columns // way.split)
    piece = fx.nvvm.smem_layout("k", plan.result, (min(rows, GROUP_ROWS), width))
    steps = fx.get_scalar(fx.ceil_div(a.shape[1], plan.k))
    blocks = way.split * way.share
    tiles = fx.ceil_div(c.shape[0], plan.of_cluster[0]) * fx.ceil_div(c.shape[1], plan.of_cluster[1])
    operands, target = maps_of_operands(a, b, plan), fx.nvvm.make_tma_store(c, piece)
    if fx.const_expr(way.split > 1):
        kernel = split_gemm_kernel(operands, target, steps, plan, way.split)
    else:
        kernel = shared_gemm_kernel(operands, target, steps, plan)
    threads = plan.groups * GROUP_THREADS + WARP
    kernel.launch(grid=tiles * blocks, block=threads, cluster=blocks, use_pdl=True, stream=stream)


def check_way(way: Way) -> None:
    """ValueError where a kernel would leave out rows or columns of a tile."""
    if min(way[:4]) < 1 or way.shared not in ("a", "b"):
        raise ValueError(f"a tile has columns, rows and blocks, and what blocks share is 'a' or 'b'; found {way}")
    if way.rows > GROUP_ROWS and way.rows % GROUP_ROWS:
        raise ValueError(f"tiles of more than {GROUP_ROWS} rows have multiples of that; {way} has {way.rows}")
    if way.split == 1:
        check_columns(way.columns)
    elif way.columns % (8 * way.split) or way.columns > PIECE * way.split:
        raise ValueError(f"each of {way.split} blocks stores a multiple of 8 columns, {PIECE} at most; found {way}")


def check_plan(way: Way, plan: Plan) -> None:
    """ValueError where there is no such kernel for these types and majors."""
    width, parts = way.columns // way.split, plan.brings(way.shared)[0]
    multiple = 8 if plan.majors["ab".index(way.shared)] == "k" else GROUP_ROWS  # rows of a swizzle, columns of a box
    if plan.rows < GROUP_ROWS and width * plan.result.width > DEPTH_BYTES * 8:
        raise ValueError(f"{width} columns of {plan.result.__name__} are too wide for tiles of {plan.rows} rows")
    if way.split > 1 and way.share > 1:
        raise ValueError(f"blocks share tiles, or an operand of theirs; {way} has both")
    if way.split == 1 and plan.rows % GROUP_ROWS:
        raise ValueError(f"tiles that no other block has have multiples of {GROUP_ROWS} rows; {way} has {plan.rows}")
    if way.share > 1 and parts % multiple:
        raise ValueError(f"blocks that bring rows together bring multiples of {multiple} each; {way} has {parts}")


def way_for(m: int, n: int, k: int, blocks: int) -> Way | None:
    """How to cut a product of 16-bit floats for `blocks` multiprocessors; None: as cuda_02_gemm.py does.

    What counts is how much a block brings, in rows of 128 bytes; that all blocks of a cluster run at once; the exchange
    of sums; and that a kernel whose blocks stay takes longer to start. Blocks that share A wait for one another, which
    pays where rows of 128 bytes are not lines of the cache, so that each is read twice; and those that share B where
    that is large, and two blocks have the same columns: it is read once, and there is no exchange.
    """
    steps = -(-k // 64)
    for sharing in SHARING_B:
        filled = 2 * -(-n // sharing.columns) / blocks
        if sharing.rows < m <= 2 * sharing.rows and 2 * n * k >= LARGE and 0.8 < filled <= 1:
            return sharing

    def cost(way: Way, stays: bool = False) -> float:
        tiles = -(-m // way.rows) * -(-n // way.columns)
        fitting = blocks // way.split if way.split <= 2 else blocks * 9 // 10 // way.split
        if fitting < 1 or (way.split == 1 and not stays and tiles > fitting):
            return math.inf
        rows = -(-steps // way.split) * (way.rows + way.columns)
        exchange = way.rows * way.columns * EXCHANGE if way.split > 1 else 0
        return -(-tiles // fitting) * (rows + exchange + (LONG_START if stays else START))

    best = min((way for way in WAYS if way.share == 1), key=cost)
    if cost(best) >= min(cost(Way(columns, 128, 1), stays=True) for columns in (256, 128, 64)):
        return None
    return best._replace(share=2) if best[:3] == (64, 128, 1) and k % 64 and blocks > 1 else best


def check(rng: np.random.Generator, m: int, n: int, k: int, way: tuple[Any, ...], transposed: str = "") -> None:
    """One random product of bfloat16 against NumPy in float64, twice, bit for bit; nothing else is written."""
    halves = partial(framed, dtype=ml_dtypes.bfloat16)
    a, b = (halves(k, rows).T if name in transposed else halves(rows, k) for name, rows in (("a", m), ("b", n)))
    a, b = a[:m, :k], b[:n, :k]
    for matrix in (a, b):
        matrix[...] = rng.standard_normal(matrix.shape)
    results = [halves(m, n), halves(m, n)]
    width = padded(n, 2)
    for c in results:
        split_gemm(a, b, c[:, :width], Way(*way))
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    found = results[0].astype(np.float64)
    np.testing.assert_allclose(found[:, :n], expected, rtol=1e-2, atol=4e-3 * k**0.5)
    np.testing.assert_array_equal(found[:, n:width], 0)
    np.testing.assert_array_equal(found[:, width:], np.full_like(found[:, width:], np.nan))
    np.testing.assert_array_equal(results[1].view(np.uint16), results[0].view(np.uint16))


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for way in WAYS:
        m, n, k = odd(rng, 200), odd(rng, 400), odd(rng, 4000)
        check(rng, m, n, k, way)
        print(f"{m} x {k} times {k} x {n}, {way}: equal to NumPy in float64, but for the rounding")


if __name__ == "__main__":
    main()
