"""Rules of numbers beside those of single operations: unsigned sizes, operands of `and` and `or`, counts, literals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, FrontendError, OutOfRangeWarning

UNSIGNED = {
    "uint8": ([200, 255, 3, 128], [2, 7, 2, 16]),
    "uint32": ([3_000_000_000, 2**32 - 1, 5, 2**31], [2, 7, 2, 256]),
    "uint64": ([2**63 + 5, 2**64 - 1, 5, 2**32], [2, 7, 2, 256]),
}


@flyc.kernel
def divide_sizes(a: fx.Tensor, b: fx.Tensor, o: fx.Tensor):
    i = fx.thread_idx.x
    x, y = a[i], b[i]
    o[0, i], o[1, i] = fx.ceil_div(x, y), fx.ceil_div(x, 3)
    o[2, i], o[3, i] = fx.int_tuple_div(x, y), fx.int_tuple_mod(x, y)


@flyc.jit
def run_divide_sizes(a: fx.Tensor, b: fx.Tensor, o: fx.Tensor):
    divide_sizes(a, b, o).launch(grid=1, block=4)


@pytest.mark.parametrize("name", UNSIGNED)
def test_unsigned_sizes_are_divided_without_a_sign(name):
    a, b = (np.array(values, name) for values in UNSIGNED[name])
    o = np.zeros((4, 4), name)
    run_divide_sizes(a, b, o)
    x, y = a.astype(object), b.astype(object)
    np.testing.assert_array_equal(o.astype(object), [-(-x // y), -(-x // 3), x // y, x % y])


@flyc.kernel
def mark_block(o: fx.Tensor, n: fx.Uint32):
    layout = fx.make_layout(n, 2)
    if fx.thread_idx.x == 0:
        o[0, fx.block_idx.x] = 1
        o[1, fx.block_idx.x] = fx.Int64(fx.get_scalar(fx.cosize(layout)))


@flyc.jit
def run_mark_block(o: fx.Tensor, n: fx.Uint32):
    mark_block(o, n).launch(grid=fx.ceil_div(n, 1 << 28), block=32)


def test_a_grid_and_a_layout_of_an_unsigned_number():
    o = np.zeros((2, 20), np.int64)
    run_mark_block(o, 3_000_000_000)
    assert o[0].sum() == -(-3_000_000_000 // (1 << 28))
    assert o[1, 0] == 2 * 3_000_000_000 - 1


def test_a_layout_has_no_room_for_128_bits():
    @flyc.kernel
    def kernel(o: fx.Tensor):
        o[0] = fx.get_scalar(fx.make_int_tuple(fx.Int128(o[0])))

    @flyc.jit
    def host(o: fx.Tensor):
        kernel(o).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match=r"counts with 64 bits, found Int128; convert it with fx.Int64"):
        host(np.zeros(1, np.int64))


@flyc.kernel
def choose(a: fx.Tensor, f: fx.Tensor, o: fx.Tensor, g: fx.Tensor):
    i = fx.thread_idx.x
    v, z = a[i], f[i]
    o[0, i], o[1, i], o[2, i], o[3, i] = v or 9, v and 7, 0 or v, 5 and v
    o[4, i], o[5, i], o[6, i] = (v and v + 10) or -1, (v > 1) and v, (v > 1) or v
    g[0, i], g[1, i], g[2, i], g[3, i] = z or 2.5, z and z * 3, v or z, z or v
    if (v and z) or v > 30:
        o[7, i] = 1 if not (v and z) else 2
    v > 1 and None  # a statement, of which nothing is used


@flyc.jit
def run_choose(a: fx.Tensor, f: fx.Tensor, o: fx.Tensor, g: fx.Tensor):
    choose(a, f, o, g).launch(grid=1, block=4)


def test_and_and_or_give_one_of_their_operands():
    a, f = np.array([0, 1, 2, 40], np.int32), np.array([0, -0.0, 0.5, np.nan], np.float32)
    o, g = np.zeros((8, 4), np.int32), np.zeros((4, 4), np.float32)
    run_choose(a, f, o, g)
    v, z = a.tolist(), f.tolist()
    expected = [[x or 9 for x in v], [x and 7 for x in v], v, [5 and x for x in v], [(x and x + 10) or -1 for x in v]]
    expected += [[int((x > 1) and x) for x in v], [int((x > 1) or x) for x in v], [0, 0, 2, 2]]
    np.testing.assert_array_equal(o, expected)
    both = list(zip(v, z, strict=True))
    expected = [[x or 2.5 for x in z], [x and x * 3 for x in z], [x or y for x, y in both], [y or x for x, y in both]]
    np.testing.assert_array_equal(g, np.array(expected, np.float32))
    assert np.array_equal(np.signbit(g[1]), [False, True, False, False])


def test_operands_without_a_common_type_are_refused_where_they_are_used():
    @flyc.kernel
    def kernel(o: fx.Tensor):
        value = o[0] and "text"
        o[1] = value

    @flyc.jit
    def host(o: fx.Tensor):
        kernel(o).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match="the value of `and`.*'text'"):
        host(np.zeros(2, np.int32))


@flyc.kernel
def count(x: fx.Tensor, o: fx.Tensor):
    flags = fx.slice(fx.zipped_divide(x, 4), (None, 0)).load() > 0
    lane = fx.thread_idx.x
    positive = x[lane % 4] > 0
    total = fx.coop.warp_reduce(positive, fx.ReductionOp.ADD, width=4)
    greatest = fx.coop.warp_reduce(positive, fx.ReductionOp.MAX, width=4)
    if lane == 0:
        o[0], o[1] = flags.reduce("add"), flags.reduce("mul")
        o[2], o[3] = flags.reduce("max"), flags.reduce("min")
        o[4] = flags.reduce("add", 10)
        o[5], o[6] = total, greatest


@flyc.jit
def run_count(x: fx.Tensor, o: fx.Tensor):
    count(x, o).launch(grid=1, block=64)


@pytest.mark.parametrize("x", [[1, 2, 3, -4], [1, 2, 3, 4], [1, -1, -1, 1], [0, 0, 0, 0]])
def test_sums_of_booleans_count(x):
    o = np.zeros(7, np.int32)
    run_count(np.array(x, np.float32), o)
    flags = np.array(x) > 0
    total = flags.sum()
    np.testing.assert_array_equal(o, [total, flags.all(), flags.any(), flags.all(), total + 10, total, flags.any()])


def test_constants_out_of_range_warn_at_their_line():
    @flyc.kernel
    def kernel(x: fx.Tensor, h: fx.Tensor, p: fx.Int8):
        x[0] = 1 << 40  # here
        x[1] = fx.Int8(300)  # here
        h[0] = fx.Float16(70000.0)  # here
        h[1] = fx.full(2, 1e6, fx.Float16)[0]  # here
        unsigned = fx.Uint32(-1)  # here
        x[2] = unsigned >> 31
        x[3] = fx.Int8(fx.Int32(300))
        x[4] = p

    @flyc.jit
    def host(x: fx.Tensor, h: fx.Tensor):
        kernel(x, h, 200).launch(grid=1, block=1)  # here

    with pytest.warns(OutOfRangeWarning) as seen:
        host(np.zeros(5, np.int32), np.zeros(2, np.float16))
    lines = Path(__file__).read_text().splitlines()
    found = sorted(warning.lineno for warning in seen if warning.category is OutOfRangeWarning)
    assert found == [number for number, line in enumerate(lines, 1) if line.endswith("# here")]


@flyc.kernel
def static_and_dynamic(o: fx.Tensor, n: fx.Int32, zero: fx.Float32):
    o[0], o[1] = fx.sqrt(n), fx.sqrt(fx.Int32(3))
    o[2], o[3] = 1.0 / zero, fx.Float32(1.0) / fx.Float32(0.0)
    o[4], o[5] = fx.powf(n, 2.0), fx.powf(fx.Int32(3), 2.0)


@flyc.jit
def run_static_and_dynamic(o: fx.Tensor, n: fx.Int32, zero: fx.Float32, grid: fx.Constexpr):
    static_and_dynamic(o, n, zero).launch(grid=grid, block=1)


def test_known_numbers_are_taken_where_others_are():
    o = np.zeros(6)
    run_static_and_dynamic(o, 3, 0.0, 1)
    np.testing.assert_array_equal(o[::2], o[1::2])
    np.testing.assert_allclose(o[::2], [3**0.5, np.inf, 9], rtol=1e-6)


def test_a_known_grid_of_no_blocks_does_nothing():
    o = np.ones(6)
    run_static_and_dynamic(o, 3, 0.0, 0)
    run_static_and_dynamic(o, 3, 0.0, (2, 0))
    np.testing.assert_array_equal(o, 1)


def taking(kind):
    def store(o: fx.Tensor, v):
        o[0] = v

    def launch(o: fx.Tensor, v):
        kernel(o, v).launch(grid=1, block=1)

    store.__annotations__["v"] = launch.__annotations__["v"] = kind
    kernel = flyc.kernel(store)
    return flyc.jit(launch)


SCALARS = [
    *(np.bool_(True), np.float16(2.0), np.float32(2.75), np.float64(2.0), np.int8(3), np.uint64(3)),
    *(np.complex64(2), np.str_("2"), np.datetime64(2, "ns"), np.timedelta64(2, "s")),
]


@pytest.mark.parametrize("name", ["Boolean", "Int8", "Int32", "Uint64", "Float32", "BFloat16"])
def test_scalars_of_numpy_are_taken_as_the_numbers_of_python_that_they_are(name):
    host = taking(getattr(fx, name))
    for value in SCALARS:
        plain = value.item() if value.dtype.kind in "biuf" else object()
        found = np.zeros((2, 1))
        try:
            host(found[0], plain)
        except ArgumentError:
            with pytest.raises(ArgumentError):
                host(found[1], value)
            continue
        for _ in range(2):  # the second call is that of a stub
            host(found[1], value)
            assert found[0, 0] == found[1, 0], (name, value)


def test_a_wide_float_of_numpy_is_a_float():
    o = np.zeros(1)
    taking(fx.Float32)(o, np.longdouble(2.5))
    assert o[0] == 2.5
    with pytest.raises(ArgumentError, match="takes an integer"):
        taking(fx.Int32)(o, np.longdouble(2))
