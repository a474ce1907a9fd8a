"""Operations of numbers beside what they mean, and kernels that do all of a table at once: compiling is paid once."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.arithmetic import maximum, maximum_number, minimum, minimum_number
from flydsl.compiler.jit import JitFunction

THREADS = 32
Array = np.ndarray[Any, Any]


class Row(NamedTuple):
    """What a kernel writes of numbers `a`, `b`, a divisor `c` and places to shift by `d`, and what it has to be.

    Of two zeros either is right where `either_zero` says so.
    """

    name: str
    written: Callable[[Any, Any, Any, Any], Any]
    meaning: Callable[[Any, Any, Any, Any], Any]
    either_zero: bool = False


def _binary(name: str, function: Callable[[Any, Any], Any]) -> Row:
    return Row(name, lambda a, b, c, d: function(a, b), lambda a, b, c, d: function(a, b))


COMPARISONS = tuple(
    _binary(name, function)
    for name, function in (
        *(("==", operator.eq), ("!=", operator.ne), ("<", operator.lt)),
        *(("<=", operator.le), (">", operator.gt), (">=", operator.ge)),
    )
)
_BITS = (("&", operator.and_), ("|", operator.or_), ("^", operator.xor))
_INTEGERS = (
    *(_binary(name, function) for name, function in (("+", operator.add), ("-", operator.sub), ("*", operator.mul))),
    *(_binary(name, function) for name, function in _BITS),
    Row("~a", lambda a, b, c, d: ~a, lambda a, b, c, d: ~a),
    Row("-a", lambda a, b, c, d: -a, lambda a, b, c, d: -a),
    Row("abs(a)", lambda a, b, c, d: abs(a), lambda a, b, c, d: abs(a)),
    Row("max(a, b)", lambda a, b, c, d: fx.max(a, b), lambda a, b, c, d: max(a, b)),
    Row("min(a, b)", lambda a, b, c, d: fx.min(a, b), lambda a, b, c, d: min(a, b)),
    Row("(a < b).select(a, c)", lambda a, b, c, d: (a < b).select(a, c), lambda a, b, c, d: a if a < b else c),
    *COMPARISONS,
    Row("a // c", lambda a, b, c, d: a // c, lambda a, b, c, d: a // c),
    Row("a % c", lambda a, b, c, d: a % c, lambda a, b, c, d: int(math.copysign(1, a)) * (abs(a) % abs(c))),
    Row("ceildiv(a, c)", lambda a, b, c, d: fx.arith.ceildiv(a, c), lambda a, b, c, d: -(-a // c)),
    Row("a << d", lambda a, b, c, d: a << d, lambda a, b, c, d: a << d),
    Row("a >> d", lambda a, b, c, d: a >> d, lambda a, b, c, d: a >> d),
)


@cache
def integers(bits: int) -> tuple[Row, ...]:
    """The operations of integers of that many bits."""
    mask = (1 << bits) - 1
    return (
        *_INTEGERS,
        Row("shrui(a, d)", lambda a, b, c, d: fx.shrui(a, d), lambda a, b, c, d: (a & mask) >> d),
        Row("ctpop(a)", lambda a, b, c, d: fx.ctpop(a), lambda a, b, c, d: (a & mask).bit_count()),
        Row("ctlz(a)", lambda a, b, c, d: fx.ctlz(a), lambda a, b, c, d: bits - (a & mask).bit_length()),
        Row("cttz(a)", lambda a, b, c, d: fx.cttz(a), lambda a, b, c, d: (a & -a).bit_length() - 1 if a else bits),
    )


def _of_numpy(function: Any) -> Callable[[Any, Any, Any, Any], Any]:
    return lambda a, b, c, d: function(a, b)


def _of_python(function: Callable[[float, float], float]) -> Callable[[Any, Any, Any, Any], Any]:
    return lambda a, b, c, d: type(a)(function(float(a), float(b)))


def _whole(function: Callable[[float], int]) -> Callable[[Any, Any, Any, Any], Any]:
    return lambda a, b, c, d: type(a)(math.copysign(function(float(a)), a)) if np.isfinite(a) else a


FLOATS = (
    _binary("+", operator.add),
    _binary("-", operator.sub),
    Row("*", lambda a, b, c, d: a * b, _of_numpy(np.multiply)),
    Row("/", lambda a, b, c, d: a / b, _of_numpy(np.divide)),
    Row("//", lambda a, b, c, d: a // b, _of_numpy(np.floor_divide)),
    Row("%", lambda a, b, c, d: a % b, _of_numpy(np.remainder)),
    Row("maximumf(a, b)", lambda a, b, c, d: fx.maximumf(a, b), _of_python(maximum)),
    Row("minimumf(a, b)", lambda a, b, c, d: fx.minimumf(a, b), _of_python(minimum)),
    Row("maxnumf(a, b)", lambda a, b, c, d: fx.maxnumf(a, b), _of_python(maximum_number), either_zero=True),
    Row("minnumf(a, b)", lambda a, b, c, d: fx.minnumf(a, b), _of_python(minimum_number), either_zero=True),
    Row("-a", lambda a, b, c, d: -a, lambda a, b, c, d: -a),
    Row("abs(a)", lambda a, b, c, d: abs(a), lambda a, b, c, d: abs(a)),
    Row("floor(a)", lambda a, b, c, d: fx.floor(a), _whole(math.floor)),
    Row("ceil(a)", lambda a, b, c, d: fx.ceil(a), _whole(math.ceil)),
    Row("trunc(a)", lambda a, b, c, d: fx.trunc(a), _whole(math.trunc)),
    Row("roundeven(a)", lambda a, b, c, d: fx.roundeven(a), _whole(round)),
    Row("isnan(a)", lambda a, b, c, d: fx.isnan(a), lambda a, b, c, d: np.isnan(a)),
    Row("isinf(a)", lambda a, b, c, d: fx.isinf(a), lambda a, b, c, d: np.isinf(a)),
    Row("isfinite(a)", lambda a, b, c, d: fx.isfinite(a), lambda a, b, c, d: np.isfinite(a)),
    Row("(a < b).select(a, b)", lambda a, b, c, d: (a < b).select(a, b), lambda a, b, c, d: a if a < b else b),
    *COMPARISONS,
)


def integer_operands(dtype: str) -> Array:
    """Pairs of the numbers of a type at which mistakes show, with a divisor and places to shift by; shape (4, n)."""
    info = np.iinfo(dtype)
    near = [0, 1, 2, 3, 7, 10, info.max, info.max - 1, info.max // 2 + 1, info.max // 3, 1 << (info.bits // 2)]
    numbers = sorted({*near, *([] if info.min == 0 else [-1, -2, -3, -7, -10, info.min, info.min + 1, info.min // 2])})
    columns = []
    for count, (a, b) in enumerate(product(numbers, numbers)):
        divisor = b if b and info.min <= a // b <= info.max else 3
        columns.append((a, b, divisor, count % info.bits))
    return np.array(columns, dtype).T


def float_operands(dtype: str) -> Array:
    """Pairs of the floats at which mistakes show: zeros, ties, infinities, NaN, the least and the largest; (4, n)."""
    info = np.finfo(dtype)
    some: list[Any] = [0.0, 0.1, 0.5, 0.7, 1.0, 1.5, 2.5, 3.0, 6.0, 1 + info.eps, 1 - info.epsneg, 1 / info.eps - 0.5]
    some += [info.max, info.tiny, info.smallest_subnormal, math.inf]
    numbers = [math.nan, *some, *(-value for value in some)]
    others = [math.nan, 0.0, -0.0, 0.1, 1.0, -2.5, 3.0, info.tiny, -info.max, math.inf, -math.inf]
    with np.errstate(all="ignore"):
        pairs = np.array(list(product(numbers, others)), dtype).T
    return np.stack([*pairs, *pairs])


def expected(rows: Sequence[Row], operands: Array) -> Array:
    """What the rows have to be of each column, in the type of the operands."""
    is_float, dtype = operands.dtype.kind == "f", operands.dtype
    modulus = 1 << (8 * dtype.itemsize)
    with np.errstate(all="ignore"):
        if is_float:
            return np.array([[row.meaning(*column) for column in operands.T] for row in rows], dtype)
    columns = operands.T.tolist()
    exact = [[int(row.meaning(*column)) % modulus for column in columns] for row in rows]
    return np.array(exact, f"uint{8 * dtype.itemsize}").view(dtype)


@cache
def table_of(rows: tuple[Row, ...]) -> JitFunction:
    """A host function (operands of shape (4, n), results of shape (rows, n)), n a multiple of `THREADS`."""
    written = [row.written for row in rows]

    @flyc.kernel
    def compute(x: fx.Tensor, y: fx.Tensor) -> None:
        i = fx.block_idx.x * THREADS + fx.thread_idx.x
        a, b, c, d = x[0, i], x[1, i], x[2, i], x[3, i]
        for row in fx.range_constexpr(len(written)):
            y[row, i] = written[row](a, b, c, d).to(y.element_type)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor) -> None:
        compute(x, y).launch(grid=fx.get_scalar(x.shape[1]) // THREADS, block=THREADS)

    return host


def padded(operands: Array) -> Array:
    """The same with the last column repeated, up to whole blocks."""
    return np.concatenate([operands, np.repeat(operands[:, -1:], -operands.shape[1] % THREADS, axis=1)], axis=1)
