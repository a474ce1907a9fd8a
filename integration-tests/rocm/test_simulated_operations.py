"""Single ROCDL operations, `fx.rocdl.<name>`, on simulated GPUs: the numbers of their definitions, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTargetError
from flydsl_hipsim.bench import HipsimBench

CDNA = ("gfx90a", "gfx942", "gfx950")
RDNA = ("gfx1100", "gfx1201")
EVERY = (*CDNA, *RDNA, "gfx1250")
FP8 = {"gfx942": ml_dtypes.float8_e4m3fnuz, "gfx950": ml_dtypes.float8_e4m3fn, "gfx1201": ml_dtypes.float8_e4m3fn}
Body = Callable[..., Any]


def run(body: Body, arrays: tuple[np.ndarray, ...], out: np.ndarray, block: int) -> np.ndarray:
    """`body(i, *tensors)` by one block of threads, the elements of whose vector result are row i of `out`."""
    columns = out.shape[1]

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, out: fx.Tensor):
        i = fx.thread_idx.x
        result = body(i, x, y, z)
        for k in fx.range_constexpr(columns):
            out[i, k] = result[k]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, out: fx.Tensor):
        kernel(x, y, z, out).launch(grid=1, block=block)

    given = (*arrays, *[np.zeros(1, np.float32)] * (3 - len(arrays)))
    host(*given, out)
    return out


def row(tensor: Any, i: Any, count: int, dtype: Any) -> Any:
    """Row i of a tensor as a vector."""
    return fx.Vector.from_elements([tensor[i, k] for k in range(count)], dtype)


def smalls(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-4, 5, shape).astype(np.float64)


def mfma_lanes(matrix: np.ndarray, per_lane: int, dtype: Any) -> np.ndarray:
    """A or B (rows x K) as the 64 lanes of an MFMA hold it: lane l has row l % rows and `per_lane` neighbours of K."""
    rows, k = matrix.shape
    return matrix.reshape(rows, k // per_lane, per_lane).transpose(1, 0, 2).reshape(64, per_lane).astype(dtype)


def mfma_result(lanes: np.ndarray, size: int) -> np.ndarray:
    """The accumulator's lanes as a matrix of `size` x `size`."""
    lane, register = np.indices(lanes.shape)
    groups = 64 // size
    rows = register // 4 * 4 * groups + lane // size * 4 + register % 4
    result = np.empty((size, size))
    result[rows, lane % size] = lanes
    return result


MFMA = {
    "mfma_f32_32x32x8f16": (32, 8, np.float16, fx.Float16, CDNA),
    "mfma_f32_32x32x8bf16_1k": (32, 8, ml_dtypes.bfloat16, fx.BFloat16, CDNA),
    "mfma_f32_16x16x32_bf16": (16, 32, ml_dtypes.bfloat16, fx.BFloat16, ("gfx950",)),
    "mfma_f32_16x16x16f16": (16, 16, np.float16, fx.Float16, CDNA),
}


@pytest.mark.parametrize(("name", "chip"), [(name, chip) for name in MFMA for chip in MFMA[name][4]])
@pytest.mark.parametrize("form", ["list", "plain"])
def test_a_matrix_operation_multiplies(
    name: str, chip: str, form: str, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    size, k, numpy_type, dtype, _ = MFMA[name]
    per_lane, held = size * k // 64, size * size // 64
    operation = getattr(fx.rocdl, name)
    accumulator = fx.Vector.make_type(held, fx.Float32)

    def body(i: Any, a: Any, b: Any, c: Any) -> Any:
        operands = [row(a, i, per_lane, dtype), row(b, i, per_lane, dtype), row(c, i, held, fx.Float32)]
        return operation(accumulator, [*operands, 0, 0, 0]) if form == "list" else operation(*operands)

    a, b = smalls(rng, size, k), smalls(rng, size, k)
    c = smalls(rng, 64, held).astype(np.float32)
    lanes = (mfma_lanes(a, per_lane, numpy_type), mfma_lanes(b, per_lane, numpy_type), c)
    found = run(body, lanes, np.zeros((64, held), np.float32), 64)
    np.testing.assert_array_equal(mfma_result(found, size), a @ b.T + mfma_result(c, size))


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
def test_bytes_are_operands_in_any_form_of_as_many_bits(
    chip: str, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    a, b = smalls(rng, 16, 32), smalls(rng, 16, 32)
    whole = mfma_lanes(a, 8, FP8[chip]).view(np.int64)
    halves = mfma_lanes(b, 8, FP8[chip]).view(np.int32)

    def body(i: Any, x: Any, y: Any, _: Any) -> Any:
        zeros = fx.Vector.filled(4, 0, fx.Float32)
        return fx.rocdl.mfma_f32_16x16x32_fp8_fp8(x[i, 0], row(y, i, 2, fx.Int32), zeros)

    found = run(body, (whole, halves), np.zeros((64, 4), np.float32), 64)
    np.testing.assert_array_equal(mfma_result(found, 16), a @ b.T)


def test_scales_are_operands_of_a_matrix_operation(hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use("gfx950")
    a, b = smalls(rng, 32, 64), smalls(rng, 32, 64)
    left, right = (mfma_lanes(m, 32, FP8["gfx950"]).view(np.int32) for m in (a, b))

    def body(i: Any, x: Any, y: Any, _: Any) -> Any:
        zeros = fx.Vector.filled(16, 0, fx.Float32)
        operands = [row(x, i, 8, fx.Int32), row(y, i, 8, fx.Int32), zeros]
        return fx.rocdl.mfma_scale_f32_32x32x64_f8f6f4(*operands, 0, 0, 0, 0x80, 0, 0x7F)  # 2 and 1

    found = run(body, (left, right), np.zeros((64, 16), np.float32), 64)
    np.testing.assert_array_equal(mfma_result(found, 32), 2 * a @ b.T)


def wmma_lanes(matrix: np.ndarray, chip: str, dtype: Any) -> np.ndarray:
    """A or B (16 x K) as 32 lanes hold it: on gfx11 both halves of a wave have all of K, on gfx12 each has groups."""
    if chip == "gfx1100":
        return np.concatenate([matrix, matrix]).astype(dtype)
    return matrix.reshape(16, 2, -1).transpose(1, 0, 2).reshape(32, -1).astype(dtype)


def wmma_result(lanes: np.ndarray, chip: str) -> np.ndarray:
    lane, register = np.indices(lanes.shape)
    rows = 2 * register + lane // 16 if chip == "gfx1100" else 8 * (lane // 16) + register
    result = np.empty((16, 16))
    result[rows, lane % 16] = lanes
    return result


@pytest.mark.parametrize("chip", RDNA)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_a_wave_matrix_operation_multiplies(
    chip: str, kind: str, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    numpy_type, dtype = {"f16": (np.float16, fx.Float16), "bf16": (ml_dtypes.bfloat16, fx.BFloat16)}[kind]
    a, b = smalls(rng, 16, 16), smalls(rng, 16, 16)
    lanes = [wmma_lanes(m, chip, numpy_type) for m in (a, b)]
    count = lanes[0].shape[1]

    def body(i: Any, x: Any, y: Any, _: Any) -> Any:
        operands = [row(x, i, count, dtype), row(y, i, count, dtype), fx.Vector.filled(8, 1, fx.Float32)]
        return getattr(fx.rocdl, f"wmma_f32_16x16x16_{kind}")(*operands)

    found = run(body, (lanes[0], lanes[1]), np.zeros((32, 8), np.float32), 32)
    np.testing.assert_array_equal(wmma_result(found, chip), a @ b.T + 1)


def test_a_wave_matrix_operation_of_bytes_multiplies(hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use("gfx1201")
    a, b = smalls(rng, 16, 16), smalls(rng, 16, 16)
    left, right = (wmma_lanes(m, "gfx1201", FP8["gfx1201"]).view(np.int32) for m in (a, b))

    def body(i: Any, x: Any, y: Any, _: Any) -> Any:
        operands = [row(x, i, 2, fx.Int32), row(y, i, 2, fx.Int32), fx.Vector.filled(8, 0, fx.Float32)]
        return fx.rocdl.wmma_f32_16x16x16_fp8_fp8(*operands)

    found = run(body, (left, right), np.zeros((32, 8), np.float32), 32)
    np.testing.assert_array_equal(wmma_result(found, "gfx1201"), a @ b.T)


FP4 = ml_dtypes.float4_e2m1fn


def nibbles(codes: np.ndarray) -> np.ndarray:
    """Pairs of 4-bit codes as bytes, the first one low."""
    return (codes[..., 0::2] | codes[..., 1::2] << 4).astype(np.uint8)


@pytest.mark.parametrize("source", ["f32", "bf16"])
@pytest.mark.parametrize("target", ["fp8", "fp4"])
def test_pairs_are_divided_by_a_scale_and_packed(
    source: str, target: str, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use("gfx950")
    numpy_type = np.float32 if source == "f32" else ml_dtypes.bfloat16
    x = rng.choice([-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6], (64, 2)).astype(numpy_type)
    operation = getattr(fx.rocdl, f"cvt_scalef32_pk_{target}_{source}")

    def body(i: Any, x: Any, _: Any, __: Any) -> Any:
        pair = [x[i, 0], x[i, 1]] if source == "f32" else [row(x, i, 2, fx.BFloat16)]
        old = fx.Vector.filled(2, 0, fx.Int16) if target == "fp8" else fx.Int32(0)
        return [operation(old, *pair, fx.Float32(2.0), 0)] if target == "fp4" else operation(old, *pair, 2.0, False)

    out = np.zeros((64, 1), np.int32) if target == "fp4" else np.zeros((64, 2), np.int16)
    found = run(body, (x,), out, 64).view(np.uint8)
    halves = x.astype(np.float32) / 2
    if target == "fp8":
        np.testing.assert_array_equal(found[:, :2], halves.astype(FP8["gfx950"]).view(np.uint8))
    else:
        np.testing.assert_array_equal(found[:, :1], nibbles(halves.astype(FP4).view(np.uint8)))


@pytest.mark.parametrize("target", ["f32", "bf16"])
def test_packed_pairs_are_multiplied_by_a_scale(target: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use("gfx950")
    codes = rng.integers(0, 16, (64, 2)).astype(np.uint8)
    packed = nibbles(codes).astype(np.int32)

    def body(i: Any, x: Any, _: Any, __: Any) -> Any:
        return getattr(fx.rocdl, f"cvt_scalef32_pk_{target}_fp4")(x[i, 0], fx.Float32(4.0), 0)

    out = np.zeros((64, 2), np.float32 if target == "f32" else ml_dtypes.bfloat16)
    np.testing.assert_array_equal(
        run(body, (packed,), out, 64).astype(np.float32), 4 * codes.view(FP4).astype(np.float32)
    )


@pytest.mark.parametrize("chip", ["gfx950", "gfx1250"])
def test_two_floats_are_rounded_to_bfloat16(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x = rng.standard_normal((64, 2)).astype(np.float32)
    out = np.zeros((64, 2), ml_dtypes.bfloat16)
    run(lambda i, x, _, __: fx.rocdl.cvt_pk_bf16_f32(x[i, 0], x[i, 1]), (x,), out, 64)
    np.testing.assert_array_equal(out, x.astype(ml_dtypes.bfloat16))


ATOMICS = {
    "add": lambda x, v: x + v, "umin": np.minimum, "xor": np.bitwise_xor, "swap": lambda x, v: v,
    "fadd": lambda x, v: x + v,
}  # fmt: skip


@pytest.mark.parametrize("op", ATOMICS)
@pytest.mark.parametrize("chip", EVERY)
def test_a_buffer_atomic_gives_what_was_there(
    chip: str, op: str, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    dtype = np.float32 if op == "fadd" else np.int32
    x, v = (rng.integers(0, 99, (64, 1)).astype(dtype) for _ in range(2))
    before = x.copy()

    def body(i: Any, x: Any, v: Any, _: Any) -> Any:
        buffer = fx.rocdl.universal.make_buffer_ptr(fx.get_iter(x), num_records_bytes=4 * 60)
        return [fx.rocdl.raw_buffer_atomic(op, v[i, 0], buffer, i * 4)]

    old = run(body, (x, v), np.full((64, 1), 9, dtype), 64)
    inside = np.arange(64)[:, None] < 60
    np.testing.assert_array_equal(x, np.where(inside, ATOMICS[op](before, v), before))
    np.testing.assert_array_equal(old[inside], before[inside])


@pytest.mark.parametrize("chip", EVERY)
def test_the_operation_of_mlir_adds_to_a_buffer(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x, before = (values := smalls(rng, 64, 1).astype(np.float32)), values.copy()

    def body(i: Any, x: Any, _: Any, __: Any) -> Any:
        rsrc = fx.rocdl.get_buffer_rsrc(fx.rocdl.make_buffer_ptr(fx.get_iter(x)))
        fx.rocdl.raw_ptr_buffer_atomic_fadd(fx.Float32(2.5), rsrc, i * 4, 0, 0)
        return [fx.Float32(0)]

    run(body, (x,), np.zeros((64, 1), np.float32), 64)
    np.testing.assert_array_equal(x, before + 2.5)


@pytest.mark.parametrize("word", ["raw_ptr_buffer_load_lds", "buffer_load_to_lds"])
@pytest.mark.parametrize("chip", CDNA)
def test_a_buffer_is_loaded_into_lds(chip: str, word: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x = rng.standard_normal((64, 1)).astype(np.float32)

    def body(i: Any, x: Any, _: Any, __: Any) -> Any:
        lds = fx.recast_iter(fx.Float32, fx.SharedAllocator().allocate(4 * 64, 16))
        rsrc = fx.rocdl.get_buffer_rsrc(fx.rocdl.make_buffer_ptr(fx.get_iter(x)))
        getattr(fx.rocdl, word)(rsrc, lds, 4, i * 4, 0, 0, 0)
        fx.rocdl.s_waitcnt(vmcnt=0)
        fx.barrier()
        return [fx.make_view(lds, fx.make_layout(64, 1))[63 - i]]

    found = run(body, (x,), np.zeros((64, 1), np.float32), 64)
    np.testing.assert_array_equal(found, x[::-1])


@pytest.mark.parametrize("chip", ["gfx1201", "gfx1250"])
def test_a_barrier_in_two_parts_orders_the_waves(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x = rng.standard_normal((128, 1)).astype(np.float32)

    def body(i: Any, x: Any, _: Any, __: Any) -> Any:
        lds = fx.make_view(fx.recast_iter(fx.Float32, fx.SharedAllocator().allocate(4 * 128)), fx.make_layout(128, 1))
        lds[i] = x[i, 0]
        fx.rocdl.s_wait_dscnt(0)
        fx.rocdl.s_barrier_signal(-1)
        fx.rocdl.s_barrier_wait(-1)
        return [lds[127 - i]]

    np.testing.assert_array_equal(run(body, (x,), np.zeros((128, 1), np.float32), 128), x[::-1])


@pytest.mark.parametrize(("word", "bits"), [("ds_read_tr16_b64", 16), ("ds_read_tr8_b64", 8)])
def test_rows_of_lds_are_read_as_columns(word: str, bits: int, hipsim: HipsimBench) -> None:
    hipsim.use("gfx950")
    count = 64 // bits
    dtype, numpy_type = (fx.Int16, np.int16) if bits == 16 else (fx.Int8, np.int8)
    x = np.arange(64 * count).reshape(64, count).astype(numpy_type)
    result = fx.Vector.make_type(4, fx.Int16) if bits == 16 else fx.Vector.make_type(2, fx.Int32)

    def body(i: Any, x: Any, _: Any, __: Any) -> Any:
        lds = fx.recast_iter(dtype, fx.SharedAllocator().allocate(8 * 64, 16))
        view = fx.make_view(lds, fx.make_layout((64, count), (count, 1)))
        for k in fx.range_constexpr(count):
            view[i, k] = x[i, k]
        fx.barrier()
        return getattr(fx.rocdl, word)(result, lds + i * count)

    out = np.zeros((64, 4), np.int16) if bits == 16 else np.zeros((64, 2), np.int32)
    found = run(body, (x,), out, 64).view(numpy_type)
    rows = x.reshape(4, 16, count)  # 16 threads at a time
    per_row = 16 // count  # threads that hold one row of 16 elements
    expected = rows.reshape(4, 16 // per_row, 16).transpose(0, 2, 1)  # element j of row r to thread j
    np.testing.assert_array_equal(found.reshape(4, 16, count), expected)


REFUSED = {
    "mfma_f32_16x16x32_bf16": ("gfx942", lambda f: f(*[fx.Vector.filled(8, 0, fx.BFloat16)] * 2, fx.Float32x4(0))),
    "s_barrier_signal": ("gfx942", lambda f: f(-1)),
    "cvt_pk_bf16_f32": ("gfx1100", lambda f: f(1.0, 2.0)),
    "ds_read_tr16_b64": ("gfx1250", lambda f: f(fx.Int32x2, None)),
    "smfmac_f32_16x16x32_f16": ("gfx90a", lambda f: f(1, 2, 3, 4)),
    "buffer_load_to_lds": ("gfx1100", lambda f: f(None, None, 4, 0)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_operation_that_the_target_lacks_names_those_that_have_it(name: str, hipsim: HipsimBench) -> None:
    chip, call = REFUSED[name]
    hipsim.use(chip)
    with pytest.raises(UnsupportedTargetError, match=rf"{chip} has no fx\.rocdl\.{name}; chips that have it: gfx\d+"):
        run(lambda i, x, y, z: [call(getattr(fx.rocdl, name))], (), np.zeros((64, 1), np.float32), 64)


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
def test_a_sparse_matrix_operation_multiplies(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    values, b = smalls(rng, 16, 16), smalls(rng, 16, 32)  # of four elements of A, the first and third are stored
    a = np.zeros((16, 32))
    a[:, 0::4], a[:, 2::4] = values[:, 0::2], values[:, 1::2]

    def body(i: Any, x: Any, y: Any, _: Any) -> Any:
        operands = [row(x, i, 4, fx.Float16), row(y, i, 8, fx.Float16), fx.Vector.filled(4, 0, fx.Float32)]
        return fx.rocdl.smfmac_f32_16x16x32_f16(*operands, fx.Int32(0x88))  # positions 0 and 2, twice

    lanes = (mfma_lanes(values, 4, np.float16), mfma_lanes(b, 8, np.float16))
    found = run(body, lanes, np.zeros((64, 4), np.float32), 64)
    np.testing.assert_array_equal(mfma_result(found, 16), a @ b.T)
