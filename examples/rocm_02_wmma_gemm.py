"""C = A B^T in f16 on the matrix instructions of RDNA and gfx1250, with tiles of A and B staged in LDS.

A is (M, K), B (N, K); sums are f32. N and K are known while compiling. M and N are any numbers, K is a multiple of 8,
and rows of A and B begin at multiples of 16 bytes. LDS holds two steps along K: one is multiplied while the other one
is on its way.

An instruction computes 16 x 16 elements in a wave of 32 threads. C is computed transposed, so that a lane gets elements
of one row. On RDNA3 these are every other one of 16; a permutation of the rows of B makes neighbours of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rocm_gemm import bounded, store
from rocm_workbench import WMMA_CHIPS, choose_chip
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

M, N, K = 128, 128, 32  # a tile of C is M x N; A and B come in pieces of K
VECTOR, LANES = 8, 4  # elements in 16 bytes; threads that load a row of a piece
BLOCK = 256  # threads: eight waves, four along N and two along M


def mma_of(chip: str) -> fx.TiledMma:
    """Eight waves on 64 x 32 elements."""
    atom = fx.make_mma_atom(fx.rocdl.WMMA(16, 16, 32 if chip == "gfx1250" else 16, fx.Float16))
    rows = fx.make_layout((2, 8, 4), (8, 1, 16)) if chip.startswith("gfx11") else None
    return fx.make_tiled_mma(atom, fx.make_layout((4, 2, 1), (2, 1, 0)), fx.make_tile(rows, None, None))


class Staged:
    """An operand on its way from memory to LDS."""

    def __init__(self, tensor: fx.Tensor, rows: int, place: Any) -> None:
        """Tile number `place`, of `rows` rows, of a tensor of (rows, K)."""
        self.size = rows * K
        # Eight lanes read eight rows at once: a swizzle sends them to different banks.
        swizzle = fx.static(fx.SwizzleType.get(2, 3, 3))
        self.layout = fx.make_composed_layout(swizzle, fx.make_layout((rows, K), (K, 1)))
        self.memory = fx.SharedAllocator().allocate(fx.Array[fx.Float16, 2 * self.size])
        self.load = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float16)
        self.move = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float16)
        threads = fx.make_layout((BLOCK // LANES, LANES), (LANES, 1))
        tiled = fx.make_tiled_copy_tv(self.load, threads, fx.make_layout((1, VECTOR), (VECTOR, 1)))
        self.thread = tiled.get_slice(fx.thread_idx.x)
        tile = fx.flat_divide(bounded(tensor), fx.make_tile(rows, K))[None, None, place, 0]
        self.source = self.thread.partition_S(tile)

    def half(self, which: Any) -> fx.Tensor:
        """One of the two halves of LDS."""
        return fx.make_view(fx.get_iter(self.memory.view(self.layout)) + which * self.size, self.layout)

    def fetch(self, step: Any, length: int = K) -> fx.Tensor:
        """Start the loads of one step, of which `length` elements of a row exist; zeros follow them."""
        registers = fx.make_fragment_like(self.source)
        if length == K:
            fx.copy(self.load, self.source, registers, soffset=step * K)
        else:
            registers.fill(0)
            if fx.thread_idx.x % LANES * VECTOR < length:
                fx.copy(self.load, self.source, registers, soffset=step * K)
        return registers

    def put(self, registers: fx.Tensor, which: Any) -> None:
        """Write a step to one of the halves."""
        fx.copy(self.move, registers, self.thread.partition_D(self.half(which)))


class Product:
    """A tile of A B^T: what this thread holds of it, of A and of B."""

    def __init__(self, a: Staged, b: Staged, mma: fx.TiledMma) -> None:
        self.a, self.b, self.mma = a, b, mma
        # B has the part of the first operand, A that of the second: what comes out is C transposed.
        self.read_b = fx.make_tiled_copy_A(b.move, mma).get_slice(fx.thread_idx.x)
        self.read_a = fx.make_tiled_copy_B(a.move, mma).get_slice(fx.thread_idx.x)
        self.factor_b, self.factor_a = mma.make_fragment_A(b.half(0)), mma.make_fragment_B(a.half(0))
        self.sums = mma.make_fragment_C(fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout((N, M))))
        self.sums.fill(0)

    def multiply(self, half: Any) -> None:
        """Multiply what is in one half of LDS."""
        fx.copy(self.b.move, self.read_b.partition_S(self.b.half(half)), self.read_b.retile(self.factor_b))
        fx.copy(self.a.move, self.read_a.partition_S(self.a.half(half)), self.read_a.retile(self.factor_a))
        fx.gemm(self.mma, self.sums, self.factor_b, self.factor_a, self.sums)

    def advance(self, step: Any, length: int = K) -> None:
        """Multiply one step while the next one, of `length` elements along K, is on its way."""
        next_a, next_b = self.a.fetch(step + 1, length), self.b.fetch(step + 1, length)
        fx.rocdl.sched_barrier(0)  # no load may sink below the products, which hide its latency
        self.multiply(step % 2)
        fx.rocdl.sched_barrier(0)
        self.put(next_a, next_b, 1 - step % 2)

    def put(self, next_a: fx.Tensor, next_b: fx.Tensor, half: Any) -> None:
        """Write a step to a half of LDS that nobody reads any more, and wait for the others to do so."""
        self.a.put(next_a, half)
        self.b.put(next_b, half)
        fx.barrier()


@flyc.kernel
def gemm_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, mma: fx.TiledMma, n: int, k: int) -> None:
    row, column = fx.block_idx.y, fx.block_idx.x
    tile = Product(Staged(a, M, row), Staged(b, N, column), mma)
    steps, rest = -(-k // K), k % K or K
    first = rest if steps == 1 else K
    tile.put(tile.a.fetch(0, first), tile.b.fetch(0, first), 0)
    for step in range(steps - 2):
        tile.advance(step)
    if fx.const_expr(steps > 1):
        tile.advance(steps - 2, rest)
    tile.multiply((steps - 1) % 2)
    store(tile.sums, c, (N, M), (column, row), mma, n)


@flyc.jit
def gemm(
    a: fx.Tensor,
    b: fx.Tensor,
    c: fx.Tensor,
    n: fx.Constexpr[int],
    k: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    grid = -(-n // N), fx.ceil_div(c.shape[0], M)
    gemm_kernel(a, b, c, mma_of(chip), n, k).launch(grid=grid, block=BLOCK, stream=stream)


def check(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    """One random product against NumPy in float64."""
    chip = choose_chip(*WMMA_CHIPS)
    a, b = (rng.standard_normal((rows, k + 8)).astype(np.float16)[:, :k] for rows in (m, n))
    framed = np.full((m + 2, n + 2), -1, np.float32)  # nothing outside of C may be written
    gemm(a, b, framed[1:-1, 1:-1], n, k, chip)
    assert_close(framed, np.pad(a.astype(np.float64) @ b.astype(np.float64).T, 1, constant_values=-1), 1e-5)


def main() -> None:
    choose_chip(*WMMA_CHIPS)
    rng = np.random.default_rng()
    for _ in range(3):
        m, n, k = odd(rng, 300), odd(rng, 300), 8 * odd(rng, 50)
        check(rng, m, n, k)
        print(f"{m} x {k} times {k} x {n}: equal to NumPy's A @ B.T in float64, within 1e-5")


if __name__ == "__main__":
    main()
