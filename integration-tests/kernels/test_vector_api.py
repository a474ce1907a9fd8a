"""Methods, aliases and refusals of vectors."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

N = 32


@flyc.jit
def launch(kernel: fx.Constexpr, x: fx.Tensor, y: fx.Tensor, block: fx.Constexpr[int] = 1):
    kernel(x, y).launch(grid=1, block=block)


@flyc.kernel
def alias_results(x: fx.Tensor, y: fx.Tensor):
    p, q = fx.get_iter(x), fx.get_iter(y)
    i = 4 * fx.thread_idx.x
    loaded = (p + i).load(fx.Int32x4)
    words = fx.ptr_load(p + i, fx.T.i32x4)
    (q + 2 * i).store((loaded + words).bitcast(fx.Uint32x4) >> fx.Uint32(1))
    made = fx.Int32x4([i, loaded[1], 7, fx.Int32(i) * 2])
    (q + (2 * i + 4)).store(fx.Int32x4(made.to(fx.Int64)) - fx.Int32x4(1))


def test_aliases_are_constructors_and_result_types():
    x = np.random.default_rng(1).integers(-(2**31), 2**31, N, dtype=np.int32)
    y = np.zeros(2 * N, np.int32)
    launch(alias_results, x, y, block=N // 4)
    groups, i = y.reshape(-1, 8), np.arange(0, N, 4, dtype=np.int32)
    np.testing.assert_array_equal(groups[:, :4].view(np.uint32), ((x + x).view(np.uint32) >> 1).reshape(-1, 4))
    np.testing.assert_array_equal(groups[:, 4:], np.stack([i, x[1::4], np.full_like(i, 7), 2 * i], 1) - 1)


@flyc.kernel
def vector_methods(x: fx.Tensor, y: fx.Tensor):
    v = fx.Vector.load(fx.Float32x8, x, 8)
    w = v[0:8:2].shuffle(v, [3, 4, 0, 11])
    w.store(y, 0)
    grid = v.reshape((2, 4))
    y[4] = grid[1, 2]
    y[5] = grid[-1, -1]
    v.apply_op(operator.sub, 1.0, flip=True)[4:6].store(y, 6, alignment=8)
    grid.reduce(fx.ReductionOp.MAX, reduction_profile=(None, 1)).store(y, 8)
    grid.reduce("add", 0.5, (1, None)).store(y, 10)
    y[14] = grid.reduce(fx.ReductionOp.MUL)
    y[15] = (fx.ones_like(v) + fx.full_like(v, 2) * fx.zeros_like(v) + fx.full(8, 3, fx.Float32)).reduce("add")
    fx.Vector(v[0:2].ir_value()).broadcast_to((2, 2)).reshape(4).store(y, 16)
    y[20] = fx.Float32(fx.empty_like(v, fx.Int8).numel + fx.Vector.zeros_like(v, fx.Int8).dtype.width)


def test_methods_of_vectors():
    x = np.random.default_rng(2).standard_normal(N).astype(np.float32)
    y = np.zeros(21, np.float32)
    launch(vector_methods, x, y)
    v = x[8:16]
    pairs = np.concatenate([v[::2], v])
    grid = v.reshape(2, 4)
    expected = [
        *pairs[[3, 4, 0, 11]],
        grid[1, 2],
        grid[1, 3],
        *(1 - v[4:6]),
        *grid.max(1),
        *(grid.astype(np.float64).sum(0) + 0.5),
        np.prod(v.astype(np.float64)),
        8 * 4,
        *np.tile(v[:2], 2),
        16,
    ]
    np.testing.assert_allclose(y, expected, rtol=1e-5)


@flyc.kernel
def signs(x: fx.Tensor, y: fx.Tensor):
    v = fx.Vector.load(fx.Int8x16, x, 0)
    unsigned = v.with_signedness(False).to(fx.Int32) + v.to(fx.Int32)
    unsigned.store(y, 0)
    halves = fx.Int64(fx.ptr_load(fx.recast_iter(fx.Int64, fx.get_iter(x)))).bitcast(fx.Int32x2)
    y[16], y[17] = halves[0], halves[1]


def test_signs_of_vectors_and_scalars_as_vectors():
    x = np.random.default_rng(3).integers(-128, 128, 16, dtype=np.int8)
    y = np.zeros(18, np.int32)
    launch(signs, flyc.from_dlpack(x, assumed_align=8), y)
    np.testing.assert_array_equal(y[:16], x.view(np.uint8).astype(np.int32) + x)
    np.testing.assert_array_equal(y[16:], x[:8].view(np.int32))


def test_what_vectors_refuse():
    with pytest.raises(FrontendError, match="at least one element"):
        fx.VectorAlias(fx.Float32, 0)
    with pytest.raises(FrontendError, match="numeric type"):
        fx.VectorAlias(fx.Numeric, 4)
    assert fx.VectorAlias(fx.Float32, 4) is fx.Float32x4
    assert fx.VectorAlias(fx.Float32, (2, 3)).shape == (2, 3)
    assert str(fx.Uint8x16.ir_type) == "vector<16xi8>"


@flyc.kernel
def narrow(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    small = fx.ptr_load(fx.get_iter(x) + 4 * i, fx.Float32x4).to(fx.Float8E4M3FN)
    word = small.bitcast(fx.Uint32x1)
    assert fx.Float8E4M3FNx4(small.ir_value()).dtype is fx.Float8E4M3FN
    y[i] = word[0]


def e4m3fn(code):
    """The number that 8 bits stand for: 4 of exponent, 3 of mantissa."""
    exponent, mantissa = code >> 3 & 15, code & 7
    size = mantissa * 2.0**-9 if exponent == 0 else (8 + mantissa) * 2.0 ** (exponent - 10)
    return -size if code & 128 else size


def test_vectors_of_narrow_floats_have_their_bits():
    x = np.random.default_rng(13).standard_normal(N).astype(np.float32) * 20
    y = np.zeros(N // 4, np.uint32)
    launch(narrow, x, y, block=N // 4)
    known = np.array([e4m3fn(code) for code in range(256) if code & 127 != 127])
    found = np.array([e4m3fn(int(code)) for code in y.view(np.uint8)])
    np.testing.assert_array_equal(np.abs(found - x), np.abs(known[:, None] - x).min(0))
