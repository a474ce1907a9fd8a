"""Products and moves of warps: their instructions in PTX, which the assembler takes, and what a chip lacks."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl_cuda.code_object import CodeObject

M, N, K = 64, 64, 32


def product(ab: Any, k: int, acc: Any, arch: str = "sm_80", by_matrices: int = 0) -> CodeObject:
    """A tile of A B^T by two by two warps; with `by_matrices` staged asynchronously and read so many at a time."""

    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
        atom = fx.make_mma_atom(fx.nvvm.MMA(16, 8, k, ab, acc))
        mma = fx.make_tiled_mma(atom, fx.make_layout((2, 2, 1), (1, 2, 0)), fx.make_tile(32, 32, k))
        thread = fx.thread_idx.x
        own = mma.get_slice(thread)
        held_a, held_b, held_c = mma.make_fragment_A(a), mma.make_fragment_B(b), mma.make_fragment_C(c)
        held_c.fill(0)
        if fx.const_expr(by_matrices):
            shared = fx.SharedAllocator()
            tiles = [shared.allocate(fx.Array[ab, M * K, 128]).view(fx.make_layout((M, K), (K, 1))) for _ in range(2)]
            stage = fx.make_copy_atom(fx.nvvm.CpAsync(128), ab)
            threads, values = fx.make_layout((32, 4), (4, 1)), fx.make_layout((1, 8), (8, 1))
            copy = fx.make_tiled_copy_tv(stage, threads, values).get_slice(thread)
            for source, tile in zip((a, b), tiles, strict=True):
                fx.copy(stage, copy.partition_S(source), copy.partition_D(tile))
            fx.nvvm.cp_async_commit_group()
            fx.nvvm.cp_async_wait_group(0)
            fx.barrier()
            read = fx.make_copy_atom(fx.nvvm.LdMatrix(by_matrices), ab)
            copy_a, copy_b = (
                make(read, mma).get_slice(thread) for make in (fx.make_tiled_copy_A, fx.make_tiled_copy_B)
            )
            fx.copy(read, copy_a.partition_S(tiles[0]), copy_a.retile(held_a))
            fx.copy(read, copy_b.partition_S(tiles[1]), copy_b.retile(held_b))
        else:
            move = fx.make_copy_atom(fx.UniversalCopy(ab.width), ab)
            fx.copy(move, own.partition_A(a), held_a)
            fx.copy(move, own.partition_B(b), held_b)
        fx.gemm(mma, held_c, held_a, held_b, held_c)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy(acc.width), acc), held_c, own.partition_C(c))

    @flyc.jit
    def launch(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
        kernel(a, b, c).launch(grid=1, block=128)

    import ml_dtypes

    names = {"BFloat16": ml_dtypes.bfloat16, "Float8E4M3FN": ml_dtypes.float8_e4m3fn}
    dtypes = [np.dtype(names.get(kind.__name__, kind.__name__.lower())) for kind in (ab, acc)]
    arrays = [np.zeros((M, K), dtypes[0]), np.zeros((N, K), dtypes[0]), np.zeros((M, N), dtypes[1])]
    arguments = [flyc.from_dlpack(array, assumed_align=16) for array in arrays]
    return CodeObject.from_bytes(launch.trace(*arguments, backend="cuda", arch=arch).lower().compile().device)


@pytest.mark.parametrize(
    ("ab", "k", "acc", "types"),
    [
        (fx.Float16, 16, fx.Float32, "f32.f16.f16.f32"),
        (fx.Float16, 8, fx.Float16, "f16.f16.f16.f16"),
        (fx.BFloat16, 16, fx.Float32, "f32.bf16.bf16.f32"),
        (fx.Float32, 8, fx.Float32, "f32.tf32.tf32.f32"),
        (fx.Float32, 4, fx.Float32, "f32.tf32.tf32.f32"),
        (fx.Int8, 32, fx.Int32, "s32.s8.s8.s32"),
        (fx.Float8E4M3FN, 32, fx.Float32, "f32.e4m3.e4m3.f32"),
    ],
)
def test_products_are_instructions_of_the_warp(ab: Any, k: int, acc: Any, types: str) -> None:
    code = product(ab, k, acc, "sm_90a" if ab.width == 8 and ab.is_float else "sm_80")
    found = re.findall(rf"mma\.sync\.aligned\.m16n8k{k}\.row\.col\.{re.escape(types)} ", code.ptx)
    assert len(found) == (M // 32) * (N // 16) * (K // k)
    assert [(one.spill_stores, one.stack) for one in code.kernels.values()] == [(0, 0)] * len(code.kernels)


@pytest.mark.parametrize("num", [1, 2, 4])
def test_operands_are_staged_without_registers_and_read_as_matrices(num: int) -> None:
    code = product(fx.Float16, 16, fx.Float32, by_matrices=num)
    assert code.ptx.count("cp.async.cg.shared.global") == 4
    assert code.ptx.count(f"ldmatrix.sync.aligned.m8n8.x{num}.shared.b16") == 8 * 4 // num
    assert code.ptx.count("mma.sync") == 16
    order = [
        code.ptx.index(text) for text in ("cp.async.cg", "commit_group", "wait_group 0", "bar", "ldmatrix", "mma.")
    ]
    assert order == sorted(order)
    assert [(one.spill_stores, one.stack) for one in code.kernels.values()] == [(0, 0)] * len(code.kernels)


def test_matrices_are_stored_from_sm_90_on(traced_ptx: Any) -> None:
    def body(x: fx.Tensor) -> None:
        atom = fx.make_copy_atom(fx.nvvm.StMatrix(2, trans=True), fx.Float16)
        tile = fx.SharedAllocator().allocate(fx.Array[fx.Float16, 128, 128]).view(fx.make_layout((16, 8), (8, 1)))
        held = fx.make_rmem_tensor(4, fx.Float16)
        held.fill(1)
        fx.copy_atom_call(atom, held, tile[fx.thread_idx.x % 16, None])

    assert "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16" in traced_ptx(body)
    with pytest.raises(UnsupportedTargetError, match=r"sm_80 has no fx\.nvvm\.StMatrix"):
        traced_ptx(body, arch="sm_80")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: fx.nvvm.MMA(16, 8, 4, fx.Float16), FrontendError, "16x8x8, 16x8x16"),
        (lambda: fx.nvvm.MMA(16, 8, 32, fx.Float8E4M3FN), UnsupportedTargetError, "sm_80 has no"),
        (lambda: fx.nvvm.LdMatrix(3), FrontendError, "1, 2 or 4"),
        (lambda: fx.nvvm.LdMatrix("4"), FrontendError, "num of fx.nvvm.LdMatrix is an integer .*, found '4'"),
        (lambda: fx.nvvm.LdMatrix(4, trans="no"), FrontendError, "trans of fx.nvvm.LdMatrix is True or False"),
        (lambda: fx.nvvm.CpAsync("128"), FrontendError, "bits of fx.nvvm.CpAsync is an integer .*, found '128'"),
        (lambda: fx.nvvm.GlobalCopy(64.0), FrontendError, "bits of fx.nvvm.GlobalCopy is an integer .*, found 64.0"),
        (lambda: fx.nvvm.MMA(16.0, 8, 16, fx.Float16), FrontendError, "m of fx.nvvm.MMA is an integer .*, found 16.0"),
        (
            lambda: fx.nvvm.MMA(16, 8, 16, fx.Uint8),
            FrontendError,
            "multiplies signed integers .*, fx.Int8; found Uint8",
        ),
        (lambda: fx.nvvm.MMA(16, 8, 16, fx.Float16, "f32"), FrontendError, "accumulator of fx.nvvm.MMA has an element"),
    ],
)
def test_what_there_is_not_is_an_error(traced_ptx: Any, make: Any, error: type[Exception], message: str) -> None:
    def body(x: fx.Tensor) -> None:
        op = make()
        fx.make_mma_atom(op) if "Matrix(" in repr(op) else fx.make_copy_atom(op, fx.Float16)

    with pytest.raises(error, match=message):
        traced_ptx(body, arch="sm_80")
