"""Classes of a program's own as types of the language: in branches, loops, kernel arguments and memory."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError, FrontendError
from flydsl.compiler import protocol

N = 41


class Complex:
    """A number with an imaginary part; `scale` is part of the code."""

    def __init__(self, re, im, scale=1):
        self.re, self.im, self.scale = fx.Float32(re), fx.Float32(im), scale

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im, self.scale)

    def __mul__(self, other):
        re = self.re * other.re - self.im * other.im
        return Complex(re, self.re * other.im + self.im * other.re, self.scale)

    def __extract_to_ir_values__(self):
        return [self.re.ir_value(), self.im.ir_value()]

    def __construct_from_ir_values__(self, values):
        return Complex(*map(fx.Float32, values), self.scale)

    @classmethod
    def __dsl_size_of__(cls):
        return 8

    @classmethod
    def __dsl_align_of__(cls):
        return 4

    @classmethod
    def __peek_from_ptr__(cls, ptr):
        floats = fx.recast_iter(fx.Float32, ptr)
        return cls(floats[0], floats[1])

    @classmethod
    def __poke_into_ptr__(cls, ptr, value):
        floats = fx.recast_iter(fx.Float32, ptr)
        floats[0], floats[1] = value.re, value.im


class Counted:
    """A class method makes these, so that no value has to be there before."""

    def __init__(self, count):
        self.count = count

    def __extract_to_ir_values__(self):
        return [self.count.ir_value()]

    @classmethod
    def __construct_from_ir_values__(cls, values):
        return cls(fx.Uint32(values[0]))


def times(z, w):
    return z * w


@flyc.kernel
def powers(x: fx.Tensor, y: fx.Tensor, offset: Complex, count: fx.Int32):
    i = fx.thread_idx.x
    z = Complex(x[i, 0], x[i, 1], offset.scale)
    total, steps = offset, Counted(fx.Uint32(0))
    for _step in range(count):
        total = total + z
        z = times(z, Complex(0.5, -0.5))
        steps = Counted(steps.count + 3)
    if total.re < 0:
        total = total * Complex(-1.0, 0.0, total.scale)
        steps = Counted(steps.count // 2)
    y[i, 0] = total.re * total.scale
    y[i, 1] = total.im
    y[i, 2] = fx.Float32(steps.count)


@flyc.jit
def run_powers(x: fx.Tensor, y: fx.Tensor, re: fx.Float32, count: fx.Int32):
    powers(x, y, Complex(re, 2.0, 4), count).launch(grid=1, block=N)


@pytest.mark.parametrize("count", [0, 3])
def test_values_of_own_types_pass_through_control_flow_and_kernel_arguments(count):
    x = np.random.default_rng(1).standard_normal((N, 2)).astype(np.float32)
    y = np.zeros((N, 3), np.float32)
    run_powers(x, y, -0.25, count)
    z = x[:, 0].astype(np.complex128) + 1j * x[:, 1]
    total = np.full(N, -0.25 + 2j)
    for _ in range(count):
        total, z = total + z, z * (0.5 - 0.5j)
    steps = np.where(total.real < 0, 3 * count // 2, 3 * count)
    total = np.where(total.real < 0, -total, total)
    np.testing.assert_allclose(y, np.stack([4 * total.real, total.imag, steps], 1), rtol=1e-4, atol=1e-5)


@flyc.kernel
def through_memory(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    shared = fx.SharedAllocator().allocate(fx.Array[Complex, N])
    shared[i].poke(Complex(x[i, 0], x[i, 1]))
    fx.barrier()
    z = shared[(i + 1) % N].peek() * protocol.peek_from_ptr(Complex, fx.get_iter(x) + 2 * i)
    protocol.poke_into_ptr(Complex, fx.get_iter(y) + 2 * i, z)


@flyc.jit
def run_through_memory(x: fx.Tensor, y: fx.Tensor):
    through_memory(x, y).launch(grid=1, block=N)


def test_own_types_have_a_place_in_memory():
    assert isinstance(Complex, protocol.Storable)
    assert (protocol.dsl_size_of(Complex), protocol.dsl_align_of(Complex)) == (8, 4)
    x = np.random.default_rng(2).standard_normal((N, 2)).astype(np.float32)
    y = np.zeros_like(x)
    run_through_memory(x, y)
    z = x[:, 0].astype(np.complex128) + 1j * x[:, 1]
    expected = np.roll(z, -1) * z
    np.testing.assert_allclose(y, np.stack([expected.real, expected.imag], 1), rtol=1e-4, atol=1e-5)


@flyc.kernel
def functions(y: fx.Tensor):
    z = Complex(fx.thread_idx.x, 2.0, 3)
    assert isinstance(z, protocol.DslType)
    values = protocol.extract_to_ir_values((z, {"count": fx.Int32(7)}, [None, 4]))
    assert [str(kind) for kind in protocol.get_ir_types(z)] == ["f32", "f32"]
    assert len(values) == 3
    again = protocol.construct_from_ir_values(Complex, z, values[:2])
    pair = protocol.construct_from_ir_values((Complex, fx.Int32), (z, fx.Int32(0)), values)
    number = protocol.construct_from_ir_values(fx.Int32, None, values[2:])
    assert protocol.cache_signature((z, fx.Int32(7))) != protocol.cache_signature((z, fx.Int64(7)))
    assert protocol.cache_signature(again) == protocol.cache_signature(z)
    y[fx.thread_idx.x] = again.re * again.scale + pair[0].im + fx.Float32(pair[1] + number)


@flyc.jit
def run_functions(y: fx.Tensor):
    functions(y).launch(grid=1, block=N)


def test_the_functions_of_the_protocols_take_values_apart_and_make_them():
    y = np.zeros(N, np.float32)
    run_functions(y)
    np.testing.assert_array_equal(y, 3 * np.arange(N) + 2 + 14)


class Affine:
    """A JIT argument: two numbers that each call gives anew, and a kind that is part of the code."""

    def __init__(self, factor, shift, negate=False):
        self.factor, self.shift, self.negate = factor, shift, negate

    def __get_ir_types__(self):
        return [fx.Float32.ir_type, fx.Int32.ir_type]

    def __cache_signature__(self):
        return ("affine", self.negate)

    def __c_abi_spec__(self):
        def factor(place):
            place.value = self.factor

        def shift(place):
            place.value = self.shift

        return [(ctypes.c_float, factor), (ctypes.c_int32, shift)]

    def __construct_from_ir_values__(self, values):
        made = Affine(fx.Float32(values[0]), fx.Int32(values[1]), self.negate)
        return made

    def __extract_to_ir_values__(self):
        return [self.factor.ir_value(), self.shift.ir_value()]


@flyc.kernel
def apply_affine(x: fx.Tensor, map: Affine):
    i = fx.thread_idx.x
    value = x[i] * map.factor + fx.Float32(map.shift)
    x[i] = -value if fx.const_expr(map.negate) else value


@flyc.jit
def run_affine(x: fx.Tensor, map: Affine):
    apply_affine(x, map).launch(grid=1, block=N)


def test_objects_that_say_how_they_are_passed_are_jit_arguments():
    argument = Affine(2.0, -3)
    assert isinstance(argument, protocol.JitArgument)
    assert [ctype for ctype, _ in protocol.c_abi_spec(argument)] == [ctypes.c_float, ctypes.c_int32]
    assert protocol.cache_signature(argument) == ("affine", False)
    assert [str(kind) for kind in protocol.get_ir_types(argument)] == ["f32", "i32"]
    for map, expected in (
        (argument, lambda x: 2 * x - 3),
        (Affine(-0.5, 7), lambda x: -0.5 * x + 7),
        (Affine(4.0, 1, negate=True), lambda x: -(4 * x + 1)),
    ):
        x = np.random.default_rng(3).integers(-100, 100, N).astype(np.float32)
        before = x.copy()
        run_affine(x, map)
        np.testing.assert_array_equal(x, expected(before))


@flyc.kernel
def joins_other_static_parts(x: fx.Tensor):
    z = Complex(x[0, 0], 0.0, 1)
    if x[0, 1] > 0:
        z = Complex(x[0, 0], 0.0, 2)
    x[0, 0] = z.re


@flyc.kernel
def changes_a_type(x: fx.Tensor):
    counted = Counted(fx.Uint32(1))
    for _step in range(fx.Int32(x[0, 0])):
        counted = Counted(fx.Uint64(counted.count))
    x[0, 0] = fx.Float32(counted.count)


@flyc.jit
def run_one(kernel: fx.Constexpr, x: fx.Tensor):
    kernel(x).launch(grid=1, block=1)


@pytest.mark.parametrize("kernel", [joins_other_static_parts, changes_a_type])
def test_own_types_that_differ_between_paths_are_refused(kernel):
    with pytest.raises(FlyDSLError):
        run_one(kernel, np.zeros((1, 2), np.float32))


def test_what_has_no_methods_is_no_value():
    with pytest.raises(FrontendError, match="__extract_to_ir_values__"):
        protocol.extract_to_ir_values(object())
    with pytest.raises(FrontendError, match="pass that as args"):
        protocol.construct_from_ir_values(Complex, None, [])
    with pytest.raises(FrontendError, match="no __construct_from_ir_values__"):
        protocol.construct_from_ir_values(object, None, [])


class Holder:
    """An object of the program's, no value of the language, with a list of them."""

    def __init__(self, items):
        self.items = items


@flyc.kernel
def watches(x: fx.Tensor):
    holder = Holder([Counted(fx.Uint32(x[0, 0])), fx.Int32(x[0, 1])])
    total = fx.Int32(0)
    if x[0, 0] > 0:
        total = total + fx.Int32(holder.items[0].count) + holder.items[1]
    x[0, 0] = fx.Float32(total)


@flyc.kernel
def changes_what_is_watched(x: fx.Tensor):
    holder = Holder([Counted(fx.Uint32(x[0, 0]))])
    if x[0, 0] > 0:
        holder.items[0] = Counted(fx.Uint32(x[0, 1]))
    x[0, 0] = fx.Float32(holder.items[0].count)


def test_objects_that_hold_values_of_own_types_are_read_and_not_changed_in_branches():
    x = np.array([[3, 4]], np.float32)
    run_one(watches, x)
    assert x[0, 0] == 7
    with pytest.raises(FrontendError):
        run_one(changes_what_is_watched, x)
