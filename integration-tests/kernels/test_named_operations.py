"""Single operations of arithmetic by MLIR's names (`fx.arith.minsi`), and other names of kernels written elsewhere."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.utils import arith as foreign_arith

pytestmark = pytest.mark.filterwarnings("ignore::flydsl.base.errors.UnwatchedValueWarning")  # pytest rewrites asserts
N = 64


def unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: function(a.view(np.uint32), b.view(np.uint32)).view(np.int32)


def truncated(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.trunc(a.astype(np.float64) / b).astype(np.int32)


INTEGERS: dict[str, Callable[..., Any]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "shli": lambda a, b: a << (b & 31),
    "shrsi": lambda a, b: a >> (b & 31),
    "shrui": unsigned(lambda a, b: a >> (b & np.uint32(31))),
    "divsi": truncated,
    "remsi": lambda a, b: a - truncated(a, b) * b,
    "floordivsi": operator.floordiv,
    "ceildivsi": lambda a, b: -(-a // b),
    "divui": unsigned(operator.floordiv),
    "remui": unsigned(operator.mod),
    "ceildivui": unsigned(lambda a, b: (a // b) + (a % b != 0)),
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "minui": unsigned(np.minimum),
    "maxui": unsigned(np.maximum),
}
FLOATS: dict[str, Callable[..., Any]] = {
    "addf": operator.add,
    "subf": operator.sub,
    "mulf": operator.mul,
    "divf": operator.truediv,
    "remf": np.fmod,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
}


@flyc.kernel
def combine(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, name: fx.Constexpr[str]):
    i = fx.thread_idx.x
    a, b = x[i], y[i]
    if fx.const_expr(name.startswith("sh")):
        b = b & 31
    function = getattr(fx.arith, name)
    z[0, i] = function(a, b)
    lanes = function(fx.Vector.from_elements([a, b]), fx.Vector.from_elements([b, b]))
    z[1, i] = lanes[0]
    z[2, i] = function(a.ir_value(), b.ir_value())  # as raw bindings give them


@flyc.jit
def run_combine(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, name: fx.Constexpr[str]):
    combine(x, y, z, name).launch(grid=1, block=N)


@pytest.mark.parametrize("name", INTEGERS)
def test_operations_of_integers(name: str) -> None:
    rng = np.random.default_rng(3)
    x, y = (rng.integers(-(2**31), 2**31, N, dtype=np.int32) for _ in range(2))
    y = np.where(np.arange(N) % 2, y, rng.integers(1, 9, N, dtype=np.int32))
    z = np.zeros((3, N), np.int32)
    run_combine(x, y, z, name)
    with np.errstate(over="ignore"):
        expected = INTEGERS[name](x, y)
    for row in z:
        np.testing.assert_array_equal(row, expected)


@pytest.mark.parametrize("name", FLOATS)
def test_operations_of_floats(name: str) -> None:
    rng = np.random.default_rng(4)
    x, y = (rng.standard_normal(N).astype(np.float32) for _ in range(2))
    if name.startswith(("max", "min")):
        x[3], y[5] = np.nan, np.nan
    z = np.zeros((3, N), np.float32)
    run_combine(x, y, z, name)
    for row in z:
        np.testing.assert_allclose(row, FLOATS[name](x, y), rtol=3e-7)


@flyc.kernel
def convert(x: fx.Tensor, y: fx.Tensor):
    i = fx.arith.index_cast(fx.Int32.ir_type, fx.gpu.thread_id("x"))
    arith = foreign_arith
    y[0, i] = arith.bitcast(fx.Int32.ir_type, x[i])
    y[1, i] = arith.fptosi(fx.Int32, x[i])
    y[2, i] = arith.extsi(fx.Int32.ir_type, arith.trunci(fx.Int8.ir_type, y[0, i]))
    y[3, i] = arith.extui(fx.Int32.ir_type, arith.trunci(fx.Int8, y[0, i]))
    y[4, i] = arith.bitcast(fx.Int32, arith.extf(fx.Float32.ir_type, arith.trunc_f(fx.Float16.ir_type, x[i])))
    y[5, i] = arith.fptosi(fx.Int32, arith.sitofp(fx.Float32.ir_type, i) + arith.uitofp(fx.Float32, i))
    y[6, i] = arith.select(arith.cmpi(arith.CmpIPredicate.slt, i, arith.constant(9)), 5, i)
    y[7, i] = arith.AddIOp(i, arith.MulIOp(i, arith.constant(3, type=fx.Int32.ir_type)).result).result
    vector = arith.constant_vector(2.5, fx.Float32x4) if fx.const_expr(hasattr(fx, "Float32x4")) else None
    y[8, i] = arith.fptosi(fx.Int32, arith.mulf(vector, arith.constant_vector(2.0, fx.T.f32x4))[3])
    y[9, i] = arith.index_cast(fx.Int32, arith.index(7) + fx.gpu.block_id("x"))
    y[10, i] = fx.Int32(arith.ArithValue(arith._to_raw(i - 5), signed=False) >> 28)
    y[11, i] = fx.gpu.shuffle(i, 3, 32, mode="xor")


@flyc.jit
def run_convert(x: fx.Tensor, y: fx.Tensor):
    convert(x, y).launch(grid=1, block=N)


def test_conversions_constants_and_classes_of_operations() -> None:
    x, y = (np.random.default_rng(5).standard_normal(N) * 99).astype(np.float32), np.zeros((12, N), np.int32)
    run_convert(x, y)
    bits, i = x.view(np.int32), np.arange(N, dtype=np.int32)
    expected = [
        bits,
        x.astype(np.int32),
        bits.astype(np.int8),
        bits.astype(np.uint8),
        x.astype(np.float16).astype(np.float32).view(np.int32),
        2 * i,
        np.where(i < 9, 5, i),
        4 * i,
        np.full(N, 5),
        np.full(N, 7),
        (i - 5).view(np.uint32) >> 28,
        i ^ 3,
    ]
    for row, (found, wanted) in enumerate(zip(y, expected, strict=True)):
        np.testing.assert_array_equal(found, wanted, str(row))


def test_wrong_operands_are_refused() -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        i = fx.thread_idx.x
        with pytest.raises(FrontendError, match="minsi takes two operands of one type, found"):
            fx.arith.minsi(i, fx.Int64(i))
        with pytest.raises(FrontendError, match="addi takes integers, found Float32"):
            fx.arith.addi(x[i], x[i])
        with pytest.raises(FrontendError, match="addf takes floats, found Int32"):
            fx.arith.addf(i, 1)
        with pytest.raises(FrontendError, match="select takes scalars and vectors, found 'a'"):
            fx.arith.select("a", 1, 2)
        with pytest.raises(FrontendError, match="constant_vector takes a vector type"):
            fx.arith.constant_vector(1, fx.Int32)
        with pytest.raises(ValueError, match='thread_id takes "x", "y" or "z", found 0'):
            fx.gpu.thread_id(0)
        with pytest.raises(ValueError, match="shuffle has the modes xor, up, down, idx, found 'left'"):
            fx.gpu.shuffle(i, 1, mode="left")
        with pytest.raises(AttributeError, match="minsx"):
            fx.arith.minsx(i, i)
        with pytest.raises(AttributeError, match="slx"):
            fx.arith.CmpIPredicate.slx
        assert isinstance(i, fx.arith.ArithValue)
        assert not isinstance(3, fx.arith.ArithValue)
        assert fx.arith.current_fastmath() is None
        with fx.fastmath("nnan,contract"):
            assert set(fx.arith.current_fastmath().split(",")) == {"nnan", "contract"}
        assert fx.typing.Int32 is fx.Int32
        x[i] = 0.0

    @flyc.jit
    def run(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    run(np.ones(4, np.float32))
