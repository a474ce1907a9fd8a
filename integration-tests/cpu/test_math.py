"""Math functions on the CPU against NumPy in extended precision."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 509
REFERENCES = {
    "absf": np.abs,
    "ceil": np.ceil,
    "cos": np.cos,
    "exp": np.exp,
    "exp2": np.exp2,
    "floor": np.floor,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
ULPS = {"log10": 4.0, "tanh": 2.0, "rsqrt": 2.0}


@flyc.kernel
def functions_kernel(x: fx.Tensor, y: fx.Tensor, names: fx.Constexpr[tuple]):
    i = fx.thread_idx.x
    for index, name in enumerate(names):
        y[index, i] = getattr(fx, name)(x[i])


@flyc.jit
def functions(x: fx.Tensor, y: fx.Tensor, names: fx.Constexpr[tuple]):
    functions_kernel(x, y, names).launch(grid=1, block=N)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_functions_are_within_a_few_units_in_the_last_place(dtype):
    x = (np.abs(np.random.default_rng(4).standard_normal(N)) * 3 + 0.01).astype(dtype)
    y = np.zeros((len(REFERENCES), N), dtype)
    functions(x, y, tuple(REFERENCES))
    for row, (name, reference) in zip(y, REFERENCES.items(), strict=True):
        expected = reference(x.astype(np.longdouble))
        ulps = np.abs(row - expected) / np.spacing(np.abs(expected).astype(dtype))
        assert ulps.max() <= ULPS.get(name, 1.0), name


@flyc.kernel
def joint_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    z[0, i] = fx.fma(x[i], y[i], 0.5)
    z[1, i] = x[i] ** y[i]
    z[2, i] = 2.0 ** x[i]
    v = fx.Vector.from_elements([x[i], y[i]], fx.Float64)
    z[3, i] = fx.sqrt(v).reduce(fx.ReductionOp.ADD)


@flyc.jit
def joint(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    joint_kernel(x, y, z).launch(grid=1, block=N)


def test_functions_of_several_operands_and_of_vectors():
    x, y = np.abs(np.random.default_rng(1).standard_normal((2, N))) + 0.1
    z = np.zeros((4, N))
    joint(x, y, z)
    expected = np.stack([x * y + 0.5, x**y, 2.0**x, np.sqrt(x) + np.sqrt(y)])
    np.testing.assert_allclose(z, expected, rtol=1e-14)
