"""Copies that combine with memory in one step, with threads of many blocks at the same places."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

GRID, BLOCK, PLACES = 12, 96, 3
N = GRID * BLOCK
INTEGERS = {"int8": fx.Int8, "int32": fx.Int32, "uint32": fx.Uint32, "int64": fx.Int64, "uint64": fx.Uint64}
FLOATS = {"float16": fx.Float16, "float32": fx.Float32, "float64": fx.Float64}


def combined(word: str, dtype, x: np.ndarray, start: np.ndarray, **keywords) -> np.ndarray:
    """`start` after thread i has combined x[i] into place i % PLACES."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.block_idx.x * BLOCK + fx.thread_idx.x
        register = fx.make_rmem_tensor(1, dtype)
        register[0] = x[i]
        atom = fx.make_copy_atom(getattr(fx, f"UniversalAtomic{word}")(dtype, **keywords), dtype)
        fx.copy(atom, register, fx.make_view(fx.get_iter(y) + i % PLACES, fx.make_layout(1, 1)))

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=GRID, block=BLOCK)

    y = start.copy()
    host(x, y)
    return y


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("word", ["Add", "Max", "Min", "And", "Or"])
def test_integers(word, name):
    info, rng = np.iinfo(name), np.random.default_rng(3)
    x = rng.integers(info.min, info.max, N, dtype=name, endpoint=True)
    start = rng.integers(info.min, info.max, PLACES, dtype=name, endpoint=True)
    function = {"Add": np.add, "Max": np.maximum, "Min": np.minimum, "And": np.bitwise_and, "Or": np.bitwise_or}[word]
    with np.errstate(over="ignore"):
        expected = [reduce(function, x[place::PLACES], start[place]) for place in range(PLACES)]
    np.testing.assert_array_equal(combined(word, INTEGERS[name], x, start), expected)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("word", ["Add", "Max", "Min"])
def test_floats(word, name):
    x = np.random.default_rng(5).integers(-3, 4, N).astype(name)
    x[7] = np.nan if word != "Add" else 0
    start = np.array([0.5, -100, 100], name)
    function = {"Add": np.add, "Max": np.fmax, "Min": np.fmin}[word]
    expected = [reduce(function, x[place::PLACES], start[place]) for place in range(PLACES)]
    np.testing.assert_array_equal(combined(word, FLOATS[name], x, start), expected)


@pytest.mark.parametrize("name", ["uint32", "int32", "uint64"])
def test_counters_start_again(name):
    top, start = np.full(N, 100, name), np.array([0, 99, 7], name)
    up = combined("Inc", INTEGERS[name], top, start)
    np.testing.assert_array_equal(up, (start + N // PLACES) % 101)
    down = combined("Dec", INTEGERS[name], top, start)
    np.testing.assert_array_equal(down, (start.astype(int) - N // PLACES) % 101)


def test_a_tile_of_registers_is_added_with_a_predicate():
    @flyc.kernel
    def kernel(y: fx.Tensor, n: fx.Int32):
        ones, inside = fx.make_rmem_tensor((1, 4), fx.Float32), fx.make_rmem_tensor((1, 4), fx.Boolean)
        ones.fill(1.0)
        for k in fx.range_constexpr(4):
            inside[0, k] = fx.thread_idx.x * 4 + k < n
        atom = fx.make_copy_atom(fx.UniversalAtomic(fx.AtomicOp.Add, fx.Float32), fx.Float32)
        fx.copy(atom, ones, fx.make_view(fx.get_iter(y), fx.make_layout((1, 4), (1, 1))), pred=inside)

    @flyc.jit
    def host(y: fx.Tensor, n: fx.Int32):
        kernel(y, n).launch(grid=1, block=BLOCK)

    y = np.zeros(4, np.float32)
    host(y, 4 * 50 + 1)
    np.testing.assert_array_equal(y, [51, 50, 50, 50])


def test_what_cannot_be_combined_is_refused():
    with pytest.raises(FrontendError, match="no atomic And on Float32; possible: Add, Max, Min"):
        fx.UniversalAtomicAnd(fx.Float32)
    with pytest.raises(FrontendError, match="found Float8E5M2"):
        fx.UniversalAtomicAdd(fx.Float8E5M2)
    with pytest.raises(FrontendError, match="numeric type such as fx.Int32, found 32"):
        fx.UniversalAtomicAdd(32)
    with pytest.raises(FrontendError, match=r"one of fx\.AtomicOp, found 'add'"):
        fx.UniversalAtomic("add", fx.Int32)
    made = fx.CopyOpUniversalAtomicType.get(fx.AtomicOp.Max, fx.Uint32, "agent")
    assert str(made.ir_type()) == '!fly.universal_atomic<max, ui32, "agent">'
