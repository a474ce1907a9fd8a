"""Shared memory, static and dynamic, with records and swizzles, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

N = 96


@fx.struct
class Exchange:
    values: fx.Array[fx.Float32, N]
    flag: fx.Int8
    factor: fx.Float16
    count: fx.Int64


@fx.struct
class Pair:
    first: fx.Int16
    second: fx.Align[fx.Int16, 8]


@fx.union
class Either:
    floats: fx.Array[fx.Float32, N]
    bits: fx.Array[fx.Int32, N]


def launch(kernel, *arguments, smem=None, block=N, grid=1):
    """Launch `kernel` on arrays."""

    @flyc.jit
    def two(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=grid, block=block, smem=smem)

    two(*arguments)
    return arguments[-1]


def floats(seed: int = 0, count: int = N) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count, dtype=np.float32)


@flyc.kernel
def reverse_static(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    shared = fx.SharedAllocator().allocate(Exchange)
    shared.values[i] = x[i]
    if i == 0:
        shared.flag = 1
        shared.factor.poke(0.5)
        shared.count = 1 << 40
    fx.barrier()
    if shared.flag.peek() == 1:
        scale = shared.factor.peek() * fx.Float32(shared.count.peek() >> 39)
        y[i] = shared.values[N - 1 - i] * scale


def test_fields_of_a_struct_in_static_shared_memory_are_exchanged_between_threads():
    x = floats()
    np.testing.assert_array_equal(launch(reverse_static, x, np.zeros_like(x)), x[::-1])


def test_a_struct_is_laid_out_as_in_c():
    assert [(name, offset) for name, _, offset in Exchange.members()] == [
        ("values", 0), ("flag", 4 * N), ("factor", 4 * N + 2), ("count", 4 * N + 8),
    ]  # fmt: skip
    assert Exchange.__dsl_size_of__() == 4 * N + 16
    assert Exchange.__dsl_align_of__() == 8
    assert (Pair.__dsl_size_of__(), Pair.__dsl_align_of__()) == (16, 8)
    assert (Either.__dsl_size_of__(), Either.__dsl_align_of__()) == (4 * N, 4)


@flyc.kernel
def reverse_dynamic(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    arena = fx.SharedAllocator(static=False)
    odd = arena.allocate(3)
    values = arena.allocate(fx.Array[fx.Float32, N])
    ones = arena.allocate(fx.Array[fx.Int8, N], alignment=64)
    assert arena.allocated_bytes == 16 + 4 * N + 48 + N
    values[i] = x[i]
    ones[i] = 1
    odd[2] = 7
    fx.barrier()
    total = 0
    for k in range(N):
        total = total + ones[k]
    y[i] = values[N - 1 - i] + fx.Float32(total)


def test_a_dynamic_allocator_reserves_what_the_kernel_took():
    x = floats(1)
    np.testing.assert_array_equal(launch(reverse_dynamic, x, np.zeros_like(x)), x[::-1] + np.float32(N))
    np.testing.assert_array_equal(launch(reverse_dynamic, x, np.zeros_like(x), smem=4096), x[::-1] + np.float32(N))


@flyc.kernel
def static_and_dynamic(x: fx.Tensor, y: fx.Tensor):
    i, block = fx.thread_idx.x, fx.block_idx.x
    fixed = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 32])
    free = fx.get_dyn_shared(fx.Float32)
    fixed[i], free[i] = x[block * 32 + i], x[block * 32 + i] * 2.0
    fx.barrier()
    y[block * 32 + i] = fixed[31 - i] + free[(i + 1) % 32]


def test_static_and_dynamic_shared_memory_of_one_kernel_do_not_overlap():
    x = floats(2, 32 * 7)
    blocks = x.reshape(7, 32)
    expected = blocks[:, ::-1] + np.roll(blocks * 2, -1, axis=1)
    found = launch(static_and_dynamic, x, np.zeros_like(x), smem=128, block=32, grid=7)
    np.testing.assert_array_equal(found.reshape(7, 32), expected)


@flyc.kernel
def reinterpret(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    either = fx.SharedAllocator().allocate(Either)
    either.floats[i] = x[i]
    fx.barrier()
    y[i] = either.peek().bits[N - 1 - i]


def test_a_union_reads_the_bits_of_another_field():
    x = floats(3)
    np.testing.assert_array_equal(launch(reinterpret, x, np.zeros(N, np.int32)), x.view(np.int32)[::-1])


@flyc.kernel
def array_of_structs(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    pairs = fx.SharedAllocator().allocate(fx.Array[Pair, N])
    pairs[i].poke(Pair(x[i], second=x[i] * 3))
    fx.barrier()
    other = pairs[N - 1 - i].peek()
    swapped = other.replace(first=other.second, second=other.first)
    for _ in range(3):
        swapped = Pair(swapped.first + 1, swapped.second)
    y[i] = swapped.first - swapped.second + pairs[0].second.peek()


def test_records_are_read_and_written_whole_and_carried_through_a_loop():
    x = np.arange(-40, N - 40, dtype=np.int16)
    expected = (3 * x[::-1] + 3) - x[::-1] + 3 * x[0]
    np.testing.assert_array_equal(launch(array_of_structs, x, np.zeros(N, np.int16)), expected)


@flyc.kernel
def swizzled(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    tile = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 32 * 32])
    swizzle = fx.static(fx.SwizzleType.get(3, 2, 3))
    elements = tile.view(fx.make_composed_layout(swizzle, fx.make_layout((32, 32), (32, 1))))
    for row in fx.range_constexpr(32):
        elements[row, i] = x[row, i]
    fx.barrier()
    fours = tile.view(fx.make_composed_layout(swizzle, fx.make_layout((4, 8, 32), (1, 4, 32))))
    fragment = fx.make_rmem_tensor(4, fx.Float32)
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    for column in fx.range_constexpr(8):
        fx.copy(atom, fx.slice(fours, (None, column, i)), fragment)
        for k in fx.range_constexpr(4):
            y[column * 4 + k, i] = fragment[k]


def test_a_swizzle_written_by_elements_is_read_by_vectors():
    x = floats(4, 1024).reshape(32, 32)
    np.testing.assert_array_equal(launch(swizzled, x, np.zeros_like(x), block=32), x.T)


@flyc.kernel
def all_banks(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    memory = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 32 * 32], alignment=4096)
    swizzle = fx.static(fx.SwizzleType.get(5, 0, 5))
    elements = memory.view(fx.make_composed_layout(swizzle, fx.make_layout((32, 32), (32, 1))))
    for row in fx.range_constexpr(32):
        elements[row, i] = x[row, i]
    fx.barrier()
    for column in fx.range_constexpr(32):
        y[column, i] = elements[i, column]


def test_a_swizzle_over_all_banks_of_a_tile_of_32_by_32():
    x = floats(5, 1024).reshape(32, 32)
    np.testing.assert_array_equal(launch(all_banks, x, np.zeros_like(x), block=32), x.T)


@flyc.kernel
def pointers(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    words = fx.recast_iter(fx.Int32, fx.get_iter(x))
    address = fx.ptrtoint(fx.get_iter(y)) + fx.Int64(i) * 4
    target = fx.inttoptr(fx.PointerType.get(fx.Int32, fx.AddressSpace.Global, 4), address)
    target.store((words + i).load() ^ (1 << 31))


def test_pointers_are_recast_and_made_from_integers():
    x = floats(5)
    np.testing.assert_array_equal(launch(pointers, x, np.zeros_like(x)), -x)


@flyc.kernel
def swizzled_pointer(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    memory = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 128])
    through = fx.apply_swizzle(memory.ptr, fx.static(fx.SwizzleType.get(2, 2, 5)))
    through[i] = x[i]
    through[i + 64] = x[i] + 1000
    fx.barrier()
    y[i] = memory[i]
    y[i + 64] = memory[i + 64]


def test_a_swizzle_on_a_pointer_permutes_byte_addresses():
    x = np.arange(64, dtype=np.int32)
    found = launch(swizzled_pointer, x, np.zeros(128, np.int32), block=64)
    addresses = np.arange(128) * 4
    swizzle = addresses ^ ((addresses & (3 << 7)) >> 5)
    expected = np.zeros(128, np.int32)
    expected[swizzle // 4] = np.concatenate([x, x + 1000])
    np.testing.assert_array_equal(found, expected)


@flyc.kernel
def vectors(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    lanes = fx.generic_load(fx.get_iter(x) + i * 4, count=4, nontemporal=True)
    scratch = fx.SharedAllocator().allocate(fx.Array[fx.Float32, N])
    fx.generic_store(scratch.ptr + i * 4, lanes * 2.0)
    fx.barrier()
    fx.generic_store(fx.get_iter(y) + i, fx.generic_load(scratch.ptr + (N // 4 - 1 - i), volatile=True))


def test_generic_accesses_of_vectors_and_scalars():
    x = floats(6)
    found = launch(vectors, x, np.zeros_like(x), block=N // 4)
    np.testing.assert_array_equal(found[: N // 4], 2 * x[: N // 4][::-1])


def kernel_of(body):
    """A kernel that calls `body`."""

    @flyc.kernel
    def calls(x: fx.Tensor, y: fx.Tensor):
        body(x)

    return calls


WRONG = [
    (lambda x: fx.SharedAllocator().allocate(0), "positive number of bytes"),
    (lambda x: fx.SharedAllocator().allocate(fx.Tensor), "cannot be stored in memory"),
    (lambda x: fx.SharedAllocator().allocate(16, alignment=24), "power of two"),
    (lambda x: fx.SharedAllocator(12), "power of two"),
    (lambda x: fx.SharedAllocator().base_ptr, "no common start"),
    (lambda x: fx.SharedAllocator(static=False).allocate(16, alignment=4096), "aligned to 4096"),
    (lambda x: fx.SharedAllocator().allocate(Pair).first + 1, "not a number; read it with .peek"),
    (lambda x: 2 * fx.SharedAllocator().allocate(Pair).first, "not a number; read it with .peek"),
    (lambda x: fx.SharedAllocator().allocate(Pair).first == 1, "not a number; read it with .peek"),
    (lambda x: fx.Float32(fx.SharedAllocator().allocate(Pair).first), "not a number; read it with .peek"),
    (lambda x: x[fx.SharedAllocator().allocate(Pair).first], "not a number; read it with .peek"),
    (lambda x: 1 if fx.SharedAllocator().allocate(Pair).first else 2, "not a number; read it with .peek"),
    (lambda x: fx.max(fx.SharedAllocator().allocate(Exchange).values, 0), "not a number; take a field or an element"),
    (lambda x: fx.Arena().allocate(16), "pass base="),
    (lambda x: fx.SharedAllocator().allocate(Exchange).valeus, "no field 'valeus'; fields: values, flag"),
    (lambda x: fx.SharedAllocator().allocate(Exchange)[0], "no array"),
    (lambda x: fx.SharedAllocator().allocate(Exchange).values[N], "out of range"),
    (lambda x: fx.SharedAllocator().allocate(Exchange).values.view((N, 2)), "allocate more"),
    (lambda x: fx.SharedAllocator().allocate(Exchange).values.poke([1.0]), "96 elements, found 1"),
    (lambda x: fx.SharedAllocator().allocate(Either).poke(1), "one field"),
    (lambda x: Either(1), "memory only"),
    (lambda x: Pair(1), "needs a value for second"),
    (lambda x: Pair(1, 2, third=3), "third"),
    (lambda x: fx.Storage(x, fx.Float32), "at a pointer"),
    (lambda x: fx.Storage(fx.get_iter(x), fx.Int64).peek(), "multiple of 8 bytes"),
    (lambda x: fx.PointerType.get(fx.Int64, fx.AddressSpace.Global, 4), "multiple of 8 bytes"),
    (lambda x: fx.PointerType.get(fx.Int64, 9), "no address space"),
    (lambda x: fx.recast_iter(7, fx.get_iter(x)), "pointer type"),
    (lambda x: fx.recast_iter(fx.Int8, x), "needs a pointer"),
    (lambda x: fx.inttoptr(fx.PointerType.get(fx.Int32), 1.5), "integer address"),
    (lambda x: fx.apply_swizzle(fx.get_iter(x), fx.SwizzleType.get(3, 4, 3)), "allocate with alignment=128"),
    (lambda x: fx.generic_load(fx.get_iter(x), memory_order=fx.AtomicOrdering.Release), "AtomicOrdering.Acquire"),
    (lambda x: fx.generic_load(x), "needs a pointer"),
]


@pytest.mark.parametrize(("body", "message"), WRONG, ids=[message for _, message in WRONG])
def test_mistakes_are_shown_with_the_users_line(body, message):
    with pytest.raises(FrontendError, match=message) as error:
        launch(kernel_of(body), floats(), floats())
    assert "test_shared_memory.py:" in str(error.value)


def test_a_swizzle_that_outruns_the_alignment_is_refused():
    @flyc.kernel
    def unaligned(x: fx.Tensor, y: fx.Tensor):
        tile = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 33 * 32])
        tile.view(fx.make_composed_layout(fx.static(fx.SwizzleType.get(3, 2, 3)), fx.make_layout((33, 32), (32, 1))))

    with pytest.raises(FrontendError, match="allocate with alignment=1024"):
        launch(unaligned, floats(), floats())


def test_dynamic_shared_memory_needs_its_size():
    with pytest.raises(FrontendError, match="smem="):
        launch(static_and_dynamic, floats(), floats(), block=32)
    with pytest.raises(FrontendError, match=r"allocates 544 bytes .* smem is Int32\(100\)"):
        launch(reverse_dynamic, floats(), floats(), smem=100)
    with pytest.raises(FrontendError, match="from 0 to"):
        launch(static_and_dynamic, floats(), floats(), smem=-4)


def test_shared_memory_outside_of_a_kernel_is_refused():
    @flyc.jit
    def host(x: fx.Tensor):
        fx.get_dyn_shared()

    with pytest.raises(FrontendError, match="only inside a kernel"):
        host(floats())


def test_more_shared_memory_than_a_block_has_raises():
    @flyc.kernel
    def large(x: fx.Tensor, y: fx.Tensor):
        memory = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 1 << 20])
        memory[fx.thread_idx.x] = x[fx.thread_idx.x]
        fx.barrier()
        y[fx.thread_idx.x] = memory[0]

    with pytest.raises(RuntimeError, match="shared memory"):
        launch(large, floats(), floats())


def test_mistakes_in_definitions_are_shown_with_the_users_line():
    for wrong in (
        lambda: fx.Array[fx.Float32],
        lambda: fx.Array[fx.Float32, 0],
        lambda: fx.Array[3, 4],
        lambda: fx.Align[fx.Float32, 3],
        lambda: fx.struct(type("Empty", (), {})),
        lambda: fx.struct(type("Reserved", (), {"__annotations__": {"peek": fx.Int32}})),
        lambda: fx.struct(type("Number", (), {"__annotations__": {"x": 3}})),
    ):
        with pytest.raises(FrontendError, match=r"test_shared_memory\.py:"):
            wrong()


def test_a_record_is_immutable():
    with pytest.raises(FrontendError, match="immutable"):
        Pair(1, 2).first = 3


def test_a_struct_may_have_methods_defaults_and_local_constants():
    width = 5

    @fx.struct(align=32)
    class Tile:
        data: fx.Array[fx.Float32, width]
        rows: fx.Int32 = 2

        def twice(self) -> int:
            return int(self.rows) * 2

    assert Tile.__dsl_align_of__() == 32
    assert Tile(data=None).twice() == 4
    assert fx.is_struct_type(Tile)
    assert not fx.is_struct_type(Either)
    assert fx.is_composite_type(Either)
