"""Atoms for tensor moves made of a tensor and a coordinate (`fx.rocdl.make_tiled_tdm_load_atom`), on the simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl_hipsim.bench import HipsimBench

TILE = (4, 8)


@pytest.fixture(autouse=True)
def chip(hipsim: HipsimBench) -> HipsimBench:
    hipsim.use("gfx1250")
    return hipsim


def part(tensor: fx.Tensor, row: Any, column: Any, by_columns: bool) -> fx.Tensor:
    """The tile as the instruction has it: the contiguous mode last."""
    strides = (tensor.stride[1], 1) if by_columns else (tensor.stride[0], 1)
    offset = row * tensor.stride[0] + column * tensor.stride[1]
    return fx.make_view(fx.get_iter(tensor) + offset, fx.make_layout(TILE, strides))


def shared(dtype: Any) -> fx.Tensor:
    place = fx.SharedAllocator().allocate(32 * dtype.width // 8, 128)
    return fx.make_view(fx.recast_iter(dtype, place), fx.make_layout(32, 1))


def loading(by_columns: bool, waves: int) -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, column: fx.Int32):
        lds = shared(x.dtype)
        atom = fx.rocdl.make_tiled_tdm_load_atom(x, (row, column), waves)
        fx.copy(atom, part(x, row, column, by_columns), lds)
        fx.rocdl.tdm_ops.tensor_wait(0)
        fx.barrier()
        if fx.thread_idx.x < 32:
            y[fx.thread_idx.x] = lds[fx.thread_idx.x]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, column: fx.Int32):
        kernel(x, y, row, column).launch(grid=1, block=32 * waves)

    return host


def tile_of(x: np.ndarray, row: int, column: int) -> np.ndarray:
    found = x[row : row + TILE[0], column : column + TILE[1]]
    return np.pad(found, [(0, n - m) for n, m in zip(TILE, found.shape, strict=True)])


@pytest.mark.parametrize("waves", [1, 4])
@pytest.mark.parametrize(("row", "column"), [(0, 0), (7, 9), (8, 3), (2, 12)])
@pytest.mark.parametrize("by_columns", [False, True])
def test_a_tile_is_loaded_by_its_coordinate(by_columns: bool, row: int, column: int, waves: int, rng):
    """The tensor is a part of a larger one, so that what lies beyond it is no zero."""
    x = rng.standard_normal((20, 30)).astype(np.float32)[:9, :13]
    y = np.zeros(32, np.float32)
    if by_columns:
        loading(True, waves)(x.T, y, column, row)
    else:
        loading(False, waves)(x, y, row, column)
    np.testing.assert_array_equal(y.reshape(TILE), tile_of(x, row, column))


@pytest.mark.parametrize("check", [(), (0,), (1,), (0, 1), None])
@pytest.mark.parametrize("by_columns", [False, True])
def test_only_the_modes_asked_for_are_checked(by_columns: bool, check: Any, rng):
    """Mode 0 of a static tensor is axis 0 of the descriptor, or axis 1 where its first mode is the contiguous one."""
    layout = ((13, 9), (1, 30)) if by_columns else ((9, 13), (30, 1))

    @flyc.kernel
    def kernel(whole: fx.Tensor, y: fx.Tensor):
        x = fx.make_view(fx.get_iter(whole), fx.make_layout(*layout))
        lds = shared(fx.Float32)
        first = (9, 7) if by_columns else (7, 9)
        atom = fx.rocdl.make_tiled_tdm_load_atom(x, first, boundary_check=check)
        fx.copy(atom, part(x, *first, by_columns), lds)
        fx.rocdl.tdm_ops.tensor_wait(0)
        y[fx.thread_idx.x] = lds[fx.thread_idx.x]

    @flyc.jit
    def host(whole: fx.Tensor, y: fx.Tensor):
        kernel(whole, y).launch(grid=1, block=32)

    whole, y = rng.standard_normal((20, 30)).astype(np.float32), np.zeros(32, np.float32)
    host(whole.ravel(), y)
    modes = {0, 1} if check is None else {1 - mode if by_columns else mode for mode in check}
    visible = whole[: 9 if 0 in modes else None, : 13 if 1 in modes else None]
    np.testing.assert_array_equal(y.reshape(TILE), tile_of(visible, 7, 9))


@pytest.mark.parametrize(("row", "column"), [(0, 0), (7, 9)])
def test_a_tile_is_stored_within_the_tensor(row: int, column: int, rng):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, column: fx.Int32):
        lds = shared(fx.Float32)
        lds[fx.thread_idx.x] = x[fx.thread_idx.x]
        fx.barrier()
        fx.copy(fx.rocdl.make_tiled_tdm_store_atom(y, (row, column)), lds, part(y, row, column, False))
        fx.rocdl.tdm_ops.tensor_wait(0)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, row: fx.Int32, column: fx.Int32):
        kernel(x, y, row, column).launch(grid=1, block=32)

    x, whole = rng.standard_normal(32).astype(np.float32), np.zeros((20, 30), np.float32)
    expected = whole.copy()
    place = expected[:9, :13][row : row + TILE[0], column : column + TILE[1]]
    place[:] = x.reshape(TILE)[: place.shape[0], : place.shape[1]]
    host(x, whole[:9, :13], row, column)
    np.testing.assert_array_equal(whole, expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: fx.rocdl.make_tiled_tdm_load_atom(x, (0, 0, 0)), "needs a coordinate of 2 integers"),
        (lambda x: fx.rocdl.make_tiled_tdm_load_atom(x, (0, 0), 3), "numWarps must be a positive power of two, got 3"),
        (lambda x: fx.rocdl.make_tiled_tdm_load_atom(x, (0, 0), boundary_check=(2,)), "lists modes from 0 to 1, found"),
        (lambda x: fx.rocdl.make_tiled_tdm_store_atom(7, (0, 0)), "needs a tensor in global memory, found 7"),
        (lambda x: fx.rocdl.make_tiled_tdm_store_atom(x, (0, 0), "2"), "num_warps of .* is an integer"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        make(x)

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=32)

    with pytest.raises(FrontendError, match=message):
        host(np.zeros((8, 8), np.float32))


def test_other_chips_do_not_have_it(chip: HipsimBench):
    chip.use("gfx950")
    with pytest.raises(UnsupportedTargetError, match="gfx950 has no fx.rocdl.make_tiled_tdm_load_atom"):
        loading(False, 1)(np.zeros((9, 13), np.float32), np.zeros(32, np.float32), 0, 0)
