"""Shuffles between lanes, atomics, fences and block queries, compared with NumPy; waves have what a target says."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from support.targets import Target

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

BLOCK = 3 * 64 + 7  # the last wave is not full


def random(dtype, count: int = BLOCK) -> np.ndarray:
    rng = np.random.default_rng(count)
    if np.dtype(dtype).kind == "b":
        return rng.integers(0, 2, count).astype(dtype)
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(count).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


def launch(kernel, *arguments, block=BLOCK, grid=1):
    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=grid, block=block)

    host(*arguments)
    return arguments[-1]


def shuffled(x: np.ndarray, mode: str, offset: int, width: int, target: Target) -> np.ndarray:
    """What the threads of a block get of each other's `x`, by the definition of the shuffles."""
    sources = np.array([source_lane(mode, thread, offset, width) for thread in range(x.size)])
    idle = sources >= x.size
    values = x[np.where(idle, np.arange(x.size), sources)]
    return np.where(idle & target.idle_lanes_read_zero, np.zeros_like(x), values)


def source_lane(mode: str, thread: int, offset: int, width: int) -> int:
    """The thread that `thread` reads from, perhaps beyond the block: itself, where a lane is outside of `width`."""
    first = thread - thread % width
    lane = thread % width
    other = {"xor": lane ^ offset, "up": lane - offset, "down": lane + offset, "idx": offset % width}[mode]
    return first + other if 0 <= other < width else thread


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "float16", "int32", "uint32", "float32", "int64", "float64"]
)
def test_a_shuffle_moves_values_of_every_width(dtype, target):
    @flyc.kernel
    def exchange(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = fx.shuffle_xor(x[i], 5)

    x = random(dtype)
    expected = shuffled(x, "xor", 5, target.wave, target)
    np.testing.assert_array_equal(launch(exchange, x, np.zeros_like(x)), expected)


@pytest.mark.parametrize("width", [32, 16, 4, 1])
@pytest.mark.parametrize("mode", ["xor", "up", "down", "idx"])
def test_a_shuffle_reads_the_lane_of_its_definition(mode, width, target):
    function = getattr(fx, f"shuffle_{mode}")

    @flyc.kernel
    def exchange(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = function(x[i], 3, width)

    x = random("int32")
    expected = shuffled(x, mode, 3, width, target)
    np.testing.assert_array_equal(launch(exchange, x, np.zeros_like(x)), expected)


@flyc.kernel
def rotate(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    lane = fx.lane_id()
    pair = fx.Vector.from_elements([x[i], x[i] * 2], fx.Int32)
    moved = fx.shuffle_idx(pair, (lane + 1) % fx.num_warp_threads())
    negative = fx.gpu.shuffle_up(x[i] < 0, 1, 8)
    y[i] = moved[0] + moved[1] + negative.select(1, 0)


def test_vectors_and_booleans_are_shuffled_by_a_lane_known_at_run_time(target):
    x = random("int16", 4 * target.wave).astype(np.int32)
    rotated = np.roll(x.reshape(4, target.wave), -1, axis=1).ravel()
    before = shuffled(x < 0, "up", 1, 8, target)
    np.testing.assert_array_equal(launch(rotate, x, np.zeros_like(x), block=x.size), rotated * 3 + before)


@flyc.kernel
def wave_sums(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    width = fx.num_warp_threads()
    total = x[i]
    offset = int(width) // 2
    while offset:
        total = total + total.shuffle_xor(offset, width)
        offset //= 2
    if fx.lane_id() == 0:
        y[i // width] = total


def test_a_butterfly_sums_each_wave(target):
    x = random("int16", 4 * target.wave).astype(np.int32)
    found = launch(wave_sums, x, np.zeros(4, np.int32), block=x.size)
    np.testing.assert_array_equal(found, x.reshape(4, target.wave).sum(axis=1))


@flyc.kernel
def shuffle_in_a_loop(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    value = x[i]
    for step in range(fx.Int32(x[0]) % 7 + 9):
        value = fx.shuffle_up(value, 1, 16) + step
    y[i] = value


def test_a_shuffle_in_a_loop_whose_length_is_known_at_run_time(target):
    x = random("int16").astype(np.int32)
    expected = x.copy()
    for step in range(int(np.fmod(x[0], 7)) + 9):
        expected = shuffled(expected, "up", 1, 16, target) + step
    np.testing.assert_array_equal(launch(shuffle_in_a_loop, x, np.zeros_like(x)), expected)


@flyc.kernel
def block_queries(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    size = fx.gpu.known_block_size()
    y[i] = size[0] * 1000 + fx.lane_id()


def test_block_size_and_lane_numbers(target):
    found = launch(block_queries, random("int32"), np.zeros(BLOCK, np.int32))
    np.testing.assert_array_equal(found, BLOCK * 1000 + np.arange(BLOCK) % target.wave)


ATOMICS = {
    "add": np.add, "sub": np.subtract, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "min": np.minimum, "max": np.maximum,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "int8", "uint16"])
@pytest.mark.parametrize("kind", ATOMICS)
def test_an_integer_atomic_combines_all_threads_of_all_blocks(kind, dtype):
    function = getattr(fx, f"atomic_{kind}")

    @flyc.kernel
    def combine(x: fx.Tensor, y: fx.Tensor):
        function(fx.get_iter(y), x[fx.block_idx.x * 64 + fx.thread_idx.x])

    x, start = random(dtype, 64 * 9), random(dtype, 1)
    expected = start[0]
    with np.errstate(over="ignore"):
        for value in x:
            expected = ATOMICS[kind](expected, value)
    assert launch(combine, x, start.copy(), block=64, grid=9)[0] == expected


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", ml_dtypes.bfloat16])
def test_float_atomics(dtype):
    @flyc.kernel
    def combine(x: fx.Tensor, y: fx.Tensor):
        value = x[fx.block_idx.x * 64 + fx.thread_idx.x]
        result = fx.get_iter(y)
        fx.atomic_add(result, value)
        fx.atomic_sub(result + 1, value, syncscope="agent")
        fx.atomic_fmin(result + 2, value, ordering=fx.AtomicOrdering.AcqRel)
        fx.atomic_fmax(result + 3, value, syncscope=fx.SyncScope.System)

    x = (random("int8", 64 * 5) % 3 - 1).astype(dtype)  # sums are exact in every order
    found = launch(combine, x, np.zeros(4, dtype), block=64, grid=5)
    np.testing.assert_array_equal(found, np.array([x.sum(), -x.sum(), min(x.min(), 0), max(x.max(), 0)], dtype))


@flyc.kernel
def histogram(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    bins = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 16])
    if fx.thread_idx.x < 16:
        bins[fx.thread_idx.x] = 0
    fx.barrier()
    fx.atomic_add(bins.ptr + x[i], 1, syncscope="workgroup")
    fx.barrier()
    if fx.thread_idx.x < 16:
        fx.atomic_add(fx.get_iter(y) + fx.thread_idx.x, bins[fx.thread_idx.x])


def test_atomics_on_shared_and_global_memory_count_a_histogram():
    x = np.random.default_rng(1).integers(0, 16, 64 * 11).astype(np.int32)
    found = launch(histogram, x, np.zeros(16, np.int32), block=64, grid=11)
    np.testing.assert_array_equal(found, np.bincount(x, minlength=16))


@flyc.kernel
def tickets(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    ticket = fx.atomic_add(fx.get_iter(y), 1)
    y[1 + ticket] = x[i]


def test_the_old_value_of_an_atomic_is_different_for_every_thread():
    x = random("int32", 32 * 6)
    found = launch(tickets, x, np.zeros(1 + x.size, np.int32), block=32, grid=6)
    assert found[0] == x.size
    np.testing.assert_array_equal(np.sort(found[1:]), np.sort(x))


@flyc.kernel
def product_by_cas(x: fx.Tensor, y: fx.Tensor):
    target = fx.get_iter(y)
    old = fx.generic_load(target, memory_order=fx.AtomicOrdering.Monotonic)
    factor = x[fx.block_idx.x * 32 + fx.thread_idx.x]
    seen = fx.atomic_cas(target, old, old * factor)
    while seen != old:
        old = seen
        seen = fx.atomic_cas(target, old, old * factor)


def test_compare_and_swap_multiplies_floats():
    x = np.exp2(np.random.default_rng(2).integers(-1, 2, 32 * 4)).astype(np.float32)
    found = launch(product_by_cas, x, np.ones(1, np.float32), block=32, grid=4)
    assert found[0] == x.prod()


@flyc.kernel
def publish(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    old = fx.atomic_xchg(fx.get_iter(y) + i, x[i])
    fx.memory_fence(ordering=fx.AtomicOrdering.Release, syncscope="agent")
    fx.generic_store(fx.get_iter(y) + BLOCK + i, old, memory_order=fx.AtomicOrdering.Release, syncscope="workgroup")


def test_exchange_fence_and_ordered_stores():
    x, y = random("int32"), random("int32", 2 * BLOCK)
    before = y.copy()
    launch(publish, x, y)
    np.testing.assert_array_equal(y, np.concatenate([x, before[:BLOCK]]))


def test_a_tensor_that_is_only_written_by_atomics_must_be_writable():
    frozen = np.zeros(4, np.int32)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="argument 'y': the tensor is read-only"):
        launch(histogram, np.zeros(64, np.int32), frozen, block=64)


WRONG = [
    (lambda x: fx.shuffle_xor(x[0], 1, 48), r"power of two up to the (32|64) threads"),
    (lambda x: fx.shuffle_xor(x[0], 1.5), "offset of shuffle_xor is an integer"),
    (lambda x: fx.shuffle_xor(x, 1), "expected a scalar"),
    (lambda x: fx.shuffle_xor(fx.Float4E2M1FN(x[0]), 1), "8, 16, 32 or 64 bits"),
    (lambda x: fx.shuffle_xor(fx.Vector.filled(3, 1, fx.Int8), 1), "whole 32-bit words"),
    (lambda x: fx.atomic_and(fx.get_iter(x), 1), "no atomic_and on Float32"),
    (lambda x: fx.atomic_max(fx.get_iter(x), 1), "use atomic_fmax"),
    (lambda x: fx.atomic_add(x, 1), "needs a pointer"),
    (lambda x: fx.atomic_add(fx.recast_iter(fx.Boolean, fx.get_iter(x)), 1), "8 to 64 bits"),
    (
        lambda x: fx.atomic_add(fx.get_iter(x), 1, ordering=fx.AtomicOrdering.NotAtomic),
        "takes AtomicOrdering.Monotonic",
    ),
    (lambda x: fx.atomic_add(fx.get_iter(x), 1, syncscope=3), "a syncscope is"),
    (lambda x: fx.atomic_cas(fx.get_iter(x), 0, 1, failure_ordering=fx.AtomicOrdering.Release), "atomic_cas takes"),
    (lambda x: fx.memory_fence(ordering=fx.AtomicOrdering.Monotonic), "memory_fence takes"),
]


@pytest.mark.parametrize(("body", "message"), WRONG, ids=[message for _, message in WRONG])
def test_mistakes_are_shown_with_the_users_line(body, message):
    @flyc.kernel
    def calls(x: fx.Tensor, y: fx.Tensor):
        body(x)

    with pytest.raises(FrontendError, match=message) as error:
        launch(calls, random("float32"), random("float32"))
    assert "test_waves_and_atomics.py:" in str(error.value)


def test_a_block_size_known_only_at_launch_is_refused_where_it_must_be_known():
    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
        block_queries(x, y).launch(grid=1, block=n)

    with pytest.raises(FrontendError, match="not known while tracing"):
        host(random("int32"), np.zeros(BLOCK, np.int32), 7)
