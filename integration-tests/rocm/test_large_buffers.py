"""Buffer tensors of gigabytes: what 32-bit byte offsets reach is reached, and what they do not is refused."""

from __future__ import annotations

import numpy as np
import pytest
from support.sparse import GIB, sparse

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, IRError, RuntimeFailure
from flydsl_hipsim.bench import HipsimBench

CHIPS = ("gfx942", "gfx1100")


@flyc.kernel
def read_kernel(x: fx.Tensor, y: fx.Tensor, base: fx.Int32):
    i = fx.thread_idx.x
    memory = fx.rocdl.make_buffer_tensor(x)
    y[i, 0] = memory[base + i, 1]
    y[i, 1] = memory[3, i]
    tiles = fx.zipped_divide(memory, fx.make_tile(16, 8))
    tile = fx.slice(tiles, (None, ((base + i) // 16, 0)))
    y[i, 2] = tile[(base + i) % 16, 1]


@flyc.jit
def read(x: fx.Tensor, y: fx.Tensor, base: fx.Int32):
    read_kernel(x, y, base).launch(grid=1, block=4)


def large(rows: int, columns: int, dtype: type) -> np.ndarray:
    return sparse(rows * columns * np.dtype(dtype).itemsize).view(dtype).reshape(rows, columns)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("mark", [lambda x: x, flyc.from_dlpack], ids=["bare", "static"])
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
def test_a_buffer_reaches_almost_four_gigabytes(dtype, mark, chip: str, hipsim: HipsimBench):
    hipsim.use(chip)
    columns = 1 << 16
    x = large((4 * GIB) // columns // np.dtype(dtype).itemsize - 1, columns, dtype)
    y, base = np.zeros((4, 3), dtype), len(x) - 4
    x[base:, 1], x[3, :4] = np.arange(4) + 1, np.arange(4) + 11
    read(mark(x), y, base)
    i = np.arange(4)
    np.testing.assert_array_equal(y, np.stack([i + 1, i + 11, i + 1], axis=1))


@pytest.mark.parametrize("chip", CHIPS)
def test_a_tensor_of_more_is_refused_or_traps(chip: str, hipsim: HipsimBench):
    hipsim.use(chip)
    x, y = large(1 << 16, (1 << 16) + 1, np.int8), np.zeros((4, 3), np.int8)
    with pytest.raises(
        FrontendError, match=r"a buffer tensor reaches 4294967295 bytes, and .* has 4295032832 elements"
    ):
        read(flyc.from_dlpack(x), y, 0)
    with pytest.raises(RuntimeFailure, match="the kernel trapped"):
        read(x, y, 0)


def test_an_offset_beyond_a_buffer_is_refused(hipsim: HipsimBench):
    hipsim.use("gfx942")

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, at: fx.Constexpr[int]):
        y[0] = (fx.rocdl.make_buffer_ptr(fx.get_iter(x)) + at).load()

    @flyc.jit
    def run(x: fx.Tensor, y: fx.Tensor, at: fx.Constexpr[int]):
        kernel(x, y, at).launch(grid=1, block=1)

    x, y = sparse(4 * GIB), np.zeros(1, np.int8)
    x[(3 << 30) + 5] = 7
    run(x, y, (3 << 30) + 5)
    assert y[0] == 7
    with pytest.raises(IRError, match="an offset of 4294967296 elements of i8 is beyond the 4294967295 bytes"):
        run(x, y, 1 << 32)
