"""Loads that transpose, in tiled copies on simulated GPUs: their layouts say what the instructions do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError, FrontendError, UnsupportedTargetError
from flydsl_hipsim.bench import HipsimBench

KINDS = {16: (fx.Float16, np.float16), 8: (fx.Int8, np.int8)}


def lds_op(chip: str, granularity: int) -> Any:
    if chip == "gfx950":
        return fx.rocdl.cdna4.LDSReadTrans(granularity, 64)
    return fx.rocdl.cdna5.LDSLoadTrans(granularity, 128 if granularity == 16 else 64)


def through_lds(chip: str, granularity: int, columns: int, rows: int, threads: int) -> Any:
    """A wave copies a tile to LDS, and from there by columns; each thread stores what it has received."""
    dtype = KINDS[granularity][0]

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        count = rows * columns
        shared = fx.make_view(
            fx.recast_iter(dtype, fx.SharedAllocator().allocate(count * dtype.width // 8, 16)),
            fx.make_layout((columns, rows), (1, columns)),
        )
        flat = fx.make_view(fx.get_iter(shared), fx.make_layout(count, 1))
        for k in fx.range_constexpr(count // threads):
            flat[i + threads * k] = x[i + threads * k]
        fx.barrier()
        atom = fx.make_copy_atom(lds_op(chip, granularity), dtype)
        tiled = fx.make_tiled_copy(atom, atom.layout_ref_tv, fx.make_tile(columns, atom_rows(atom, columns)))
        part = tiled.get_slice(i)
        source = part.partition_S(shared)
        target = part.partition_D(fx.make_view(fx.get_iter(y), shared.layout))
        received = fx.make_fragment_like(target)
        fx.copy(atom, source, received)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy(dtype.width), dtype), received, target)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=threads)

    return host


def atom_rows(atom: Any, columns: int) -> int:
    return int(fx.size(atom.layout_ref_tv)) // columns


LDS = [("gfx950", 16, 16, 16, 16), ("gfx950", 8, 16, 16, 16)]
LDS += [("gfx1250", 16, 16, 16, 32), ("gfx1250", 8, 16, 32, 32), ("gfx1250", 16, 16, 48, 32)]


@pytest.mark.parametrize(("chip", "granularity", "columns", "rows", "threads"), LDS)
def test_columns_of_a_tile_in_lds(
    hipsim: HipsimBench, chip: str, granularity: int, columns: int, rows: int, threads: int, rng
):
    hipsim.use(chip)
    x = rng.integers(-100, 100, rows * columns).astype(KINDS[granularity][1])
    y = np.zeros_like(x)
    through_lds(chip, granularity, columns, rows, threads)(x, y)
    np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("chip", ["gfx1201", "gfx1250"])
@pytest.mark.parametrize(("granularity", "bits"), [(16, 128), (8, 64)])
def test_columns_of_a_tile_in_global_memory(hipsim: HipsimBench, chip: str, granularity: int, bits: int, rng):
    hipsim.use(chip)
    dtype, array = KINDS[granularity]

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        generation = fx.rocdl.rdna4 if chip == "gfx1201" else fx.rocdl.cdna5
        atom = fx.make_copy_atom(generation.GlobalLoadTrans(granularity, bits), dtype)
        part = fx.make_tiled_copy(atom, atom.layout_ref_tv, fx.make_tile(16, 16)).get_slice(fx.thread_idx.x)
        layout = fx.make_layout((16, 48), (1, 16))
        source, target = (fx.make_view(fx.get_iter(t), layout) for t in (x, y))
        received = fx.make_fragment_like(part.partition_D(target))
        fx.copy(atom, part.partition_S(source), received)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy(dtype.width), dtype), received, part.partition_D(target))

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=32)

    x = rng.integers(-100, 100, 48 * 16).astype(array)
    y = np.zeros_like(x)
    host(x, y)
    np.testing.assert_array_equal(y, x)


def test_each_chip_has_its_own_and_others_are_told(hipsim: HipsimBench):
    hipsim.use("gfx942")

    @flyc.kernel
    def kernel(x: fx.Tensor, op: fx.Constexpr):
        fx.make_copy_atom(op(), fx.Float16)

    @flyc.jit
    def host(x: fx.Tensor, op: fx.Constexpr):
        kernel(x, op).launch(grid=1, block=32)

    x = np.zeros(4, np.float16)
    cases = {"gfx1250": lambda: fx.rocdl.cdna5.LDSLoadTrans(16, 128), "gfx950": fx.rocdl.cdna4.LDSReadTrans16_64b}
    for having, op in cases.items():
        with pytest.raises(UnsupportedTargetError, match=f"gfx942 has no fx.rocdl.cdna.*chips that have it: {having}"):
            host(x, op)
    hipsim.use("gfx1250")
    with pytest.raises(FrontendError, match=r"lds_load_trans is \(4b, 64\), .* \(6b, 96\), found \(16b, 64\)"):
        host(x, lambda: fx.rocdl.cdna5.LDSLoadTrans(16, 64))
    hipsim.use("gfx1201")
    with pytest.raises(UnsupportedTargetError, match=r"is \(8, 64\) or \(16, 128\) on RDNA4, found \(4, 64\)"):
        host(x, lambda: fx.rocdl.rdna4.GlobalLoadTrans(4, 64))


def from_plain_memory(x: fx.Tensor):
    atom = fx.make_copy_atom(fx.rocdl.cdna5.LDSLoadTrans(16, 128), fx.Float16)
    part = fx.make_tiled_copy(atom, atom.layout_ref_tv, fx.make_tile(16, 16)).get_slice(fx.thread_idx.x)
    tile = fx.make_view(fx.get_iter(x), fx.make_layout((16, 16), (1, 16)))
    fx.copy(atom, part.partition_S(tile), fx.make_fragment_like(part.partition_D(tile)))


def rows_that_are_not_contiguous(x: fx.Tensor):
    atom = fx.make_copy_atom(fx.rocdl.cdna5.GlobalLoadTrans(16, 128), fx.Float16)
    part = fx.make_tiled_copy(atom, atom.layout_ref_tv, fx.make_tile(16, 16)).get_slice(fx.thread_idx.x)
    tile = fx.make_view(fx.get_iter(x), fx.make_layout((16, 16), (16, 1)))
    fx.copy(atom, part.partition_S(tile), fx.make_fragment_like(part.partition_D(tile)))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (from_plain_memory, "lds_load_trans<.*> copies shared memory to registers, found !fly.memref<f16, global"),
        (
            rows_that_are_not_contiguous,
            "global_load_trans<.*> moves 128 contiguous bits, but its source has",
        ),
    ],
)
def test_tiles_that_the_instruction_cannot_read_are_errors_at_the_copy(hipsim: HipsimBench, body: Any, message: str):
    hipsim.use("gfx1250")
    made = flyc.kernel(body)

    @flyc.jit
    def host(x: fx.Tensor):
        made(x).launch(grid=1, block=32)

    with pytest.raises(FlyDSLError, match=message) as caught:
        host(np.zeros(256, np.float16))
    assert "fx.copy(" in str(caught.value)


@flyc.kernel
def product_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    """A wave multiplies a tile of rows of K by one of rows of N, which is transposed on the way from LDS."""
    i = fx.thread_idx.x
    kind = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 32, fx.Float16))
    mma = fx.make_tiled_mma(kind, fx.make_layout((1, 1, 1), (1, 1, 1)))
    a, c = (fx.make_view(fx.get_iter(x), fx.make_layout((16, n), (n, 1))) for x, n in ((a, 32), (c, 16)))
    part = mma.get_slice(i)
    layout = fx.make_layout((16, 32), (1, 16))
    shared = fx.make_view(fx.recast_iter(fx.Float16, fx.SharedAllocator().allocate(1024, 16)), layout)
    flat = fx.make_view(fx.get_iter(shared), fx.make_layout(512, 1))
    for k in fx.range_constexpr(8):
        flat[i + 64 * k] = b[(i + 64 * k) // 16, (i + 64 * k) % 16]
    fx.barrier()
    atom = fx.make_copy_atom(fx.rocdl.cdna4.LDSReadTrans16_64b(), fx.Float16)
    copy = fx.make_tiled_copy_B(atom, mma).get_slice(i)
    one = fx.make_copy_atom(fx.UniversalCopy16b(), fx.Float16)
    of_a, of_b, of_c = part.make_fragment_A(a), part.make_fragment_B(shared), part.make_fragment_C(c)
    fx.copy(one, part.partition_A(a), of_a)
    fx.copy(atom, copy.partition_S(shared), copy.retile(of_b))
    of_c.fill(0)
    fx.gemm(mma, of_c, of_a, of_b, of_c)
    fx.copy(fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32), of_c, part.partition_C(c))


@flyc.jit
def product(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    product_kernel(a, b, c).launch(grid=1, block=64)


def test_an_operand_of_a_product_is_transposed_on_its_way_from_lds(hipsim: HipsimBench, rng):
    hipsim.use("gfx950")
    a, b = rng.integers(-4, 5, (16, 32)).astype(np.float16), rng.integers(-4, 5, (32, 16)).astype(np.float16)
    c = np.full((16, 16), np.nan, np.float32)
    product(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
