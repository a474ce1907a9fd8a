"""What kernels on rows share on AMD GPUs: a whole row in the registers of a block, reductions without shuffles.

The length of a row is known while compiling, so a thread knows how many vectors it holds. They are as wide as the
length allows, 16 bytes at most, and a row is a buffer of its own: what lies behind its end is read as 0 and never
written, by the hardware and without a branch.

A reduction combines lanes by DPP, which lets an arithmetic instruction read the registers of a neighbour: four times
within rows of 16 lanes, then from row to row. Only the waves of a block meet in LDS.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import flydsl.expr as fx

__all__ = ["BLOCK", "LOWEST", "Row", "add", "exp2", "largest", "reduce_block", "reduce_each"]

BLOCK = 256  # threads that work on one row
LOWEST = -3.0e38  # below every number that counts, and finite, so that differences are numbers
LOG2_E = math.log2(math.e)
Combine = Callable[[Any, Any], Any]
# Lane i of a row of 16 reads lane i ^ 1, i ^ 2, then the other four or eight: all of them hold one number by then.
XOR_1, XOR_2, MIRROR_8, MIRROR_16 = 0xB1, 0x4E, 0x141, 0x140
BROADCAST_15, BROADCAST_31 = 0x142, 0x143  # from the last lane of a row, or of two rows, to the next ones
OTHER_ROW = 0x76543210, 0xFEDCBA98 - (1 << 32)


class Row:
    """One row of a matrix, as (element of a vector, thread, which of its vectors), for buffer instructions."""

    def __init__(self, row: fx.Tensor, columns: int, vector: int = 0) -> None:
        """`vector` elements at a time, by default as many as fit into 16 bytes and divide the row."""
        self.dtype, self.columns = row.dtype, columns
        self.vector = vector or math.gcd(columns, 128 // row.dtype.width)
        self.count = -(-columns // (self.vector * BLOCK))
        pointer = fx.rocdl.make_buffer_ptr(fx.get_iter(row), columns * row.dtype.width // 8)
        layout = fx.make_layout((self.vector, BLOCK, self.count), (1, self.vector, self.vector * BLOCK))
        self.part = fx.make_view(pointer, layout)[None, fx.thread_idx.x, None]
        self.atom = fx.make_copy_atom(fx.rocdl.BufferCopy(self.vector * row.dtype.width), row.dtype)

    def load(self) -> fx.Vector:
        """What this thread holds of the row, as Float32; zeros behind the end."""
        registers = fx.make_rmem_tensor((self.vector, self.count), self.dtype)
        fx.copy(self.atom, self.part, registers)
        return registers.load().to(fx.Float32)

    def store(self, values: fx.Vector) -> None:
        """Write what this thread holds, converted."""
        registers = fx.make_rmem_tensor((self.vector, self.count), self.dtype)
        registers.store(values.to(self.dtype))
        fx.copy(self.atom, registers, self.part)

    def store_bits(self, words: fx.Vector) -> None:
        """Write what this thread holds, given as the bits of its elements in Int32."""
        registers = fx.make_rmem_tensor((self.vector, self.count), self.dtype)
        registers.store(words.bitcast(self.dtype))
        fx.copy(self.atom, registers, self.part)

    def inside(self, values: fx.Vector, outside: float) -> fx.Vector:
        """The values, with `outside` in place of what lies behind the end; a vector does so as a whole."""
        if self.columns % (self.vector * BLOCK) == 0:
            return values
        last = (self.count - 1) * self.vector  # number of the first element of the last vector, which may overhang
        exists = (last * BLOCK + fx.thread_idx.x * self.vector) < self.columns
        elements = [values[i] if i < last else exists.select(values[i], outside) for i in range(values.numel)]
        return fx.Vector.from_elements(elements, fx.Float32)


def add(a: Any, b: Any) -> Any:
    return a + b


def largest(a: Any, b: Any) -> Any:
    """The larger of two numbers, neither of them a NaN: one instruction."""
    return fx.maxnumf(a, b, fastmath=fx.FastMathFlags.nnan)


def exp2(values: fx.Vector) -> fx.Vector:
    """2 to the power of each element, one instruction each."""
    return fx.Vector.from_elements([fx.rocdl.exp2(values[i]) for i in range(values.numel)], fx.Float32)


def reduce_each(values: fx.Vector, combine: Combine) -> Any:
    """The elements of a vector combined, in pairs."""
    items = [values[i] for i in range(values.numel)]
    while len(items) > 1:
        items = [combine(*items[i : i + 2]) if i + 1 < len(items) else items[i] for i in range(0, len(items), 2)]
    return items[0]


def neighbour(value: Any, control: int) -> Any:
    return fx.rocdl.update_dpp(value, value, control, 0xF, 0xF, True)


def reduce_wave(value: Any, combine: Combine, chip: str) -> Any:
    """A Float32 combined over all lanes of a wave; the same number in all of them."""
    for control in (XOR_1, XOR_2, MIRROR_8, MIRROR_16):
        value = combine(value, neighbour(value, control))
    if chip.startswith("gfx9"):
        for control in (BROADCAST_15, BROADCAST_31):
            value = combine(value, neighbour(value, control))
        return fx.rocdl.readlane(value, 63)
    value = combine(value, fx.rocdl.permlanex16(value, value, *OTHER_ROW, False, False))
    if fx.num_warp_threads() == 64:
        value = combine(fx.rocdl.readlane(value, 0), fx.rocdl.readlane(value, 32))
    return value


def reduce_block(values: Sequence[tuple[Any, Combine]], chip: str) -> list[Any]:
    """Several Float32, each combined in its own way over the threads of the block; every thread gets all of them."""
    width = int(fx.num_warp_threads())
    waves = BLOCK // width
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, waves * len(values)])
    partial = shared.view(fx.make_layout((waves, len(values)), (1, waves)))
    results = [reduce_wave(value, combine, chip) for value, combine in values]
    if fx.lane_id() == 0:
        for i in fx.range_constexpr(len(values)):
            partial[fx.thread_idx.x // width, i] = results[i]
    fx.barrier()
    return [reduce_each(partial[None, i].load(), combine) for i, (_, combine) in enumerate(values)]
