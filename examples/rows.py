"""What kernels on rows share: a row of any length in, vectors of it in registers and reductions over its block out.

A row is seen as a sequence of vectors of `VECTOR` elements. All but the last lie inside the row and are moved by one
instruction; of the last only the elements that exist are touched, one by one.

A reduction over the block goes through shuffles, then shared memory: a butterfly combines the threads of a wave without
memory, the waves meet in shared memory behind a barrier, and every wave combines what they left there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx

__all__ = ["BLOCK", "VECTOR", "add", "block_size", "load", "reduce_block", "reduce_wave", "store", "vectors"]

BLOCK = 256  # threads that work on one row of a GPU: enough loads in flight
BLOCK_OF_CPU = 64  # of a CPU, where more are more to combine, and leave a longer rest of a row to check
VECTOR = 4  # elements that a thread moves at a time


def block_size() -> int:
    """Threads that work on one row, on the backend that compiles."""
    return BLOCK_OF_CPU if flyc.compile_backend_name() == "cpu" else BLOCK


def vectors(row: fx.Tensor) -> fx.Tensor:
    """The row as (element of a vector, which vector); the last vector may hang over the end."""
    return fx.zipped_divide(row, fx.make_tile(VECTOR))


def load(row: fx.Tensor, index: Any, outside: float) -> fx.Vector:
    """Vector number `index` of the row as float32, with `outside` for what lies behind the end."""
    atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * row.dtype.width), row.dtype)
    source = vectors(row)[None, index]
    length, first = fx.get_scalar(fx.size(row)), index * VECTOR
    registers = fx.make_rmem_tensor(VECTOR, row.dtype)
    if first + VECTOR <= length:
        fx.copy(atom, source, registers)
    else:
        registers.fill(outside)
        for i in fx.range_constexpr(VECTOR):
            if first + i < length:
                registers[i] = source[i]
    return registers.load().to(fx.Float32)


def store(value: fx.Vector, row: fx.Tensor, index: Any) -> None:
    """Write vector number `index` of the row, as far as it exists."""
    atom = fx.make_copy_atom(fx.UniversalCopy(VECTOR * row.dtype.width), row.dtype)
    target = vectors(row)[None, index]
    length, first = fx.get_scalar(fx.size(row)), index * VECTOR
    registers = fx.make_rmem_tensor(VECTOR, row.dtype)
    registers.store(value)
    if first + VECTOR <= length:
        fx.copy(atom, registers, target)
    else:
        for i in fx.range_constexpr(VECTOR):
            if first + i < length:
                target[i] = registers[i]


def add(a: Any, b: Any) -> Any:
    return a + b


def reduce_wave(value: Any, combine: Callable[[Any, Any], Any], width: int) -> Any:
    """`value` combined over groups of `width` lanes; every lane gets the result."""
    offset = width // 2
    while offset:
        value = combine(value, fx.shuffle_xor(value, offset, width))
        offset //= 2
    return value


def reduce_block(value: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """A Float32 combined over the threads of the block; every thread gets the result."""
    wave = int(fx.num_warp_threads())
    waves = block_size() // wave
    partial = fx.SharedAllocator().allocate(fx.Array[fx.Float32, waves])
    thread = fx.thread_idx.x
    value = reduce_wave(value, combine, wave)
    if fx.lane_id() == 0:
        partial[thread // wave] = value
    fx.barrier()
    return reduce_wave(partial[thread % waves], combine, waves)
