"""What kernels share that read rows once: threads of a row, its vectors in pieces, reductions over its threads.

The length of a row is known while compiling, so a thread knows how many vectors it has: as wide as the length allows,
16 bytes at most, a piece of several in flight at a time. The first pieces stay in registers, the next ones in shared
memory, each thread's own, so that nobody waits for them. What is left is read again where it is needed again, which
the second-level cache serves.

A row has a whole block, or, of at most a wave, a part of it: such rows need no barrier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from row_plans import BYTES, WAVE, RowPlan

import flydsl.compiler as flyc
import flydsl.expr as fx

__all__ = ["LOWEST", "Row", "add", "fold", "largest", "marked", "moments", "reduce_each", "reduce_row"]

LOWEST = -1.0e38  # behind the end of a row; finite, so that differences are numbers
SHORT = 4  # pieces that are read again by all of a block, and no loop
Combine = Callable[[Any, Any], Any]


def marked(array: Any, itemsize: int) -> Any:
    """A tensor as an argument whose rows are as long as they are now, and begin where vectors may."""
    vector = RowPlan(array.shape[-1], WAVE).vector(8 * itemsize)
    argument = flyc.from_dlpack(array, assumed_align=vector * itemsize)
    return argument if len(array.shape) == 1 else argument.mark_shape_dynamic(dims=[0])


class Row:
    """The part of a row of `tensor` that this thread has; with `is_vector`, the only one.

    Behind the last row it is the last one again, so that all threads of a wave go on, and is not written.
    """

    def __init__(self, tensor: fx.Tensor, plan: RowPlan, is_vector: bool = False) -> None:
        self.plan, self.dtype, self.is_vector = plan, tensor.dtype, is_vector
        self.vector = plan.vector(tensor.dtype.width)
        self.thread = fx.thread_idx.x % plan.threads
        step = self.vector * plan.threads
        self.count = -(-plan.columns // step)
        self.full = plan.columns // (step * plan.piece)
        self.pieces = -(-self.count // plan.piece)
        layout = fx.make_layout((self.vector, plan.threads, self.count), (1, self.vector, step))
        index: Any = fx.block_idx.x
        self.is_there: Any = None
        if plan.rows > 1 and not is_vector:
            rows = fx.get_scalar(tensor.shape[0])
            index = index * plan.rows + fx.thread_idx.x // plan.threads
            self.is_there, index = index < rows, fx.min(index, rows - 1)
        start = fx.get_iter(tensor if is_vector else tensor[index, None])
        self.part = fx.make_view(start, layout)[None, self.thread, None]
        self.atom = fx.make_copy_atom(fx.UniversalCopy(self.vector * self.dtype.width), self.dtype)
        loads, stores = ("", "") if is_vector else plan.cache
        lasting = ("evict_last", "" if is_vector else "evict_first") if plan.lasting else ("", "")
        self.load_atom, self.next_atom = (self.global_atom(loads, second) for second in lasting)
        self.store_atom = self.global_atom(stores)
        self.held: list[Any] = []
        self.shared = self.full if not plan.shared else min(self.full, (plan.held + plan.shared) // plan.piece)
        if plan.shared and not is_vector:
            every = fx.make_layout((self.vector, plan.size, self.count), (1, self.vector, self.vector * plan.size))
            self.own = fx.make_view(fx.get_dyn_shared(self.dtype), every)[None, fx.thread_idx.x, None]
        self.is_kept = not plan.paced

    def global_atom(self, cache: str, second: str = "") -> Any:
        """What copies a vector between global memory and registers."""
        bits = self.vector * self.dtype.width
        if not (any(self.plan.cache) or second) or bits < 32 or flyc.compile_backend_name() != "cuda":
            return self.atom
        return fx.make_copy_atom(fx.nvvm.GlobalCopy(bits, cache, second), self.dtype)

    def keep(self) -> None:
        """Load what stays in registers and, if it is not paced, in shared memory."""
        count = min(self.plan.held // self.plan.piece, self.pieces)
        self.held = [self.load(piece) for piece in range(count)]
        if self.plan.shared and not self.is_vector and self.is_kept:
            for piece in fx.range_constexpr(count, self.shared):
                self.load_kept(piece)

    def load_kept(self, piece: Any) -> Any:
        """A full piece in registers, and in shared memory for later."""
        registers = self.load(piece)
        for i in fx.range_constexpr(self.plan.piece):
            fx.copy(self.atom, registers[None, i], self.own[None, (piece - len(self.held)) * self.plan.piece + i])
        return registers

    def load(self, piece: Any, is_shared: bool = False) -> Any:
        """A piece in registers, which hold anything behind the end of the row."""
        if isinstance(piece, int) and piece < len(self.held):
            return self.held[piece]
        registers = fx.make_rmem_tensor((self.vector, self.width(piece)), self.dtype)
        memory, before = (self.own, len(self.held)) if is_shared else (self.part, 0)
        for i in fx.range_constexpr(self.width(piece)):
            source = memory[None, (piece - before) * self.plan.piece + i]
            fx.copy(
                self.atom if is_shared else self.load_atom,
                source,
                registers[None, i],
                pred=flags(self.exists(piece, i)),
            )
        return registers

    def values(self, piece: Any, outside: Any, is_shared: bool = False) -> Any:
        """A piece as Float32, with `outside` in what is behind the end of the row."""
        registers = self.load(piece, is_shared) if self.is_kept or not is_shared else self.load_kept(piece)
        values = registers.load().to(fx.Float32)
        exist = [self.exists(piece, i) for i in range(self.width(piece))]
        if all(one is None for one in exist):
            return values
        elements = [
            values[i] if exist[i // self.vector] is None else exist[i // self.vector].select(values[i], outside)
            for i in range(values.numel)
        ]
        return fx.Vector.from_elements(elements, fx.Float32)

    def store(self, piece: Any, values: fx.Vector) -> None:
        """Write a piece."""
        registers = fx.make_rmem_tensor((self.vector, self.width(piece)), self.dtype)
        registers.store(values.to(self.dtype))
        for i in fx.range_constexpr(self.width(piece)):
            target = self.part[None, piece * self.plan.piece + i]
            fx.copy(self.store_atom, registers[None, i], target, pred=flags(self.exists(piece, i), self.is_there))

    def width(self, piece: Any) -> int:
        """Vectors of a piece: only the last, whose number is one of Python's, may have fewer."""
        return min(self.plan.piece, self.count - piece * self.plan.piece) if isinstance(piece, int) else self.plan.piece

    def exists(self, piece: Any, i: int) -> Any:
        """Whether vector `i` of a piece lies inside of the row: None where it is known to while compiling."""
        which = piece * self.plan.piece + i if isinstance(piece, int) else 0
        if (which + 1) * self.vector * self.plan.threads <= self.plan.columns:
            return None
        return (which * self.plan.threads + self.thread) * self.vector < self.plan.columns


def flags(*conditions: Any) -> Any:
    """The predicate of a copy: None where all conditions hold while compiling."""
    dynamic = [condition for condition in conditions if condition is not None]
    if not dynamic:
        return None
    registers = fx.make_rmem_tensor(1, fx.Boolean)
    registers.fill(dynamic[0] if len(dynamic) == 1 else dynamic[0] & dynamic[1])
    return registers


def fold(row: Row, step: Callable[[Any, Any, Any], Any], state: Any, outside: Any) -> Any:
    """`state` after `step(state, piece, values)` for each piece of the row."""
    is_short = row.plan.threads > WAVE and not row.plan.shared and row.full <= SHORT
    here = max(len(row.held), row.full if is_short else 0)
    for piece in fx.range_constexpr(here):
        state = step(state, piece, row.values(piece, outside))
    for piece in fx.range(here, max(here, row.shared), unroll=row.plan.unroll):
        state = step(state, piece, row.values(piece, outside, bool(row.plan.shared)))
    row.is_kept = True
    for piece in range(max(row.shared, here), row.full):
        state = step(state, piece, row.values(piece, outside))
    for piece in fx.range_constexpr(max(row.full, here), row.pieces):
        state = step(state, piece, row.values(piece, outside))
    row.load_atom = row.next_atom
    return state


def add(a: Any, b: Any) -> Any:
    return a + b


def largest(a: Any, b: Any) -> Any:
    """The larger of two numbers, neither of them a NaN: one instruction."""
    return fx.maxnumf(a, b, fastmath=fx.FastMathFlags.nnan)


def reduce_each(values: Any, combine: Combine) -> Any:
    """The elements of a vector combined, in pairs."""
    items = [values[i] for i in range(values.numel)]
    while len(items) > 1:
        items = [combine(*items[i : i + 2]) if i + 1 < len(items) else items[i] for i in range(0, len(items), 2)]
    return items[0]


def reduce_row(values: Sequence[tuple[Any, Combine]], plan: RowPlan) -> list[Any]:
    """Several Float32, each combined in its own way over the threads of a row; every thread gets all of them."""
    wave = min(int(fx.num_warp_threads()), plan.threads)
    results = [value for value, _ in values]
    offset = wave // 2
    while offset:
        results = [combine(r, fx.shuffle_xor(r, offset, wave)) for r, (_, combine) in zip(results, values, strict=True)]
        offset //= 2
    waves = plan.threads // wave
    if waves == 1:
        return results
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, waves * len(values), BYTES])
    partial = shared.view(fx.make_layout((waves, len(values)), (1, waves)))
    if fx.thread_idx.x % wave == 0:
        for i in fx.range_constexpr(len(values)):
            partial[fx.thread_idx.x // wave, i] = results[i]
    fx.barrier()
    return [reduce_each(partial[None, i].load(), combine) for i, (_, combine) in enumerate(values)]


def moments(row: Row, total: Any, squares: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Mean of a row and sum of its squared distances from it, from a thread's sum; every thread gets both.

    `squares` gives a thread's sum of squared distances from a number. Here that is the mean of its wave, so that waves
    meet behind one barrier: Chan's formula joins what they found.
    """
    plan = row.plan
    wave = min(int(fx.num_warp_threads()), plan.threads)
    waves = plan.threads // wave
    whole, rest = divmod(plan.columns // row.vector, plan.threads)

    def elements(index: Any) -> Any:
        """How many a wave has."""
        if rest == 0:
            return plan.columns / waves
        last = fx.min(fx.max(rest - index * wave, 0), wave)
        return ((last + whole * wave) * row.vector).to(fx.Float32)

    index = row.thread // wave
    own = reduce_wave(total, add, wave)
    even = rest == 0 or waves == 1
    mean = own * (waves / plan.columns) if even else own / fx.maxnumf(elements(index), fx.Float32(1))
    apart = reduce_wave(squares(mean), add, wave)
    if waves == 1:
        return mean, apart
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 2 * waves, BYTES])
    partial = shared.view(fx.make_layout((2, waves), (1, 2)))
    if fx.thread_idx.x % wave == 0:
        partial[0, index] = mean
        partial[1, index] = apart
    fx.barrier()
    other = fx.thread_idx.x % waves
    found = partial[None, other].load()
    count = elements(other)
    mean = reduce_wave(found[0] * count, add, waves) * (1 / plan.columns)
    away = found[0] - mean
    return mean, reduce_wave(fx.fma(away * count, away, found[1]), add, waves)


def reduce_wave(value: Any, combine: Combine, threads: int) -> Any:
    """A Float32 combined over so many neighbouring threads of a wave; each of them gets it."""
    offset = threads // 2
    while offset:
        value = combine(value, fx.shuffle_xor(value, offset, int(fx.num_warp_threads())))
        offset //= 2
    return value
