"""How rows of a length that is known while compiling are spread over threads, registers and shared memory.

`held_rows.py` reads rows by such plans. Those for a width are what was fastest of several, which
`benchmarks/gpu/bench_memory.py` measures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx

__all__ = ["BYTES", "WAVE", "RowPlan", "plan_for", "plan_for_norm"]

BYTES = 16  # of a vector, at most
FOR_REDUCTIONS = 2048  # bytes of shared memory
WAVE = 32  # threads of a row that need no barrier on any target


@dataclass(frozen=True)
class RowPlan:
    """How rows of `columns` elements are spread: `threads` for each row, of a `block` when they are at most a wave.

    Threads are a power of two, as reductions need. Of a thread's vectors the first `held` stay in registers, the next
    `shared` in shared memory; both are multiples of `piece`, which are in flight together. With `early`, weights are
    loaded together with what stays in registers.
    With `paced`, what shared memory keeps is loaded a piece at a time, each when it is first needed, not all at once.
    Loops over it make `unroll` iterations at a time.
    `cache` is what the first cache of an NVIDIA GPU does with what is read, and with what is written: see
    `fx.nvvm.GlobalCopy`. With `lasting`, its second cache keeps longest what is read, until it is read again, so that
    results leave the cache early. As usual on any other target.
    """

    columns: int
    threads: int
    held: int = 64
    shared: int = 0
    piece: int = 4
    block: int = 0
    early: bool = False
    paced: bool = False
    cache: tuple[str, str] = ("", "")
    lasting: bool = False
    unroll: int = 1

    def __post_init__(self) -> None:
        if self.threads < 1 or self.threads & (self.threads - 1):
            raise ValueError(f"a row has a power of two threads, found {self.threads}")
        if self.held % self.piece or self.shared % self.piece:
            raise ValueError(
                f"what stays in registers or shared memory is loaded {self.piece} vectors at a time; found {self.held} "
                f"and {self.shared}, of which each should be a multiple"
            )

    @property
    def size(self) -> int:
        """Threads of a block."""
        return self.block if self.threads <= WAVE and self.block else self.threads

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.size // self.threads

    @property
    def smem(self) -> int:
        """Bytes of dynamic shared memory."""
        return self.shared * self.size * BYTES

    def blocks(self, rows: Any) -> Any:
        """Blocks for a number of rows."""
        return fx.ceil_div(rows, self.rows)

    def vector(self, width: int) -> int:
        """Elements of `width` bits that a thread moves at a time."""
        return math.gcd(self.columns, 8 * BYTES // width)


def plan_for(
    columns: int, itemsize: int, shared_bytes: int = 64 << 10, *, paced: bool = False, cache: tuple[str, str] = ("", "")
) -> RowPlan:
    """The plan for rows of a width, by what was fastest on an H200 or a CPU; `shared_bytes` is what a block may have.

    Four vectors of a thread in registers keep enough loads in flight; with more, fewer blocks are at work. Rows that
    are too long for 256 threads are in shared memory, of which the longest leave the end to be read again.
    Kernels that have much to do with each piece, as softmax has, may ask for `paced` ones: a few loads of many blocks
    in flight are faster than all of a row's at once, of rows of 512 vectors, or, with `cache`, of 1024.
    A CPU reads rows again: what its threads keep across a barrier is in memory either way.
    """
    backend = flyc.compile_backend_name()
    if backend == "cpu":
        return RowPlan(columns, WAVE, held=0, piece=1)
    lasting = backend == "cuda"
    vectors = columns // math.gcd(columns, BYTES // itemsize)
    threads = WAVE
    while 4 * threads < vectors and threads < 256:
        threads *= 2
    if paced and 4 * WAVE < vectors <= (1024 if any(cache) else 512):
        pieces = -(-vectors // (8 * WAVE))
        unroll = 2 if pieces < 4 else 1
        return RowPlan(columns, 4 * WAVE, 0, 2 * pieces, 2, paced=True, cache=cache, lasting=lasting, unroll=unroll)
    if paced and lasting and 512 < vectors <= 1024:
        return RowPlan(columns, 256, 0, -(-vectors // 256), 1, lasting=lasting)
    if vectors <= 4 * threads:
        return RowPlan(columns, threads, block=4 * WAVE, cache=cache, lasting=lasting)
    threads, held = (512, 0) if vectors <= 4096 else (1024, 4)
    shared = min(-(-vectors // threads) - held, (shared_bytes - FOR_REDUCTIONS) // (threads * BYTES))
    piece = 4 if held and shared >= 4 else 2
    unroll = 1 if held else 4
    return RowPlan(columns, threads, held, shared // piece * piece, piece, cache=cache, lasting=lasting, unroll=unroll)


def plan_for_norm(columns: int, itemsize: int, shared_bytes: int = 64 << 10, *, weights: int = 1) -> RowPlan:
    """The plan for rows that are scaled by so many vectors of weights, of which RMS norm has one and layer norm two.

    Two vectors of a thread leave registers for weights. Longer rows are in shared memory, which leaves room for more
    blocks; those of 1024 vectors with one of weights are read again from the first cache.
    """
    vectors = columns // math.gcd(columns, BYTES // itemsize)
    if flyc.compile_backend_name() == "cpu" or vectors > 4096:
        return plan_for(columns, itemsize, shared_bytes)
    lasting = flyc.compile_backend_name() == "cuda"
    if vectors <= 512:
        threads = WAVE
        while 2 * threads < vectors:
            threads *= 2
        early = weights == 1 and threads == 256
        return RowPlan(columns, threads, piece=2, block=4 * WAVE, early=early, lasting=lasting)
    if vectors <= 1024 and weights == 1:
        return RowPlan(columns, 512, held=0, piece=1, lasting=lasting)
    threads = 256 if vectors <= 1024 else 512 if vectors <= 2048 else 1024
    shared = min(-(-vectors // threads), (shared_bytes - FOR_REDUCTIONS) // (threads * BYTES))
    return RowPlan(columns, threads, 0, shared, 1, paced=weights > 1 and threads > 256, lasting=lasting, unroll=4)
