"""What products with a preshuffled B share: the order of B in memory, the walk along K, and the stores of C.

A matrix instruction of CDNA computes 16 x 16 elements. Of each operand lane l holds row l % 16, and there the elements
of run number l / 16 of four along K. B is a weight, so it is brought into that order once, by `preshuffle`: each lane
then reads 16 bytes that stand side by side, and a wave 1024 bytes without a gap. It goes straight to registers; A is
staged in LDS, whose two halves take turns. C is computed transposed: a lane gets neighbours along a row of C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import flydsl.expr as fx

__all__ = ["BLOCK", "COLUMNS", "ROWS", "Product", "bounded", "instruction_of", "mma_of", "preshuffle", "scaled"]
__all__ += ["shuffled", "store"]

ROWS, COLUMNS = 64, 128  # of C, for one block
BLOCK = 256  # threads: four waves, side by side along a row of C
WAVE, ATOM = 64, 16
LONGER = {("gfx950", "Float16"): 2, ("gfx950", "BFloat16"): 2, ("gfx950", "Int8"): 2}
"""How much further along K the instructions of a chip reach than those of gfx942."""


def wide(dtype: type[fx.Numeric]) -> int:
    """Elements in 16 bytes, the most that a lane loads at once."""
    return 128 // dtype.width


def preshuffle(b: Any) -> Any:
    """B as NumPy array of (N, K) in the order that lanes read; N is filled up with zeros to a multiple of 16."""
    vector = 16 // b.dtype.itemsize
    n, k = b.shape
    if k % (4 * vector):
        raise ValueError(
            f"K of {b.dtype} operands is a multiple of {4 * vector}, found {k}; fill up A and B with zeros"
        )
    padded = np.zeros((-(-n // ATOM) * ATOM, k), b.dtype)
    padded[:n] = b
    return np.ascontiguousarray(padded.reshape(-1, ATOM, k // (4 * vector), 4, vector).transpose(0, 2, 3, 1, 4))


def bounded(tensor: fx.Tensor) -> fx.Tensor:
    """The tensor for buffer instructions: what lies behind its last element is read as 0 and never written."""
    buffer: fx.Tensor = fx.rocdl.make_buffer_tensor(tensor, max_size=False)
    return buffer


def shuffled(b: fx.Tensor, n: int, k: int) -> fx.Tensor:
    """What `preshuffle` made, seen as (N, K) again: the layout undoes the order."""
    vector = wide(b.dtype)
    lanes = WAVE * vector
    shape = (ATOM, -(-n // ATOM)), (vector, 4, k // (4 * vector))
    return fx.make_view(fx.get_iter(b), fx.make_layout(shape, ((vector, k * ATOM), (1, ATOM * vector, lanes))))


def instruction_of(chip: str, dtype: type[fx.Numeric]) -> tuple[fx.MmaAtom, fx.Layout]:
    """The product of 16 x 16 elements that reaches furthest along K, and a permutation of K.

    By that, the elements of a lane in as many instructions as use up 16 bytes are neighbours.
    """
    vector = wide(dtype)
    run = vector // 2 * LONGER.get((chip, dtype.__name__), 1)  # elements of a lane in one instruction
    atom = fx.make_mma_atom(fx.rocdl.MFMA(ATOM, ATOM, 4 * run, dtype))
    return atom, fx.make_layout((run, 4, vector // run), (1, vector, run))


def mma_of(chip: str, dtype: type[fx.Numeric]) -> fx.TiledMma:
    """Four waves along N."""
    atom, along_k = instruction_of(chip, dtype)
    return fx.make_tiled_mma(atom, fx.make_layout((BLOCK // WAVE, 1, 1), (1, 0, 0)), fx.make_tile(None, None, along_k))


class Product:
    """A tile of A B^T on its way along K, with a step of A in each half of LDS.

    `steps` of it use up their operands whole; where K leaves a rest, `finish` multiplies half a step more.
    """

    def __init__(
        self, a: fx.Tensor, b: fx.Tensor, row: fx.Numeric, column: fx.Numeric, mma: fx.TiledMma, k: int
    ) -> None:
        """Tile (`row`, `column`) of the bounded tensors `a`, (M, K), and `b`, (N, K); starts with the first step."""
        dtype, vector, thread = a.dtype, wide(a.dtype), fx.thread_idx.x
        self.mma, self.step_k, self.last = mma, 8 * vector, max(k - 8 * vector, 0)
        self.steps, self.rest = divmod(k // (4 * vector), 2)
        tile_a = fx.flat_divide(a, fx.make_tile(ROWS, self.step_k))[None, None, row, 0]
        tile_b = fx.flat_divide(b, fx.make_tile(COLUMNS, self.step_k))[None, None, column, 0]

        # Rows of A in LDS follow each other; a swizzle spreads what lanes read at the same time over all banks.
        swizzle = fx.static(fx.SwizzleType.get(3, vector.bit_length() - 1, 3))
        layout = fx.make_composed_layout(swizzle, fx.make_layout((ROWS, self.step_k), (self.step_k, 1)))
        memory = fx.SharedAllocator()
        self.halves = [memory.allocate(fx.Array[dtype, ROWS * self.step_k]).view(layout) for _ in range(2)]

        # Eight threads load a row of A, 16 bytes each. From LDS, and from B, threads load what they multiply.
        self.load = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), dtype)
        self.move = fx.make_copy_atom(fx.UniversalCopy128b(), dtype)
        threads, values = fx.make_layout((BLOCK // 8, 8), (8, 1)), fx.make_layout((1, vector), (vector, 1))
        self.stage_a = fx.make_tiled_copy_tv(self.load, threads, values).get_slice(thread)
        self.load_b = fx.make_tiled_copy_A(self.load, mma).get_slice(thread)
        self.read_a = fx.make_tiled_copy_B(self.move, mma).get_slice(thread)
        self.source_a, self.source_b = self.stage_a.partition_S(tile_a), self.load_b.partition_S(tile_b)

        self.a, self.b = mma.make_fragment_B(tile_a), [mma.make_fragment_A(tile_b) for _ in range(2)]
        self.sums = mma.make_fragment_C(fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout((COLUMNS, ROWS))))
        self.sums.fill(0)
        self.put(self.fetch(0, 0), 0)

    def fetch(self, step: Any, half: int) -> fx.Tensor:
        """Start the loads of one step: those of B to its registers, those of A to registers that are returned.

        What would reach over the end of K starts earlier instead: bounds of buffers may not count `soffset`. As LLVM
        cannot see through `readfirstlane`, it makes no second copy of the loop's body for the last step.
        """
        start = fx.min(fx.rocdl.readfirstlane(step * self.step_k), self.last)
        staged = fx.make_fragment_like(self.source_a)
        fx.copy(self.load, self.source_a, staged, soffset=start)
        fx.copy(self.load, self.source_b, self.load_b.retile(self.b[half]), soffset=start * ATOM)
        return staged

    def put(self, staged: fx.Tensor, half: int) -> None:
        """Write a step of A to a half of LDS that nobody reads any more, and wait for the others to do so."""
        fx.copy(self.move, staged, self.stage_a.partition_D(self.halves[half]))
        fx.barrier()

    def multiply(self, half: int, parts: tuple[int, ...] = (0, 1)) -> None:
        """Multiply what is in `half`, or only `parts` of the two 16-byte pieces along K that lanes hold of it."""
        fx.copy(self.move, self.read_a.partition_S(self.halves[half]), self.read_a.retile(self.a))
        for part in parts:
            fx.gemm(self.mma, self.sums, piece(self.b[half], part), piece(self.a, part), self.sums)

    def advance(self, step: Any, half: int) -> None:
        """Multiply one step while the next one, which goes to the other half, is on its way."""
        staged = self.fetch(step + 1, 1 - half)
        fx.rocdl.sched_barrier(0)  # no load may sink below the products, which hide its latency
        self.multiply(half)
        fx.rocdl.sched_barrier(0)
        self.put(staged, 1 - half)

    def finish(self) -> fx.Tensor:
        """What is left when `steps // 2` pairs of steps are done; the sums of this thread."""
        if self.steps % 2:
            self.advance(self.steps - 1, 0)
        if self.rest:
            self.multiply(self.steps % 2, (1,) if self.steps else (0,))
        return self.sums


def piece(fragment: fx.Tensor, part: int) -> fx.Tensor:
    """The part of a fragment that multiplies 16-byte piece number `part` along K."""
    return fragment[None, None, (None, part) if fx.rank(fragment.shape[2]) == 2 else part]


def part_of(tensor: fx.Tensor, tile: tuple[int, int], place: tuple[Any, Any], mma: fx.TiledMma) -> fx.Tensor:
    """What this thread holds of tile number `place` of a tensor over (N, M)."""
    return mma.get_slice(fx.thread_idx.x).partition_C(fx.flat_divide(tensor, fx.make_tile(*tile))[None, None, *place])


def store(
    values: fx.Tensor, c: fx.Tensor, tile: tuple[int, int], place: tuple[Any, Any], mma: fx.TiledMma, n: int
) -> None:
    """Write tile number `place` (along N, M) of C of `n` columns; neighbours of a row at once where `n` allows it."""
    out = fx.make_fragment_like(values, c.dtype)
    out.store(values.load().to(c.dtype))
    run = int(fx.size(out.shape[0]))  # neighbours along a row of C in one instruction's result
    vector = min(run, wide(c.dtype)) if n % run == 0 else 1
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy(c.dtype.width * vector), c.dtype)
    by_vectors = fx.make_tile(vector, None, None)
    transposed = bounded(fx.make_view(fx.get_iter(c), fx.select(c.layout, [1, 0])))
    source = fx.logical_divide(out, by_vectors)
    target = fx.logical_divide(part_of(transposed, tile, place, mma), by_vectors)
    if n % tile[0] == 0:
        fx.copy(atom, source, target)
        return
    number = part_of(fx.make_view(fx.make_coord(0), fx.make_layout((n, c.shape[0]), (1, 0))), tile, place, mma)
    flags = fx.make_fragment_like(out, fx.Boolean)
    for i in fx.range_constexpr(fx.size(out.shape)):
        flags[i] = number[i] < n
    fx.copy(atom, source, target, pred=fx.logical_divide(flags, by_vectors)[(0, None), None, None])


def scaled(
    sums: fx.Tensor,
    scale_a: fx.Tensor,
    scale_b: fx.Tensor,
    tile: tuple[int, int],
    place: tuple[Any, Any],
    mma: fx.TiledMma,
) -> fx.Tensor:
    """The tile in Float32, its row m times scale_a[m], its column n times scale_b[n]."""
    result = fx.make_fragment_like(sums, fx.Float32)
    value = sums.load().to(fx.Float32)
    shape = scale_b.shape[0], scale_a.shape[0]
    for scale, strides, elements in ((scale_a, (0, 1), 1), (scale_b, (1, 0), 4)):
        grid = bounded(fx.make_view(fx.get_iter(scale), fx.make_layout(shape, strides)))
        factors = fx.make_fragment_like(sums, fx.Float32)
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy(32 * elements), fx.Float32)
        fx.copy(atom, part_of(grid, tile, place, mma), factors)
        value = value * factors.load()
    result.store(value)
    return result
