"""Boolean tensors: one byte an element in memory, i1 values in kernels, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

N = 33


def flags(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, shape).astype(bool)


@flyc.kernel
def combine(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, counts: fx.Tensor):
    i = fx.thread_idx.x
    a, b = x[i], y[i]
    z[i] = a & ~b
    if a:
        counts[i] += 1
    counts[i] += b.to(fx.Int32) * 10


@flyc.jit
def run_combine(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, counts: fx.Tensor):
    combine(x, y, z, counts).launch(grid=1, block=x.shape[0])


def check_combine(function) -> None:
    x, y, z, counts = flags(N), flags(N, seed=1), np.ones(N, bool), np.zeros(N, np.int32)
    function(x, y, z, counts)
    np.testing.assert_array_equal(z, x & ~y)
    np.testing.assert_array_equal(counts, x + 10 * y.astype(np.int32))
    assert set(z.view(np.uint8)) <= {0, 1}


def test_elements_are_truth_values():
    check_combine(run_combine)


def test_the_interpreter_agrees():
    check_combine(flyc.interpret(run_combine))


def test_a_byte_that_is_neither_0_nor_1_counts_as_true():
    x = np.array([0, 1, 2, 255] * 8 + [4], np.uint8).view(bool)
    z, counts = np.zeros(N, bool), np.zeros(N, np.int32)
    run_combine(x, np.zeros(N, bool), z, counts)
    np.testing.assert_array_equal(z.view(np.uint8), x.view(np.uint8) != 0)
    np.testing.assert_array_equal(counts, x.view(np.uint8) != 0)


@flyc.kernel
def negate_rows(x: fx.Tensor, y: fx.Tensor, shared: fx.Constexpr[bool]):
    row = x[fx.thread_idx.x, None]
    values = row.load()
    if fx.const_expr(shared):
        storage = fx.SharedAllocator().allocate(fx.Array[fx.Boolean, 4 * 7])
        mine = fx.make_view(storage.ptr, fx.make_layout((4, 7), (7, 1)))[fx.thread_idx.x, None]
        for column in fx.range_constexpr(7):
            mine[column] = row[column]
        values = mine.load()
    y[fx.thread_idx.x, None].store(~values)


@pytest.mark.parametrize("shared", [False, True])
def test_vectors_of_elements_are_loaded_and_stored(shared):
    x = flags(4, 7, seed=2)
    y = np.zeros_like(x)

    @flyc.jit
    def run(x: fx.Tensor, y: fx.Tensor):
        negate_rows(x, y, shared).launch(grid=1, block=4)

    run(flyc.from_dlpack(x), flyc.from_dlpack(y))
    np.testing.assert_array_equal(y, ~x)


@flyc.kernel
def copy_where(x: fx.Tensor, y: fx.Tensor, mask: fx.Tensor, kept: fx.Tensor):
    i = fx.block_idx.x
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    byte = fx.make_copy_atom(fx.UniversalCopy8b(), fx.Boolean)
    parts = [fx.slice(fx.zipped_divide(t, 4), (None, i)) for t in (x, y, mask, kept)]
    pred = fx.make_fragment_like(parts[2])
    fx.copy(byte, parts[2], pred)
    fx.copy(byte, pred, parts[3])
    registers = fx.make_fragment_like(parts[0])
    registers.fill(-1.0)
    each = fx.make_layout((1, 4), (0, 1))
    fx.copy(atom, fx.make_view(parts[0].iter, each), fx.make_view(registers.iter, each), pred=pred)
    fx.copy(atom, registers, parts[1])


def test_a_mask_in_memory_predicates_copies():
    n = 4 * 9
    x, mask = np.random.default_rng(3).standard_normal(n).astype(np.float32), flags(n, seed=4)
    y, kept = np.zeros_like(x), np.zeros(n, bool)

    @flyc.jit
    def run(x: fx.Tensor, y: fx.Tensor, mask: fx.Tensor, kept: fx.Tensor):
        copy_where(x, y, mask, kept).launch(grid=9, block=1)

    run(*(flyc.from_dlpack(t) for t in (x, y, mask, kept)))
    np.testing.assert_array_equal(y, np.where(mask, x, np.float32(-1)))
    np.testing.assert_array_equal(kept, mask)


@flyc.kernel
def bad_predicate(x: fx.Tensor, mask: fx.Tensor):
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    registers = fx.make_rmem_tensor(1, fx.Float32)
    fx.copy(atom, fx.slice(fx.zipped_divide(x, 1), (None, 0)), registers, pred=mask)


def test_a_predicate_of_numbers_is_refused():
    @flyc.jit
    def run(x: fx.Tensor, mask: fx.Tensor):
        bad_predicate(x, mask).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match=r"pred of copy is a tensor of fx.Boolean, found Uint8"):
        run(np.zeros(4, np.float32), np.ones(4, np.uint8))
