"""Integer division in kernels and on the host: one result for each divisor, zero too."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TYPES = {name: getattr(fx, name.capitalize()) for name in INTEGERS}


def quotient_and_remainder(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Floor and truncated remainder as NumPy has them, with the host's results for divisors without one."""
    with np.errstate(all="ignore"):
        quotient, remainder = a // b, np.fmod(a, b)
    quotient[b == 0] = np.array(-1).astype(a.dtype)
    remainder[b == 0] = a[b == 0]
    if np.issubdtype(a.dtype, np.signedinteger):
        smallest = np.iinfo(a.dtype).min
        overflows = (b == -1) & (a == smallest)
        quotient[overflows], remainder[overflows] = smallest, 0
    return quotient, remainder


def operands(name: str) -> tuple[np.ndarray, np.ndarray]:
    info = np.iinfo(name)
    values = [info.min, info.min + 1, 0, 1, 2, 7, info.max - 1, info.max]
    if info.min < 0:
        values += [-1, -2, -7]
    a, b = (grid.ravel() for grid in np.meshgrid(np.array(values, name), np.array(values, name)))
    return a.copy(), b.copy()


@flyc.kernel
def elements_kernel(x: fx.Tensor, y: fx.Tensor, q: fx.Tensor, r: fx.Tensor):
    i = fx.thread_idx.x
    q[i] = x[i] // y[i]
    r[i] = x[i] % y[i]


@flyc.jit
def elements(x: fx.Tensor, y: fx.Tensor, q: fx.Tensor, r: fx.Tensor, n: fx.Constexpr[int]):
    elements_kernel(x, y, q, r).launch(grid=1, block=n)


@pytest.mark.parametrize("name", INTEGERS)
def test_elements_are_divided_by_every_divisor(name):
    x, y = operands(name)
    q, r = np.zeros_like(x), np.zeros_like(x)
    elements(x, y, q, r, x.size)
    quotient, remainder = quotient_and_remainder(x, y)
    np.testing.assert_array_equal(q, quotient)
    np.testing.assert_array_equal(r, remainder)


@flyc.kernel
def store_kernel(y: fx.Tensor, a, b, q, r):
    y[0], y[1] = a // b, a % b
    y[2], y[3] = q, r


def divide_scalars(dtype, y, a, b):
    @flyc.jit
    def divide(y: fx.Tensor, a: dtype, b: dtype):
        store_kernel(y, a, b, a // b, a % b).launch(grid=1, block=1)

    divide(y, a, b)


@pytest.mark.parametrize("name", ["int32", "int64", "uint32"])
def test_kernel_and_host_divide_scalar_arguments_alike(name):
    x, y = operands(name)
    quotients, remainders = quotient_and_remainder(x, y)
    interesting = np.flatnonzero((y == 0) | (y == np.array(-1).astype(name)) | (np.arange(x.size) % 11 == 0))
    for i in interesting:
        result = np.zeros(4, name)
        divide_scalars(TYPES[name], result, int(x[i]), int(y[i]))
        np.testing.assert_array_equal(result, [quotients[i], remainders[i]] * 2, err_msg=f"{x[i]} by {y[i]}")


@flyc.kernel
def avoided_kernel(x: fx.Tensor, d: fx.Tensor, y: fx.Tensor):
    """What is computed for every divisor, and used where it is not zero, as NumPy's `where` does."""
    i = fx.thread_idx.x
    quotient, remainder, is_zero = x[i] // d[i], x[i] % d[i], d[i] == 0
    y[0, i] = is_zero.select(x.dtype(7), quotient)
    if is_zero:
        y[1, i] = x.dtype(5)
    else:
        y[1, i] = remainder
    y[2, i] = x.dtype(is_zero)


@flyc.jit
def avoided(x: fx.Tensor, d: fx.Tensor, y: fx.Tensor):
    avoided_kernel(x, d, y).launch(grid=1, block=64)


@pytest.mark.parametrize("name", INTEGERS)
def test_a_division_does_not_say_that_its_divisor_is_not_zero(name):
    x, d = (np.arange(64) + 3).astype(name), (np.arange(64) % 5).astype(name)
    y = np.zeros((3, 64), name)
    avoided(x, d, y)
    quotient, remainder = quotient_and_remainder(x, d)
    expected = [np.where(d == 0, 7, quotient), np.where(d == 0, 5, remainder), d == 0]
    np.testing.assert_array_equal(y, np.stack(expected).astype(name))
