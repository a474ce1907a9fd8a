"""gfx1250's moves of tensors (`fx.rocdl.make_tdm_atom`) on the simulator, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError, FrontendError, RuntimeFailure, UnsupportedTargetError
from flydsl_hipsim.bench import HipsimBench

TYPES = {np.int8: fx.Int8, np.float16: fx.Float16, np.float32: fx.Float32, np.float64: fx.Float64}
LDS = 4096  # elements


@pytest.fixture(autouse=True)
def chip(hipsim: HipsimBench) -> HipsimBench:
    hipsim.use("gfx1250")
    return hipsim


def row_major(extents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.prod(extents[k + 1 :])) for k in range(len(extents)))


def shared(dtype: Any, count: int = LDS) -> fx.Tensor:
    place = fx.SharedAllocator().allocate(count * dtype.width // 8, 128)
    return fx.make_view(fx.recast_iter(dtype, place), fx.make_layout(count, 1))


def loading(shape: Any, tile: Any, start: Any, dtype: Any, waves: int, **options: int) -> Any:
    """A tile of a tensor to LDS, and all of LDS to `y`; before that LDS is -1."""
    strides, at = row_major(shape), sum(s * t for s, t in zip(start, row_major(shape), strict=True))
    extents = {f"extent_{k}": shape[k] - start[k] for k in range(len(shape))}

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        lds = shared(dtype)
        for k in range(i, LDS, 32 * waves):
            lds[k] = dtype(-1)
        fx.barrier()
        place = fx.make_view(fx.get_iter(x) + at, fx.make_layout(tile, strides))
        atom = fx.rocdl.make_tdm_atom(len(tile), waves, **options)
        fx.copy(atom, place, lds, **extents)
        fx.rocdl.tdm_ops.tensor_wait(0)
        fx.barrier()
        for k in range(i, LDS, 32 * waves):
            y[k] = lds[k]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=32 * waves)

    return host


def test_descriptors_of_earlier_versions_say_what_to_write():
    for name in ("TDMDescriptor2D", "make_tensor_descriptor_2d"):
        with pytest.raises(AttributeError, match=rf"fx.tdm_ops has no '{name}'; an atom has the descriptor: fx.rocdl"):
            getattr(fx.tdm_ops, name)
    with pytest.raises(AttributeError, match="fx.tdm_ops has no 'nothing'$"):
        fx.tdm_ops.nothing


@pytest.mark.parametrize("last", [[], [1]])
def test_extents_and_strides_are_set_when_the_atom_is_made(chip: HipsimBench, last: list[int], rng):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, left: fx.Int32):
        lds = shared(fx.Float32)
        place = fx.make_view(fx.get_iter(x) + 2 * 13 + 5, fx.make_layout((4, 8), (8, 1)))
        atom = fx.rocdl.make_tdm_atom(place, (left, 13 - 5), strides=(13, *last), num_warps=1)
        fx.copy(atom, place, lds)
        fx.rocdl.tdm_ops.tensor_wait(0)
        for k in range(fx.thread_idx.x, 32, 32):
            y[k] = lds[k]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, left: fx.Int32):
        kernel(x, y, left).launch(grid=1, block=32)

    x, y = rng.standard_normal((5, 13)).astype(np.float32), np.zeros(32, np.float32)
    host(x.ravel(), y, 3)
    np.testing.assert_array_equal(y.reshape(4, 8), tile_of(x, (4, 8), (2, 5)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fx.rocdl.make_tdm_atom(2, (3,)), r"takes 2 extents, found 1: \(3,\)"),
        (lambda: fx.rocdl.make_tdm_atom(2, (3, 4), strides=(8, 2)), "contiguous, found stride"),
        (lambda: fx.rocdl.make_tdm_atom(2, 4, num_warps=2), "num_warps twice, 4 and 2"),
    ],
)
def test_wrong_extents_and_strides_are_refused(make: Any, message: str):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        make()

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=32)

    with pytest.raises(FrontendError, match=message):
        host.trace(np.zeros(4, np.float32), backend="rocm", arch="gfx1250")


def tile_of(x: np.ndarray, tile: Any, start: Any) -> np.ndarray:
    part = x[tuple(slice(s, s + n) for s, n in zip(start, tile, strict=True))]
    return np.pad(part, [(0, n - m) for n, m in zip(tile, part.shape, strict=True)])


TILES = [  # shape, tile, start
    ((37,), (16,), (30,)),
    ((9, 13), (4, 8), (2, 1)),
    ((9, 13), (4, 8), (7, 9)),
    ((3, 5, 7), (2, 4, 8), (2, 3, 4)),
    ((3, 2, 5, 7), (2, 1, 4, 8), (1, 1, 3, 0)),
    ((2, 3, 2, 5, 7), (2, 2, 4, 2, 4), (1, 2, 1, 4, 5)),
]


@pytest.mark.parametrize("waves", [1, 2, 4])
@pytest.mark.parametrize(("shape", "tile", "start"), TILES)
@pytest.mark.parametrize("array", TYPES)
def test_a_tile_is_loaded_with_zeros_beyond_the_tensor(array: Any, shape: Any, tile: Any, start: Any, waves: int, rng):
    x = rng.integers(1, 100, shape).astype(array)
    y = np.zeros(LDS, array)
    loading(shape, tile, start, TYPES[array], waves)(x.ravel(), y)
    expected = np.full(LDS, -1, array)
    expected[: np.prod(tile)] = tile_of(x, tile, start).ravel()
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("order", ["forward", "backward", "random:3"])
@pytest.mark.parametrize("waves", [1, 4, 8])
def test_rows_are_padded(chip: HipsimBench, waves: int, order: str, rng):
    chip.set_order(order)
    chip.set_check("all")
    shape, tile, start, pad = (50, 70), (16, 32), (40, 9), 8
    x, y = rng.standard_normal(shape).astype(np.float16), np.zeros(LDS, np.float16)
    loading(shape, tile, start, fx.Float16, waves, pad_interval=32, pad_amount=pad)(x.ravel(), y)
    expected = np.full((16, 40), -1, np.float16)
    expected[:, :32] = tile_of(x, tile, start)
    np.testing.assert_array_equal(y[: 16 * 40].reshape(16, 40), expected)
    assert (y[16 * 40 :] == -1).all()


def storing(shape: Any, tile: Any, start: Any, dtype: Any, waves: int) -> Any:
    strides, at = row_major(shape), sum(s * t for s, t in zip(start, row_major(shape), strict=True))
    extents = {f"extent_{k}": shape[k] - start[k] for k in range(len(shape))}
    count = int(np.prod(tile))

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        lds = shared(dtype)
        for k in range(fx.thread_idx.x, count, 32 * waves):
            lds[k] = x[k]
        fx.barrier()
        place = fx.make_view(fx.get_iter(y) + at, fx.make_layout(tile, strides))
        fx.copy(fx.rocdl.make_tdm_atom(y if len(tile) == 1 else len(tile), waves), lds, place, **extents)
        fx.rocdl.tdm_ops.tensor_wait()

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=32 * waves)

    return host


@pytest.mark.parametrize("waves", [1, 2])
@pytest.mark.parametrize(("shape", "tile", "start"), TILES)
@pytest.mark.parametrize("array", [np.int8, np.float32])
def test_a_tile_is_stored_within_the_tensor(array: Any, shape: Any, tile: Any, start: Any, waves: int, rng):
    x = rng.integers(1, 100, tile).astype(array)
    y = np.zeros(shape, array)
    expected = y.copy()
    place = tuple(slice(s, s + n) for s, n in zip(start, tile, strict=True))
    expected[place] = x[tuple(slice(0, n) for n in expected[place].shape)]
    flat = y.ravel()
    storing(shape, tile, start, TYPES[array], waves)(x.ravel(), flat)
    np.testing.assert_array_equal(flat.reshape(shape), expected)


def test_strides_of_run_time_and_a_byte_offset(rng):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, down: fx.Int32, left: fx.Int32):
        lds = shared(fx.Float32, 32)
        rows = fx.make_view(fx.get_iter(x), fx.make_layout((4, 8), (8, 1)))
        atom = fx.rocdl.make_tdm_atom(2).set_value("stride_0", row)
        fx.copy(atom, rows, lds, imm_offset=4 * row * down, extent_0=left)
        fx.rocdl.s_wait_tensorcnt(0)
        y[fx.thread_idx.x] = lds[fx.thread_idx.x]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, down: fx.Int32, left: fx.Int32):
        kernel(x, y, row, down, left).launch(grid=1, block=32)

    x, y = rng.standard_normal((9, 11)).astype(np.float32), np.zeros((4, 8), np.float32)
    flat = y.ravel()
    host(x.ravel(), flat, 11, 6, 3)
    np.testing.assert_array_equal(flat.reshape(4, 8), tile_of(x[:, :8], (4, 8), (6, 0)))


@pytest.mark.parametrize(("waves", "left"), [(4, 3), (4, 1), (8, 0)])
def test_one_wave_may_move_a_tile_for_all_others(waves: int, left: int, rng):
    """Under a condition: waves that do not meet it move nothing, nor does a predicate that is false."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, chosen: fx.Int32):
        i = fx.thread_idx.x
        lds = shared(fx.Float32, 64)
        for k in range(i, 64, 32 * waves):
            lds[k] = fx.Float32(-1)
        fx.barrier()
        place = fx.make_view(fx.get_iter(x), fx.make_layout((2, 32), (32, 1)))
        if fx.rocdl.readfirstlane(i // 32) == chosen:
            fx.copy(fx.rocdl.make_tdm_atom(2), place, lds)
            fx.rocdl.tdm_ops.tensor_wait(0)
        fx.barrier()
        if i < 64:
            y[i] = lds[i]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, chosen: fx.Int32):
        kernel(x, y, chosen).launch(grid=1, block=32 * waves)

    x, y = rng.standard_normal(64).astype(np.float32), np.zeros(64, np.float32)
    host(x, y, left)
    np.testing.assert_array_equal(y, x)
    host(x, y, 99)
    np.testing.assert_array_equal(y, -np.ones(64))


def test_a_move_that_was_not_waited_for_is_found(chip: HipsimBench):
    chip.set_check("waits")

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        lds = shared(fx.Float32, 32)
        fx.copy(fx.rocdl.make_tdm_atom(1), fx.make_view(fx.get_iter(x), fx.make_layout(32, 1)), lds)
        fx.barrier()
        y[fx.thread_idx.x] = lds[fx.thread_idx.x]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=32)

    with pytest.raises(RuntimeFailure, match="missing wait: LDS .* is used before an asynchronous copy to it"):
        host(np.zeros(32, np.float32), np.zeros(32, np.float32))


def moved(tile: Any, strides: Any, store: bool = False, lds: Any = None, **options: Any) -> Any:
    def body(x: fx.Tensor):
        place = fx.make_view(fx.get_iter(x), fx.make_layout(tile, strides))
        memory = shared(fx.Float32)
        if lds is not None:
            memory = fx.make_view(fx.get_iter(memory), fx.make_layout(*lds))
        atom = fx.rocdl.make_tdm_atom(options.pop("rank", len(tile)), **options)
        fx.copy(atom, *((memory, place) if store else (place, memory)))

    return body


def to_registers(x: fx.Tensor):
    fx.copy(
        fx.rocdl.make_tdm_atom(1),
        fx.make_view(fx.get_iter(x), fx.make_layout(4, 1)),
        fx.make_rmem_tensor(4, fx.Float32),
    )


def within_memory(x: fx.Tensor):
    tile = fx.make_view(fx.get_iter(x), fx.make_layout(4, 1))
    fx.copy(fx.rocdl.make_tdm_atom(1), tile, tile)


REFUSED = [
    (to_registers, "moves tiles between global and shared memory, found"),
    (within_memory, "moves tiles between global and shared memory, found"),
    (moved((4, 8), (8, 1), rank=3), r"needs a tile of 3 dimensions .* the outermost first; found \(4,8\):\(8,1\)"),
    (moved((4, 8), (1, 4)), r"needs a tile whose last dimension is contiguous, found \(4,8\):\(1,4\)"),
    (moved((2, 70000), (70000, 1)), "moves tiles of up to 65535 elements in a dimension, found 70000"),
    (moved((3, 8), (8, 1), num_warps=2), r"2 waves cannot share a tile of \(3,8\):\(8,1\) evenly: .* by \(2, 1\)"),
    (moved((4, 8), (8, 1), store=True, pad_interval=8, pad_amount=4), "only loads know padding there"),
    (moved((4, 8), (8, 1), lds=((4, 8), (1, 4))), r"rows follow each other in shared memory, \(4,8\):\(8,1\); found"),
    (
        moved((4, 8), (8, 1), pad_interval=1, pad_amount=1),
        r"gfx1250 TDM: padding \(interval=1, amount=1 elements at 32-bit\) is not encodable",
    ),
    (
        moved((4, 8), (8, 1), pad_interval=512, pad_amount=1),
        r"gfx1250 TDM: padding \(interval=512, amount=1 elements at 32-bit\) is not encodable",
    ),
]


def launched(body: Any, size: int = 256) -> None:
    made = flyc.kernel(body)

    @flyc.jit
    def host(x: fx.Tensor):
        made(x).launch(grid=1, block=64)

    host(np.zeros(size, np.float32))


@pytest.mark.parametrize(("body", "message"), REFUSED)
def test_what_cannot_be_moved_is_an_error_at_the_copy(body: Any, message: str):
    with pytest.raises(FlyDSLError, match=message) as caught:
        launched(body)
    assert "fx.copy(" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rank": 0}, r"TDM rank must be in \[1, 5\], got 0"),
        ({"rank": 6}, r"TDM rank must be in \[1, 5\], got 6"),
        ({"num_warps": 3}, "numWarps must be a positive power of two, got 3"),
        ({"num_warps": 0}, "numWarps must be a positive power of two, got 0"),
        ({"pad_interval": 8}, "padInterval and padAmount must both be zero or both non-zero"),
        ({"pad_interval": 12, "pad_amount": 4}, r"padInterval must be a power of two \(in elements\), got 12"),
        ({"num_warps": 2.0}, "num_warps of fx.rocdl.make_tdm_atom is an integer known while tracing, found 2.0"),
    ],
)
def test_parameters_are_checked_where_the_atom_is_made(options: dict[str, Any], message: str):
    def body(x: fx.Tensor):
        fx.rocdl.make_tdm_atom(**{"rank": 2, **options})

    with pytest.raises(FrontendError, match=message):
        launched(body)


def test_fields_and_chips_that_are_not_there(chip: HipsimBench):
    def body(x: fx.Tensor):
        fx.rocdl.make_tdm_atom(2).set_value("extent_5", 1)

    with pytest.raises(FrontendError, match="has no state field 'extent_5'; it has .*'extent_4'.*'workgroup_mask'"):
        launched(body)
    chip.use("gfx950")
    with pytest.raises(UnsupportedTargetError, match="gfx950 has no fx.rocdl.make_tdm_atom; .* gfx1250"):
        launched(body)
