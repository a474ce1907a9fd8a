"""Arguments of @jit and @kernel functions: scalars, pointers, records, containers, objects of one's own."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, FrontendError, UnsupportedTensorError

N = 37


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@flyc.kernel
def put_kernel(y: fx.Tensor, value):
    y[fx.thread_idx.x] = value


def put_of(dtype):
    def put(y: fx.Tensor, value):
        put_kernel(y, value).launch(grid=1, block=3)

    put.__annotations__["value"] = dtype
    return flyc.jit(put)


@pytest.mark.parametrize(
    "dtype, numpy_type, values",
    [
        (fx.Boolean, np.int32, [True, False, np.True_]),
        (fx.Int8, np.int8, [-128, 127]),
        (fx.Uint8, np.uint8, [0, 255]),
        (fx.Int16, np.int16, [-32768, np.int16(5)]),
        (fx.Int64, np.int64, [-(2**63), 2**63 - 1, 2**40 + 1]),
        (fx.Uint64, np.uint64, [2**64 - 1, 2**63]),
        (fx.Float16, np.float16, [65504.0, -0.333, float("inf")]),
        (fx.Float32, np.float32, [1 / 3, 3, np.float64(0.1)]),
        (fx.Float64, np.float64, [1 / 3, 1e300]),
    ],
)
def test_scalars_of_every_width_arrive_exactly(dtype, numpy_type, values):
    put, y = put_of(dtype), np.zeros(3, numpy_type)
    for value in values:
        put(y, value)
        np.testing.assert_array_equal(y, np.full(3, value).astype(numpy_type))


def test_a_bfloat16_scalar_is_rounded_to_nearest():
    y = np.zeros(3, np.float32)
    put_of(fx.BFloat16)(y, 1.00390625 + 1e-6)
    np.testing.assert_array_equal(y, 1.0078125)


def test_scalars_of_the_language_are_passed_as_their_type():
    @flyc.jit
    def put(y: fx.Tensor, value):
        put_kernel(y, value).launch(grid=1, block=3)

    y = np.zeros(3, np.int64)
    for value in (fx.Uint8(200), fx.Int64(-(2**40)), fx.Int32(7)):
        put(y, value)
        put(y, value)
        np.testing.assert_array_equal(y, int(value))


@flyc.kernel
def halves_kernel(y: fx.Tensor, wide):
    y[0], y[1] = fx.Int64(wide), fx.Int64(wide >> 64)


@flyc.jit
def put_signed(y: fx.Tensor, little: fx.Int8, wide: fx.Int128):
    halves_kernel(y, wide * 3 + fx.Int128(little)).launch(grid=1, block=1)


@flyc.jit
def put_unsigned(y: fx.Tensor, wide: fx.Uint128):
    halves_kernel(y, wide).launch(grid=1, block=1)


def of_halves(y: np.ndarray) -> int:
    low, high = y.view(np.uint64)
    return int(high) << 64 | int(low)


@pytest.mark.parametrize("value", [5, -1, -(2**127), 2**127 - 1, 12345678901 << 70, np.int64(-7)])
def test_integers_of_128_bits_arrive_exactly(value):
    y = np.zeros(2, np.int64)
    for little in (3, -2):
        put_signed(y, little, value)
        assert of_halves(y) == (int(value) * 3 + little) % 2**128
    if value >= 0:
        put_unsigned(y, 2**128 - 1 - value)
        assert of_halves(y) == 2**128 - 1 - value


@pytest.mark.parametrize(
    ("put", "value"), [(put_signed, 2**127), (put_signed, -(2**127) - 1), (put_unsigned, -1), (put_unsigned, 2**128)]
)
def test_integers_beyond_128_bits_are_refused(put, value):
    arguments = (3,) if put is put_signed else ()
    y = np.zeros(2, np.int64)
    put(y, *arguments, 1)
    for _ in range(2):
        with pytest.raises(ArgumentError, match=rf"argument 'wide': {value} does not fit in U?[iI]nt128; pass a value"):
            put(y, *arguments, value)
    with pytest.raises(ArgumentError, match="takes an integer, found 1.5"):
        put(y, *arguments, 1.5)


@pytest.mark.parametrize("dtype", [fx.Float8E4M3FN, fx.Int4])
def test_a_type_that_no_launcher_passes_is_refused(dtype):
    with pytest.raises(ArgumentError, match=f"an? {dtype.__name__} cannot be passed as a scalar"):
        put_of(dtype)(np.zeros(3, np.float32), 1)


@flyc.kernel
def axpy_kernel(x: fx.Pointer, y: fx.Pointer, a: fx.Float32, n: fx.Int32):
    i = fx.block_idx.x * 16 + fx.thread_idx.x
    if i < n:
        y[i] = x[i] * a + y[i]


@flyc.jit
def axpy(x: fx.Pointer, y: fx.Pointer, a: fx.Float32 = 2.0, n: fx.Int32 = N, stream: fx.Stream = fx.Stream(None)):
    axpy_kernel(x, y, a, n).launch(grid=(n + 15) // 16, block=16, stream=stream)


def address(array: np.ndarray) -> int:
    return array.ctypes.data


def test_raw_addresses_are_pointer_arguments():
    x, y, z = random(N), random(N, seed=1), random(N, seed=2)
    for out in (y, z, y):
        expected = x * np.float32(2.0) + out
        axpy(flyc.from_c_void_p(fx.Float32, address(x)), flyc.from_c_void_p(fx.Float32, ctypes.c_void_p(address(out))))
        np.testing.assert_allclose(out, expected, rtol=1e-6)


def test_keywords_and_defaults_complete_a_call():
    x, y = random(N), random(N, seed=1)
    expected = x * np.float32(-1.5) + y
    expected[20:] = y[20:]
    px, py = flyc.from_c_void_p(fx.Float32, address(x)), flyc.from_c_void_p(fx.Float32, address(y))
    axpy(n=20, y=py, x=px, a=-1.5)
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    with pytest.raises(ArgumentError, match="unexpected keyword argument 'm'.*the parameters are x, y, a, n"):
        axpy(px, py, m=3)


def test_the_alignment_of_a_pointer_is_part_of_its_type_and_checked():
    x = np.zeros(64, np.float32)
    base = address(x) + -address(x) % 64
    good = flyc.from_c_void_p(fx.Float32, base, assumed_align=16)
    axpy(good, good, 1.0, 0)
    for _ in range(2):  # cold and warm
        with pytest.raises(UnsupportedTensorError, match="argument 'y': the pointer is at .*not a multiple of 16"):
            axpy(good, flyc.from_c_void_p(fx.Float32, base + 4, assumed_align=16), 1.0, 0)
    text = axpy.trace(good, good).text
    assert "align<16>" in text or "16" in text


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((int, 0), {}, "element_type is a numeric type"),
        ((fx.Float32, "0"), {}, "a pointer is a ctypes.c_void_p"),
        ((fx.Float32, -1), {}, "from 0 to 2\\*\\*64 - 1"),
        ((fx.Float32, 0), {"assumed_align": 6}, "a power of two and a multiple of 4 bytes, found 6"),
        ((fx.Float32, 0), {"assumed_align": 2}, "a multiple of 4 bytes, found 2"),
        ((fx.Float32, 0), {"address_space": fx.AddressSpace.Shared}, "a pointer of the host is in"),
        ((fx.Float32, 0), {"address_space": 17}, "found 17"),
    ],
)
def test_a_pointer_that_makes_no_sense_is_refused(arguments, options, message):
    with pytest.raises(ArgumentError, match=message):
        flyc.from_c_void_p(*arguments, **options)


def test_a_pointer_and_a_tensor_are_not_mixed_up():
    pointer = flyc.from_c_void_p(fx.Float32, None)
    with pytest.raises(ArgumentError, match="argument 'x': a pointer is passed as flyc.from_c_void_p"):
        axpy(np.zeros(3, np.float32), pointer)
    with pytest.raises(ArgumentError, match="argument 'y': a tensor is expected, found <pointer to Float32"):
        put_of(fx.Int32)(pointer, 1)


@fx.struct
class Range:
    start: fx.Int32
    stop: fx.Int32 = N


@fx.struct
class Affine:
    scale: fx.Float32
    shift: fx.Float32
    where: Range

    def apply(self, value):
        return value * self.scale + self.shift


@flyc.kernel
def affine_kernel(x: fx.Tensor, y: fx.Tensor, p: Affine):
    i = fx.block_idx.x * 16 + fx.thread_idx.x
    if (i >= p.where.start) & (i < p.where.stop):
        y[i] = p.apply(x[i])


@flyc.jit
def affine(x: fx.Tensor, y: fx.Tensor, p: Affine):
    affine_kernel(x, y, p).launch(grid=3, block=16)


def test_a_record_is_an_argument():
    x = random(48)
    for scale, shift, start in ((2.0, 1.0, 3), (-0.5, 0.25, 0), (2.0, 7.0, 11)):
        y = np.zeros_like(x)
        affine(x, y, Affine(scale, shift, Range(start)))
        expected = np.zeros_like(x)
        expected[start:N] = x[start:N] * np.float32(scale) + np.float32(shift)
        np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)


def test_something_else_than_the_record_is_refused():
    x = random(48)
    with pytest.raises(ArgumentError, match=r"argument 'p': expected an Affine, found tuple; pass Affine\(\.\.\.\)"):
        affine(x, x.copy(), (1.0, 2.0, (0, 3)))


@dataclass
class Inputs:
    x: fx.Tensor
    bias: fx.Tensor
    n: fx.Int32
    factor: fx.Constexpr[int] = 2

    def at(self, i):
        return self.x[i] * self.factor + self.bias[i]


class Pair(NamedTuple):
    first: Any
    second: Any


@flyc.kernel
def gather_kernel(y: fx.Tensor, parts):
    i = fx.block_idx.x * 16 + fx.thread_idx.x
    if i < parts["inputs"].n:
        y[i] = parts["inputs"].at(i) + parts["pair"].first[i] * parts["space"].weight - parts["items"][1]


@flyc.jit
def gather(y: fx.Tensor, parts, blocks: fx.Int32 = 3):
    gather_kernel(y, parts).launch(grid=blocks, block=16)


def make_parts(n: int, factor: int, seed: int = 0) -> dict[str, Any]:
    x, bias, first = (random(40, seed=seed + i) for i in range(3))
    return {
        "inputs": Inputs(x, bias, n, factor),
        "pair": Pair(first, None),
        "space": SimpleNamespace(weight=0.75),
        "items": [1, 2.5, "a name"],
    }


def expected_parts(parts: dict[str, Any]) -> np.ndarray:
    inputs, y = parts["inputs"], np.zeros(40)
    y[: inputs.n] = (inputs.x * inputs.factor + inputs.bias + parts["pair"].first * 0.75 - 2.5)[: inputs.n]
    return y


def test_containers_of_tensors_and_numbers_are_arguments_at_any_depth():
    for seed, (n, factor) in enumerate([(37, 2), (11, 2), (40, 5), (37, 2)]):
        y, parts = np.zeros(40, np.float32), make_parts(n, factor, seed)
        gather(y, parts)
        np.testing.assert_allclose(y, expected_parts(parts), rtol=1e-5, atol=1e-6)


def test_containers_of_other_structure_are_other_code():
    @flyc.kernel
    def first(y: fx.Tensor, values):
        y[0] = values[0][0] if isinstance(values[0], tuple) else values[0] * 10

    @flyc.jit
    def host(y: fx.Tensor, values):
        first(y, values).launch(grid=1, block=1)

    y = np.zeros(1, np.float32)
    for values, expected in (((1, 2), 10), (((3, 4),), 3), ((1, 2, 3), 10), ([2, 2], 20), ((0.5,), 5), ((1, 2), 10)):
        host(y, values)
        assert y[0] == expected


def test_a_container_tells_which_item_is_wrong():
    parts = make_parts(3, 2)
    parts["inputs"].bias = parts["inputs"].bias.astype(np.complex64)
    with pytest.raises(UnsupportedTensorError, match=r"argument \"parts\['inputs'\]\.bias\": dtype"):
        gather(np.zeros(40, np.float32), parts)
    with pytest.raises(ArgumentError, match=r"argument 'parts\[1\]': .*object"):
        gather(np.zeros(40, np.float32), [1, object()])


def test_a_container_that_contains_itself_is_refused():
    values: list[Any] = [1]
    values.append(values)
    with pytest.raises(ArgumentError, match="argument 'parts': containers are nested 16 deep or contain themselves"):
        gather(np.zeros(40, np.float32), values)


def test_a_compiled_function_takes_containers():
    parts = make_parts(37, 2)
    y = np.zeros(40, np.float32)
    compiled = flyc.compile(gather, y, parts, 3)
    for seed in (4, 5):
        parts = make_parts(30 + seed, 2, seed)
        compiled(y, parts, 3)
        np.testing.assert_allclose(y[: 30 + seed], expected_parts(parts)[: 30 + seed], rtol=1e-5, atol=1e-6)


def test_wrong_arguments_of_a_kernel_are_located_errors():
    @flyc.jit
    def short(y: fx.Tensor):
        put_kernel(y).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match="kernel 'put_kernel': missing a required argument: 'value'") as error:
        short(np.zeros(3, np.float32))
    assert "put_kernel(y)" in str(error.value)


@flyc.kernel
def describe_kernel(x: fx.Tensor, out: fx.Tensor):
    shape, stride = fx.get_leaves(fx.get_shape(x)), fx.get_leaves(fx.get_stride(x))
    for place, leaf in enumerate([*shape, *stride]):
        out[place] = leaf
    out[2 * len(shape)] = x.dtype.width
    out[2 * len(shape) + 1] = x.alignment


@flyc.jit
def describe(x: fx.Tensor, out: fx.Tensor):
    describe_kernel(x, out).launch(grid=1, block=1)


def marked(random: np.random.Generator, array: np.ndarray) -> tuple[Any, int]:
    """`array` as some argument, and the alignment that the kernel sees."""
    size = array.itemsize
    kind = random.integers(6)
    if kind == 0:
        return array, size
    align = size * int(random.integers(1, 3)) if array.ctypes.data % (2 * size) == 0 else size
    argument = flyc.from_dlpack(array, assumed_align=align, use_32bit_stride=bool(random.integers(2)))
    if kind == 2:
        argument.mark_layout_dynamic()
    elif kind == 3:
        argument.mark_shape_dynamic(int(random.integers(array.ndim)))
    elif kind == 4:
        argument.mark_shape_dynamic(-1, divisibility=array.shape[-1]).mark_stride_dynamic(0)
    elif kind == 5:
        argument.mark_stride_dynamic()
    return argument, align


def test_calls_with_other_types_ranks_layouts_and_promises_never_share_code():
    random = np.random.default_rng(7)
    dtypes = (np.int8, np.float16, np.int32, np.float32, np.float64)
    for _ in range(30):
        rank = int(random.integers(1, 4))
        shape = tuple(int(n) for n in random.choice([2, 3], rank))
        array = np.zeros(shape, dtypes[random.integers(len(dtypes))])
        argument, align = marked(random, array)
        out = np.full(2 * rank + 2, -1, np.int64)
        describe(argument, out)
        strides = [step // array.itemsize for step in array.strides]
        assert out.tolist() == [*shape, *strides, 8 * array.itemsize, align]
