"""Modules of traced functions: the host function, its kernels and their launches; and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.compiler.call.scalar import ScalarSpec
from flydsl.compiler.call.tensor import TensorSpec
from flydsl.expr.values.emitter import TargetInfo
from flydsl.frontend.rewriting.rewrite import rewrite
from flydsl.frontend.trace import trace_function
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import verify
from flydsl.layout import parse_layout

X = TensorSpec("Float32", parse_layout("?:1"), 4)
N = ScalarSpec("Int32")
TARGET = TargetInfo("none", "none1", 32)


def traced(function, **specs):
    """The text of the module of a host function and the names of its kernels."""
    module, kernels = trace_function(rewrite(function), specs or {"x": X, "n": N}, TARGET)
    verify(module)
    return emit_generic(module), kernels


def lines(text, name):
    return [line.strip() for line in text.splitlines() if f'"{name}"' in line]


@flyc.kernel
def fill(x: fx.Tensor, n: fx.Int32, factor: fx.Constexpr[int] = 1):
    x[fx.thread_idx.x] = n * factor


def test_a_kernel_is_traced_once_for_equal_arguments():
    def host(x, n):
        fill(x, n).launch(grid=1, block=8)
        fill(x, n + 1).launch(grid=n, block=8)

    text, kernels = traced(host)
    assert kernels == ("fill_0",)
    assert len(lines(text, "gpu.func")) == len(lines(text, "gpu.return")) == 1
    assert len(lines(text, "gpu.launch_func")) == 2
    assert "gpu.known_block_size = array<i32: 8, 1, 1>" in text


def test_another_constant_or_block_is_another_kernel():
    def host(x, n):
        fill(x, n).launch(grid=1, block=8)
        fill(x, n, 3).launch(grid=1, block=8)
        fill(x, n).launch(grid=1, block=16)
        fill(x, n).launch(grid=1, block=n)

    text, kernels = traced(host)
    assert kernels == ("fill_0", "fill_1", "fill_2", "fill_3")
    assert text.count("gpu.known_block_size") == 3


def fill_by(factor):
    @flyc.kernel
    def own(x: fx.Tensor, n: fx.Int32):
        x[fx.thread_idx.x] = n * factor

    return own


def test_kernels_that_a_helper_makes_and_nobody_keeps_are_kernels_of_their_own():
    def host(x, n):
        for factor in (2, 3, 4, 5, 6, 7):
            fill_by(factor)(x, n).launch(grid=1, block=8)

    _, kernels = traced(host)
    assert len(kernels) == 6


class Scaled:
    def __init__(self, count, factors):
        self.count, self.factors = count, factors

    def __extract_to_ir_values__(self):
        return [self.count.ir_value()]

    def __construct_from_ir_values__(self, values):
        return Scaled(fx.Int32.wrap(values[0]), self.factors)


@flyc.kernel
def fill_scaled(x: fx.Tensor, scaled):
    x[fx.thread_idx.x] = scaled.count * scaled.factors[0]


@pytest.mark.parametrize(("factors", "count"), [((2,), 1), ((3,), 2), ((2.0,), 2), ([2], 2)])
def test_attributes_of_the_users_objects_are_part_of_a_kernel(factors, count):
    def host(x, n):
        fill_scaled(x, Scaled(n, (2,))).launch(grid=1, block=8)
        fill_scaled(x, Scaled(n + 1, factors)).launch(grid=1, block=8)

    _, kernels = traced(host)
    assert len(kernels) == count


@dataclass(frozen=True)
class Factor:
    value: float


@flyc.kernel
def fill_constant(x: fx.Tensor, factor: fx.Constexpr[Factor]):
    x[0] = factor.value


def test_equal_constants_that_differ_are_two_kernels():
    def host(x, n):
        fill_constant(x, Factor(0.0)).launch(grid=1, block=8)
        fill_constant(x, Factor(-0.0)).launch(grid=1, block=8)

    assert traced(host)[1] == ("fill_constant_0", "fill_constant_1")


def test_a_launch_passes_sizes_shared_memory_and_arguments():
    def host(x, n):
        fill(x, n).launch(grid=(n, 2), block=(8, 4, 2), smem=64)

    text, _ = traced(host)
    (launch,) = lines(text, "gpu.launch_func")
    assert "operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 2, 0>" in launch
    assert "kernel = @kernels::@fill_0" in launch
    assert "index, index, index, index, index, index, i32, !fly.memref<f32, global, ?:1>, i32)" in launch


def test_a_launch_that_a_static_condition_forbids_leaves_a_kernel_that_does_nothing():
    def host(x, n):
        call = fill(x, n)
        if fx.const_expr(False):
            call.launch(grid=1, block=8)

    text, kernels = traced(host)
    assert kernels == ("empty_0",)
    assert "gpu.launch_func" not in text


@flyc.kernel
def gives(x: fx.Tensor, n: fx.Int32):
    return n


@flyc.kernel
def launches(x: fx.Tensor, n: fx.Int32):
    fill(x, n).launch(grid=1, block=1)


@flyc.kernel(known_block_size=[4])
def sized(x: fx.Tensor, n: fx.Int32):
    x[0] = n


REFUSED = {
    "kernel gives returns a value, and a kernel returns nothing; write to a tensor": lambda x, n: gives(x, n).launch(
        grid=1, block=1
    ),
    "grid has 1 to 3 extents, found 4": lambda x, n: fill(x, n).launch(grid=(1, 1, 1, 1), block=1) and None,
    "grid has extents of at least 0, found .*; skip a launch": lambda x, n: fill(x, n).launch(grid=-1, block=1),
    "block has extents of at least 1, found .*; skip a launch": lambda x, n: fill(x, n).launch(grid=1, block=0),
    "block has extents of at least 1, found .*; divide with //": lambda x, n: fill(x, n).launch(grid=1, block=0.5),
    "grid has extents below 2\\*\\*31": lambda x, n: fill(x, n).launch(grid=1 << 31, block=1),
    "smem is a number of bytes from 0": lambda x, n: fill(x, n).launch(grid=1, block=1, smem=-1),
    "annotated with fx.Constexpr, and its value is": lambda x, n: fill(x, n, n).launch(grid=1, block=1),
    "kernel 'fill' is called inside a kernel; call it from a @jit function": lambda x, n: launches(x, n).launch(
        grid=1, block=1
    ),
    r"has known_block_size \(4, 1, 1\), launched with block \(8, 1, 1\)": lambda x, n: sized(x, n).launch(
        grid=1, block=8
    ),
}


@pytest.mark.parametrize("message", list(REFUSED))
def test_what_a_host_function_must_not_do(message):
    body = REFUSED[message]

    def host(x, n):
        body(x, n)

    with pytest.raises(FrontendError, match=message) as caught:
        traced(host)
    assert caught.value.location.file == __file__


def test_a_host_function_returns_nothing():
    def host(x, n):
        fill(x, n).launch(grid=1, block=8)
        return n

    with pytest.raises(FrontendError, match="host returns a value, and a @jit function returns nothing") as caught:
        traced(host)
    assert caught.value.location.line == host.__code__.co_firstlineno + 2


def test_the_declared_block_size_holds_for_a_launch_with_one_known_at_run_time():
    def host(x, n):
        sized(x, n).launch(grid=1, block=n)

    assert "gpu.known_block_size = array<i32: 4, 1, 1>" in traced(host)[0]


def test_a_launch_inside_of_fast_math_is_refused():
    def host(x, n):
        with fx.fastmath("fast"):
            fill(x, n).launch(grid=1, block=8)

    with pytest.raises(FrontendError, match="whose flags do not reach kernels"):
        traced(host)


def test_a_static_leaf_of_a_shape_is_an_int_for_what_takes_ints() -> None:
    found: list[object] = []

    @flyc.kernel
    def kernel(y: fx.Tensor, n: fx.Constexpr[int], free: fx.Constexpr):
        extent = fx.make_layout((2, 4)).shape[1]
        found.extend([n, free])
        found.append(fx.coop.BlockExchange[fx.Int32, extent, fx.make_layout((2, 4)).shape[0]].items)
        found.append(fx.Array[fx.Int32, extent].count)
        y[fx.thread_idx.x] = fx.coop.warp_reduce(fx.Int32(n), fx.ReductionOp.ADD, width=extent)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(y, x.shape[2], x.shape[1]).launch(grid=1, block=x.shape[1])

    y = np.zeros(4, np.int32)
    flyc.interpret(host)(flyc.from_dlpack(np.zeros((2, 4, 3), np.float32)), y)
    assert found == [3, 4, 2, 4]
    assert y.tolist() == [12] * 4
