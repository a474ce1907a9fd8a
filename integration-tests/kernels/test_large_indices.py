"""Elements gigabytes away: indices that 32 bits do not hold, in every way that a kernel can form one."""

from __future__ import annotations

import numpy as np
import pytest
from support.sparse import GIB, sparse

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ShapeError

ROWS = 50_000


@flyc.kernel
def literal_kernel(x: fx.Tensor, y: fx.Tensor):
    near, far = fx.get_iter(x), fx.get_iter(x) + (2 << 30)
    i = fx.thread_idx.x
    near[(3 << 30) + i] = i + 1
    far[(2 << 30) + i] = i + 11
    y[i, 0] = (near + (3 << 30))[i]
    y[i, 1] = (far + i)[2 << 30]
    y[i, 2] = x[(3 << 30) + i]


@flyc.jit
def literals(x: fx.Tensor, y: fx.Tensor):
    literal_kernel(x, y).launch(grid=1, block=4)


def test_pointers_move_by_more_than_two_gigabytes():
    x, y = sparse(5 * GIB), np.zeros((4, 3), np.int64)
    literals(x, y)
    i = np.arange(4)
    np.testing.assert_array_equal(y, np.stack([i + 1, i + 11, i + 1], axis=1))
    np.testing.assert_array_equal(x[3 * GIB : 3 * GIB + 4], i + 1)
    np.testing.assert_array_equal(x[4 * GIB : 4 * GIB + 4], i + 11)


@flyc.kernel
def hops_kernel(x: fx.Tensor, y: fx.Tensor, hop: fx.Int32):
    i = fx.thread_idx.x
    y[i] = (fx.get_iter(x) + hop + (hop + i))[hop]


@flyc.jit
def hops(x: fx.Tensor, y: fx.Tensor, hop: fx.Int32):
    hops_kernel(x, y, hop).launch(grid=1, block=4)


def test_offsets_of_32_bits_add_up_to_more():
    x, y, hop = sparse(5 * GIB), np.zeros(4, np.int64), (3 << 29) - 5
    x[3 * hop : 3 * hop + 4] = np.arange(4) + 1
    hops(x, y, hop)
    np.testing.assert_array_equal(y, np.arange(4) + 1)


@flyc.kernel
def view_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    view = fx.make_view(fx.get_iter(x), fx.make_layout((4, 1 << 30), (1 << 30, 1)))
    view[i, 5] = i + 1
    y[i, 0] = view[i, 5]
    y[i, 1] = fx.get_scalar(fx.crd2idx((i, 5), view.layout))
    row = fx.slice(view, (i, None))
    row[6] = i + 21
    y[i, 2] = row[6]
    y[i, 3] = fx.get_scalar(fx.size(view))


@flyc.jit
def views(x: fx.Tensor, y: fx.Tensor):
    view_kernel(x, y).launch(grid=1, block=4)


def test_static_layouts_that_reach_further_than_two_gigabytes():
    x, y = sparse(5 * GIB), np.zeros((4, 4), np.int64)
    views(x, y)
    i = np.arange(4)
    np.testing.assert_array_equal(y, np.stack([i + 1, i * GIB + 5, i + 21, np.full(4, 4 * GIB)], axis=1))
    np.testing.assert_array_equal(x[i * GIB + 5], i + 1)
    np.testing.assert_array_equal(x[i * GIB + 6], i + 21)


FAR_ROWS, COLUMNS = (1 << 22) + 64, 256
"""Of four bytes each: the indices of the last rows fit in 31 bits, their offsets in bytes do not in 32."""


@flyc.kernel
def far_rows_kernel(x: fx.Tensor, y: fx.Tensor):
    view = fx.make_view(fx.get_iter(x), fx.make_layout((FAR_ROWS, COLUMNS), (COLUMNS, 1)))
    i = fx.thread_idx.x
    y[i, 0] = view[i + FAR_ROWS - 64, 3]
    view[i + FAR_ROWS - 64, 4] = fx.Float32(i + 1)
    y[i, 1] = view[i + (COLUMNS - 1) * FAR_ROWS]  # counted down the columns


@flyc.jit
def far_rows(x: fx.Tensor, y: fx.Tensor):
    far_rows_kernel(x, y).launch(grid=1, block=64)


def test_indices_of_31_bits_whose_bytes_need_more_than_32():
    x, y = sparse(4 * FAR_ROWS * COLUMNS).view(np.float32).reshape(FAR_ROWS, COLUMNS), np.zeros((64, 2), np.float32)
    i = np.arange(64)
    x[-64:, 3], x[:64, -1] = i + 5, i + 9
    far_rows(x, y)
    np.testing.assert_array_equal(y, np.stack([i + 5, i + 9], axis=1))
    np.testing.assert_array_equal(x[-64:, 4], i + 1)


@flyc.kernel
def square_kernel(x: fx.Tensor, y: fx.Tensor, base: fx.Int32):
    i = fx.thread_idx.x
    if base + i < fx.size(x):
        x[base + i, base + 9] = i + 1
        y[i, 0] = x[base + i, base + 9]
    tiles = fx.zipped_divide(x, fx.make_tile(16, 8))
    row, column = (base + i) // 16, (base + 9) // 8
    tile = fx.slice(tiles, (None, (row, column)))
    y[i, 1] = tile[((base + i) % 16, (base + 9) % 8)]
    y[i, 2] = fx.get_scalar(fx.size(x))
    y[i, 3] = fx.get_scalar(fx.cosize(x))
    number = fx.get_scalar(fx.get_1d_coord(fx.crd2idx((base + i, base + 9), x), x))
    y[i, 4] = number
    y[i, 5] = fx.get_iter(x)[fx.crd2idx((base + i, base + 9), x)]


@flyc.jit
def square(x: fx.Tensor, y: fx.Tensor, base: fx.Int32):
    square_kernel(x, y, base).launch(grid=1, block=4)


MARKS = {
    "bare": lambda x: x,
    "static": flyc.from_dlpack,
    "dynamic": lambda x: flyc.from_dlpack(x).mark_layout_dynamic(),
    "dynamic shape": lambda x: flyc.from_dlpack(x).mark_shape_dynamic(),
    "dynamic rows": lambda x: flyc.from_dlpack(x).mark_shape_dynamic(0),
    "dynamic strides": lambda x: flyc.from_dlpack(x).mark_stride_dynamic(0),
    "narrow strides": lambda x: flyc.from_dlpack(x, use_32bit_stride=True).mark_layout_dynamic(),
}


@pytest.mark.parametrize(("mark", "rows"), [*((mark, ROWS) for mark in MARKS), ("bare", 1 << 16), ("static", 1 << 16)])
def test_a_square_tensor_of_gigabytes(mark: str, rows: int):
    x, y = sparse(rows * rows).reshape(rows, rows), np.zeros((4, 6), np.int64)
    base = rows - 10
    square(MARKS[mark](x), y, base)
    i = np.arange(4)
    expected = [i + 1, i + 1, np.full(4, rows * rows), np.full(4, rows * rows), base + i + (base + 9) * rows, i + 1]
    np.testing.assert_array_equal(y, np.stack(expected, axis=1))
    np.testing.assert_array_equal(x[base + i, base + 9], i + 1)


@flyc.kernel
def tiled_copy_kernel(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, column: fx.Int32):
    """A tile of 8 x 16, two threads a row, eight elements a thread: what is outside of the tensor stays."""
    copy = fx.make_tiled_copy_tv(
        fx.make_copy_atom(fx.UniversalCopy8b(), fx.Int8),
        fx.make_layout((8, 2), (2, 1)),
        fx.make_layout((1, 8), (8, 1)),
    )
    tile = fx.make_tile(8, 16)
    places = fx.zipped_divide(fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(x.shape)), tile)
    thread = copy.get_slice(fx.thread_idx.x)
    source = thread.partition_S(fx.slice(fx.zipped_divide(x, tile), (None, (row, column))))
    where = thread.partition_S(fx.slice(places, (None, (row, column))))
    registers = fx.make_fragment_like(source)
    registers.fill(fx.Int8(-1))
    inside = fx.make_fragment_like(registers, fx.Boolean)
    for n in fx.range_constexpr(8):
        inside[n] = fx.elem_less(where[n], x.shape)
    fx.copy(copy, source, registers, pred=inside)
    for n in fx.range_constexpr(8):
        y[fx.thread_idx.x, n] = registers[n]


@flyc.jit
def tiled_copy(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, column: fx.Int32):
    tiled_copy_kernel(x, y, row, column).launch(grid=1, block=16)


@pytest.mark.parametrize("mark", ["bare", "static", "dynamic rows"])
def test_a_tile_that_overhangs_the_end_of_a_large_tensor(mark: str):
    shape = (ROWS - 3, ROWS - 7)
    x, y = sparse(shape[0] * shape[1]).reshape(shape), np.zeros((16, 8), np.int8)
    row, column = shape[0] // 8, shape[1] // 16
    tile = np.full((8, 16), -1)
    corner = x[row * 8 :, column * 16 :]
    corner[:] = np.arange(corner.size).reshape(corner.shape)
    tile[: corner.shape[0], : corner.shape[1]] = corner
    tiled_copy(MARKS[mark](x), y, row, column)
    np.testing.assert_array_equal(y, tile.reshape(16, 8))


@flyc.kernel
def coordinates_kernel(x: fx.Tensor, y: fx.Tensor, index: fx.Int64):
    coord = fx.idx2crd(index, x)
    y[0], y[1] = fx.get_scalar(coord[0]), fx.get_scalar(coord[1])
    y[2] = fx.get_scalar(fx.get_1d_coord(index, x))
    flat = fx.get_flat_coord(index, x)
    y[3], y[4] = fx.get_scalar(flat[0]), fx.get_scalar(flat[1])


@flyc.jit
def coordinates(x: fx.Tensor, y: fx.Tensor, index: fx.Int64):
    coordinates_kernel(x, y, index).launch(grid=1, block=1)


def test_coordinates_of_an_index_of_64_bits():
    x, y = sparse(ROWS * ROWS).reshape(ROWS, ROWS), np.zeros(5, np.int64)
    coordinates(flyc.from_dlpack(x), y, 49_990 * ROWS + 1234)
    assert list(y) == [49_990, 1234, 49_990 + 1234 * ROWS, 49_990, 1234]


def test_a_tensor_that_has_grown_needs_new_marks():
    x = np.zeros((4, 4), np.int8)
    marked = flyc.from_dlpack(x).mark_layout_dynamic()
    marked.tensor = sparse(ROWS * ROWS).reshape(ROWS, ROWS)
    with pytest.raises(ShapeError, match="the tensor has grown since its layout was marked"):
        square(marked, np.zeros((4, 6), np.int64), 0)
