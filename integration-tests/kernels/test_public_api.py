"""The public names at work: vector aliases, IR types by name, protocols, address spaces, layouts' parts."""

from __future__ import annotations

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.struct import Align, Array

N = 32


def launch(kernel, *arguments, block=1):
    """Launch `kernel` with `block` threads."""
    jit_for(len(arguments))(kernel, block, *arguments)


@flyc.jit
def _one(kernel: fx.Constexpr, block: fx.Constexpr[int], x: fx.Tensor):
    kernel(x).launch(grid=1, block=block)


@flyc.jit
def _two(kernel: fx.Constexpr, block: fx.Constexpr[int], x: fx.Tensor, y: fx.Tensor):
    kernel(x, y).launch(grid=1, block=block)


@flyc.jit
def _three(kernel: fx.Constexpr, block: fx.Constexpr[int], x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    kernel(x, y, z).launch(grid=1, block=block)


def jit_for(count):
    return {1: _one, 2: _two, 3: _three}[count]


# bits of 1, 8 and 128


@flyc.kernel
def wide(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    a = fx.Uint128(x[i])
    b = (a << 64) + a
    y[i, 0] = fx.Uint64(b >> 64)
    y[i, 1] = fx.Uint64((b * fx.Uint128(3)) >> 65)
    y[i, 2] = fx.Uint64(b > (a << 63))


def test_uint128_arithmetic():
    x = np.random.default_rng(4).integers(1, 2**64, N, dtype=np.uint64)
    y = np.zeros((N, 3), np.uint64)
    launch(wide, x, y, block=N)
    b = [(int(a) << 64) + int(a) for a in x]
    expected = [[v >> 64, ((v * 3) % 2**128 >> 65) % 2**64, v > int(a) << 63] for v, a in zip(b, x, strict=True)]
    np.testing.assert_array_equal(y, np.array(expected, dtype=object).astype(np.uint64))


@flyc.kernel
def flags(x: fx.Tensor, y: fx.Tensor):
    v = fx.Vector.load(fx.Float32x8, x, 0)
    chosen = (v > 0) & (v < 1)
    chosen.select(v, fx.full_like(v, -1)).store(y, 0)
    y[8] = fx.Float32(chosen.to(fx.Int32).reduce(fx.ReductionOp.ADD))


def test_vectors_of_booleans():
    x = np.random.default_rng(5).standard_normal(8).astype(np.float32)
    y = np.zeros(9, np.float32)
    launch(flags, x, y)
    chosen = (x > 0) & (x < 1)
    np.testing.assert_array_equal(y, [*np.where(chosen, x, -1), chosen.sum()])


# IR types


@flyc.kernel
def typed_pointers(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    base = fx.get_iter(x)
    kind = fx.PointerType.get(fx.Int32, fx.AddressSpace.Global, 4)
    again = fx.inttoptr(kind, fx.ptrtoint(base) + fx.Int64(4 * i))
    y[i, 0] = again.load()
    y[i, 1] = fx.recast_iter(fx.PointerType.get(fx.T.i16, base.address_space, 2), base)[2 * i]
    registers = fx.make_ptr(fx.PointerType.get(fx.Int32, fx.AddressSpace.Register), [], dict_attrs={"allocSize": 2})
    registers[0] = again[0] + 1
    registers[1] = fx.Int32(fx.is_generic_address_space(registers.address_space, fx.AddressSpace.Register))
    y[i, 2] = registers[0] * registers[1]
    y[i, 3] = fx.Int32(fx.is_target_address_space(base.address_space, fx.AddressSpace.Global))


def test_pointer_types():
    x = np.random.default_rng(6).integers(-(2**30), 2**30, N, dtype=np.int32)
    y = np.zeros((N, 4), np.int32)
    launch(typed_pointers, x, y, block=N)
    expected = np.stack([x, x.view(np.int16)[::2], x + 1, np.zeros_like(x)], 1)
    np.testing.assert_array_equal(y, expected)


@flyc.kernel
def typed_tensors(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    kind = fx.MemRefType.get(fx.T.f32, fx.LayoutType.get((2, 2), (1, 2)), fx.AddressSpace.Register)
    tile = fx.memref_alloca(kind, fx.make_layout((2, 2), (1, 2)))
    copy = fx.make_copy_atom(fx.CopyOpUniversalCopyType.get(128), fx.Float32)
    source = fx.make_view(fx.get_iter(x) + 4 * i, fx.make_layout((2, 2), (1, 2)))
    line = fx.make_layout(4, 1)
    fx.copy_atom_call(copy, fx.make_view(source.iter, line), fx.make_view(tile.iter, line))
    fma = fx.make_mma_atom(fx.MmaOpUniversalFMAType.get(fx.Float32))
    total = fx.make_rmem_tensor(1, fx.Float32)
    total.fill(0.5)
    one = fx.make_layout(1, 1)
    for step in fx.range_constexpr(2):
        a, b = (fx.make_view(tile.iter + (step + 2 * k), one) for k in range(2))
        fx.mma_atom_call(fma, total, a, b, total)
    y[i] = total[0]


def test_tensor_and_atom_types():
    x = np.random.default_rng(7).standard_normal(N).astype(np.float32)
    y = np.zeros(N // 4, np.float32)
    launch(typed_tensors, x, y, block=N // 4)
    tiles = x.reshape(-1, 4).astype(np.float64)
    np.testing.assert_allclose(y, 0.5 + tiles[:, 0] * tiles[:, 2] + tiles[:, 1] * tiles[:, 3], rtol=1e-5)


@flyc.kernel
def layout_parts(y: fx.Tensor):
    swizzle = fx.static(fx.SwizzleType.get(2, 0, 3))
    composed = fx.make_composed_layout(swizzle, 5, fx.make_layout((8, 8), (8, 1)))
    inner, outer = fx.composed_get_inner(composed), fx.composed_get_outer(composed)
    offset = fx.get_scalar(fx.composed_get_offset(composed))
    row, column = fx.thread_idx.x, fx.block_idx.x
    plain = fx.get_scalar(fx.crd2idx((row, column), outer)) + offset
    low = (plain >> (inner.base + inner.shift)) & ((1 << inner.mask) - 1)
    y[row, 0] = composed(row, column)
    y[row, 1] = plain ^ (low << inner.base)
    y[row, 2] = fx.Int32(fx.has_none((row, None))) * 2 + fx.Int32(fx.has_none((row, (1, 2))))
    y[row, 3] = fx.get_scalar(fx.crd2idx((row, 2), fx.make_layout((8, 4), (1, row + 8))))


def test_parts_of_composed_layouts():
    y = np.zeros((8, 4), np.int32)
    launch(layout_parts, y, block=8)
    np.testing.assert_array_equal(y[:, 0], y[:, 1])
    plain = 8 * np.arange(8) + 5
    np.testing.assert_array_equal(y[:, 0], plain ^ (plain >> 3 & 3))
    np.testing.assert_array_equal(y[:, 2], 2)
    np.testing.assert_array_equal(y[:, 3], np.arange(8) + 2 * (np.arange(8) + 8))


@flyc.kernel
def basis(x: fx.Tensor, y: fx.Tensor):
    coordinates = fx.make_view((0, 0), fx.make_layout((4, 8), (fx.E(1), 2 * fx.E(0))))
    i = fx.thread_idx.x
    row, column = coordinates[i % 4, i // 4].unpack()
    y[i] = fx.get_scalar(row) * 100 + fx.get_scalar(column)
    x[i] = fx.get_scalar(coordinates[1, 2][0]) + fx.Int32(fx.Basis(3, (0, 1)) == 3 * fx.E(0, 1))


def test_basis_elements():
    x, y = np.zeros(N, np.int32), np.zeros(N, np.int32)
    launch(basis, x, y, block=N)
    i = np.arange(N)
    np.testing.assert_array_equal(y, i // 4 * 2 * 100 + i % 4)
    np.testing.assert_array_equal(x, 5)


# storage


@fx.struct
class Record:
    flag: fx.Uint8
    lanes: fx.Float32x4
    tail: Align[Array[fx.Int16, 3], 8]


def other_flag(record):
    return record.flag.peek() + 1


@flyc.kernel
def storage(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    shared = fx.SharedAllocator().allocate(fx.Array[Record, 8])
    mine = shared[i]
    mine.lanes = fx.Vector.load(fx.Float32x4, x, 4 * i)
    mine.flag = fx.Uint8(i)
    mine.tail[2] = fx.Int16(i - 3)
    fx.barrier()
    copy = Record(flag=other_flag(shared[i]), lanes=mine.lanes.peek(), tail=mine.tail)
    y[i, 2] = copy.lanes[3] + fx.Float32(copy.flag)
    other = shared[7 - i]
    lanes = other.lanes.peek()
    y[i, 0] = (lanes * fx.Float32x4([1, 2, 3, 4])).reduce("add")
    y[i, 1] = fx.Float32(other.flag.peek()) + fx.Float32(other.tail[2]) * 100


def test_vectors_are_stored_in_records():
    assert flyc.protocol.dsl_size_of(Record) == 48
    assert flyc.protocol.dsl_align_of(Record) == 16
    assert flyc.protocol.dsl_align_of(fx.Float16x2) == 4
    x = np.random.default_rng(8).standard_normal(N).astype(np.float32)
    y = np.zeros((8, 3), np.float32)
    launch(storage, x, y, block=8)
    sums = (x.reshape(8, 4).astype(np.float64) * [1, 2, 3, 4]).sum(1)[::-1]
    other = 7 - np.arange(8)
    expected = np.stack([sums, other + (other - 3) * 100, x[3::4] + np.arange(8) + 1], 1)
    np.testing.assert_allclose(y, expected, rtol=1e-5)


# values in and out of the IR


@flyc.kernel
def boxed(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    value = fx.as_dsl_value(fx.as_ir_value(x[i]), fx.Uint32)
    y[i, 0] = fx.Int32(value // 3)
    y[i, 1] = fx.as_dsl_value(fx.as_ir_value(x[i])) // 3
    y[i, 2] = fx.as_dsl_value(fx.as_ir_value(7)) + fx.as_ir_value(8, keep_static=True)
    y[i, 3] = fx.Int32(fx.as_ir_value(fx.Int32(5), keep_static=True) == 5)


def test_values_as_ir_values():
    x = np.random.default_rng(9).integers(-(2**31), 2**31, N, dtype=np.int32)
    y = np.zeros((N, 4), np.int32)
    launch(boxed, x, y, block=N)
    unsigned = (x.view(np.uint32) // 3).astype(np.int32)
    np.testing.assert_array_equal(y, np.stack([unsigned, x // 3, np.full(N, 15), np.ones(N)], 1))


# scalars' methods, atoms by call, slices of tiled copies


@flyc.kernel
def scalar_methods(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    a, b = x[i], x[(i + 1) % N]
    y[i, 0] = a.addf(b, fastmath=fx.FastMathFlags.contract)
    y[i, 1] = a.maximumf(b)
    y[i, 2] = a.minimumf(b)
    y[i, 3] = a.exp2()
    y[i, 4] = fx.Float32(a.to(fx.BFloat16, rounding_mode=fx.RoundingMode.toward_zero))
    bits = a.bitcast(fx.Int32)
    z[i, 0] = bits.shrui(3)
    z[i, 1] = (bits < 0).select(bits, 5)
    z[i, 2] = bits.shuffle_xor(1, 32)


def test_methods_of_scalars():
    x = np.random.default_rng(10).standard_normal(N).astype(np.float32)
    y, z = np.zeros((N, 5), np.float32), np.zeros((N, 3), np.int32)
    launch(scalar_methods, x, y, z, block=N)
    b, bits = np.roll(x, -1), x.view(np.int32)
    cut = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    np.testing.assert_allclose(y, np.stack([x + b, np.maximum(x, b), np.minimum(x, b), np.exp2(x), cut], 1), rtol=1e-6)
    shifted = (x.view(np.uint32) >> 3).astype(np.int32)
    swapped = bits.reshape(-1, 2)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(z, np.stack([shifted, np.where(bits < 0, bits, 5), swapped], 1))


@flyc.kernel
def gemm_by_call(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
    a, b = (fx.make_rmem_tensor(fx.make_layout((1, m, 4)), fx.Float32) for m in (2, 3))
    d = fx.make_rmem_tensor(fx.make_layout((1, 2, 3)), fx.Float32)
    for m in fx.range_constexpr(3):
        for k in fx.range_constexpr(4):
            b[0, m, k] = y[m, k]
            if fx.const_expr(m < 2):
                a[0, m, k] = x[m, k]
    d.fill(0.5)
    seen = []

    def note(atom, place):
        seen.append(place)

    fx.gemm(atom, d, a, b, d, traversal_order=fx.GemmTraversalOrder.KMN_Serpentine, atom_callback=note)
    assert seen[:5] == [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3), (1, 0, 3)]
    assert len(set(seen)) == 24
    for m in fx.range_constexpr(2):
        for n in fx.range_constexpr(3):
            z[m, n] = d[0, m, n]


def test_gemm_with_an_atom_for_each_call():
    rng = np.random.default_rng(11)
    x, y = (rng.standard_normal((m, 4)).astype(np.float32) for m in (2, 3))
    z = np.zeros((2, 3), np.float32)
    launch(gemm_by_call, x, y, z)
    np.testing.assert_allclose(z, x.astype(np.float64) @ y.T + 0.5, rtol=1e-5)


@flyc.kernel
def copy_slice(thread: fx.ThrCopy, x: fx.Tensor, y: fx.Tensor):
    part = thread
    if fx.thread_idx.x > 3:
        part = thread.get_slice(fx.thread_idx.x)
    for _step in range(fx.Int32(1)):
        part = part.get_slice(part.thr_idx + 0)
    fx.copy(part, part.partition_S(x), part.partition_D(y))


@flyc.jit
def run_copy_slice(x: fx.Tensor, y: fx.Tensor):
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    tiled = fx.make_tiled_copy(atom, fx.make_layout((8, 4), (4, 1)), fx.make_tile(32))
    copy_slice(tiled.get_slice(3), x, y).launch(grid=1, block=8)


def test_slices_of_tiled_copies_pass_through_kernel_arguments_and_control_flow():
    x, y = np.random.default_rng(12).standard_normal(N).astype(np.float32), np.zeros(N, np.float32)
    run_copy_slice(flyc.from_dlpack(x), flyc.from_dlpack(y))
    np.testing.assert_array_equal(y, np.where(np.arange(N) // 4 >= 3, x, 0))
