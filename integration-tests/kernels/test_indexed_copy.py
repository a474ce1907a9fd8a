"""gather and scatter against NumPy's indexing."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

THREADS, PER_THREAD = 32, 3


def indexed(function, width, values):
    """A launch of one block: thread t moves rows `index[3 t ..]` of `values` floats below `n` by `function`."""

    @flyc.kernel
    def kernel(table: fx.Tensor, index: fx.Tensor, rows: fx.Tensor, n: fx.Int32):
        atom = fx.make_copy_atom({32: fx.UniversalCopy32b, 64: fx.UniversalCopy64b}[width](), fx.Float32)
        start = fx.thread_idx.x * PER_THREAD
        offsets = fx.make_rmem_tensor(PER_THREAD, fx.Int32)
        pred = fx.make_rmem_tensor(PER_THREAD, fx.Boolean)
        for i in fx.range_constexpr(PER_THREAD):
            pred[i] = start + i < n
            offsets[i] = fx.Int32(0)
            if start + i < n:
                offsets[i] = index[start + i] * values
        mine = fx.make_view(fx.get_iter(rows) + start * values, fx.make_layout((values, PER_THREAD), (1, values)))
        if fx.const_expr(function == "gather"):
            registers = fx.make_fragment_like(mine)
            fx.gather(atom, fx.get_iter(table), offsets, registers, pred=pred)
            fx.copy(atom, registers, mine, pred=pred)
        else:
            registers = fx.make_fragment_like(mine)
            fx.copy(atom, mine, registers, pred=pred)
            fx.scatter(atom, registers, fx.get_iter(table), offsets, pred=pred)

    @flyc.jit
    def launch(table: fx.Tensor, index: fx.Tensor, rows: fx.Tensor, n: fx.Int32):
        kernel(table, index, rows, n).launch(grid=1, block=THREADS)

    return launch


@pytest.mark.parametrize(("width", "values"), [(32, 1), (32, 5), (64, 2), (64, 6)])
@pytest.mark.parametrize("n", [1, 61, THREADS * PER_THREAD])
def test_gather_reads_the_rows_of_an_index(width, values, n, rng):
    table = rng.standard_normal((50, values)).astype(np.float32)
    index = rng.integers(0, 50, n).astype(np.int32)
    rows = np.full((THREADS * PER_THREAD, values), -1, np.float32)
    indexed("gather", width, values)(table, index, rows, n)
    np.testing.assert_array_equal(rows[:n], table[index])
    np.testing.assert_array_equal(rows[n:], -1)


@pytest.mark.parametrize(("width", "values"), [(32, 1), (32, 5), (64, 2), (64, 6)])
@pytest.mark.parametrize("n", [1, 61, THREADS * PER_THREAD])
def test_scatter_writes_the_rows_of_an_index(width, values, n, rng):
    index = rng.permutation(THREADS * PER_THREAD)[:n].astype(np.int32)
    rows = rng.standard_normal((THREADS * PER_THREAD, values)).astype(np.float32)
    table = np.full((THREADS * PER_THREAD, values), -1, np.float32)
    expected = table.copy()
    expected[index] = rows[:n]
    indexed("scatter", width, values)(table, index, rows, n)
    np.testing.assert_array_equal(table, expected)


def test_a_histogram_is_an_atomic_scatter(rng):
    @flyc.kernel
    def kernel(bins: fx.Tensor, index: fx.Tensor):
        offsets, one = fx.make_rmem_tensor(1, fx.Int32), fx.make_rmem_tensor((1, 1), fx.Int32)
        offsets[0] = index[fx.thread_idx.x]
        one.fill(1)
        fx.scatter(fx.make_copy_atom(fx.UniversalAtomicAdd(fx.Int32), fx.Int32), one, fx.get_iter(bins), offsets)

    @flyc.jit
    def histogram(bins: fx.Tensor, index: fx.Tensor):
        kernel(bins, index).launch(grid=1, block=200)

    index, bins = rng.integers(0, 7, 200).astype(np.int32), np.zeros(7, np.int32)
    histogram(bins, index)
    np.testing.assert_array_equal(bins, np.bincount(index, minlength=7))


@pytest.mark.parametrize(
    ("offsets", "base", "message"),
    [(4, True, "needs 3 offsets"), (3, False, "needs a pointer to start from")],
)
def test_what_does_not_fit_is_refused(offsets, base, message):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
        offset_tensor, dst = fx.make_rmem_tensor(offsets, fx.Int32), fx.make_rmem_tensor((1, 3), fx.Float32)
        fx.gather(atom, fx.get_iter(x) if base else 3, offset_tensor, dst)

    @flyc.jit
    def launch(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match=message):
        launch(np.zeros(4, np.float32))
