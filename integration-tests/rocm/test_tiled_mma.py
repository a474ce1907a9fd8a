"""The kernel text that runs on the CPU, compiled for AMD's matrix instructions; and each atom by its instruction."""

from __future__ import annotations

import numpy as np
import pytest
from support.matmul import copied_matmul_of, matmul_of

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError


def isa_of(function, arch, *arrays):
    return function.trace(*arrays, arch=arch).lower().compile().disassemble()


def matrices(dtype, accumulator, m=64, n=48, k=32):
    return np.zeros((m, k), dtype), np.zeros((n, k), dtype), np.zeros((m, n), accumulator)


def mfma(*arguments, **options):
    return lambda: fx.rocdl.MFMA(*arguments, **options)


def wmma(*arguments):
    return lambda: fx.rocdl.WMMA(*arguments)


def scaled(*extents, **options):
    return lambda: fx.rocdl.WMMAScale(*extents, fx.Float8E4M3FN, **options)


def scaled_mfma():
    return fx.rocdl.cdna4.MFMA_Scale(16, 16, 128, fx.Float8E4M3FN)


FN, FNUZ = fx.Float8E4M3FN, fx.Float8E4M3FNUZ
PRODUCTS = [
    ("gfx942", mfma(16, 16, 4, fx.Float32), np.float32, np.float32, "v_mfma_f32_16x16x4_f32"),
    ("gfx90a", mfma(32, 32, 2, fx.Float32), np.float32, np.float32, "v_mfma_f32_32x32x2f32"),
    ("gfx942", mfma(16, 16, 16, fx.Float16), np.float16, np.float32, "v_mfma_f32_16x16x16_f16"),
    ("gfx950", mfma(16, 16, 32, fx.Float16), np.float16, np.float32, "v_mfma_f32_16x16x32_f16"),
    ("gfx1100", wmma(16, 16, 16, fx.Float16), np.float16, np.float32, "v_wmma_f32_16x16x16_f16"),
    ("gfx1201", wmma(16, 16, 16, fx.Float16), np.float16, np.float32, "v_wmma_f32_16x16x16_f16"),
    ("gfx1250", wmma(16, 16, 32, fx.Float16), np.float16, np.float32, "v_wmma_f32_16x16x32_f16"),
]


@pytest.mark.parametrize(("arch", "op", "dtype", "accumulator", "instruction"), PRODUCTS)
def test_the_kernel_of_the_cpu_becomes_matrix_instructions(arch, op, dtype, accumulator, instruction):
    matmul = matmul_of(op, ((2, 2, 1), (1, 2, 1)), None, (1, 2, 1))
    assert isa_of(matmul, arch, *matrices(dtype, accumulator)).count(instruction) == 2


@pytest.mark.parametrize(("arch", "op", "dtype", "accumulator", "instruction"), PRODUCTS)
def test_tiled_copies_of_the_operands_feed_matrix_instructions(arch, op, dtype, accumulator, instruction):
    matmul = copied_matmul_of(op, ((2, 1, 1), (1, 1, 1)), None, (1, 1, 2))
    assert isa_of(matmul, arch, *matrices(dtype, accumulator)).count(instruction) == 2


def one_call(op, a, b, acc, **state):
    """A kernel of one atom call on registers; what they hold comes from memory."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        atom = fx.make_mma_atom(op())
        tvs = atom.layout_A_tv, atom.layout_B_tv, atom.layout_C_tv
        counts = [int(fx.size(fx.get_(tv.shape, 1))) for tv in tvs]
        frags = [fx.make_rmem_tensor(count, kind) for count, kind in zip(counts, (a, b, acc), strict=True)]
        for frag, kind in zip(frags, (a, b, acc), strict=True):
            frag.fill(kind(1))
        fx.mma_atom_call(atom, frags[2], *frags, **state)
        for i in fx.range_constexpr(counts[2]):
            y[fx.thread_idx.x, i] = fx.Float32(frags[2][i])

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=64)

    return launch


ATOMS = [
    ("gfx942", "MFMA", (32, 32, 8, fx.BFloat16), "v_mfma_f32_32x32x8_bf16"),
    ("gfx90a", "MFMA", (16, 16, 8, fx.BFloat16), "v_mfma_f32_16x16x8bf16"),
    ("gfx942", "MFMA", (16, 16, 32, fx.Int8), "v_mfma_i32_16x16x32_i8"),
    ("gfx942", "MFMA", (16, 16, 32, fx.Float8E4M3FNUZ), "v_mfma_f32_16x16x32_fp8_fp8"),
    ("gfx950", "MFMA", (32, 32, 16, (fx.Float8E4M3FN, fx.Float8E5M2)), "v_mfma_f32_32x32x16_fp8_bf8"),
    ("gfx950", "MFMA", (16, 16, 32, fx.BFloat16), "v_mfma_f32_16x16x32_bf16"),
    ("gfx1100", "WMMA", (16, 16, 16, fx.BFloat16), "v_wmma_f32_16x16x16_bf16"),
    ("gfx1100", "WMMA", (16, 16, 16, fx.Float16, fx.Float16), "v_wmma_f16_16x16x16_f16"),
    ("gfx1100", "WMMA", (16, 16, 16, fx.Int8), "v_wmma_i32_16x16x16_iu8"),
    ("gfx1201", "WMMA", (16, 16, 16, fx.Float8E4M3FN), "v_wmma_f32_16x16x16_fp8_fp8"),
    ("gfx1201", "WMMA", (16, 16, 16, fx.BFloat16, fx.BFloat16), "v_wmma_bf16_16x16x16_bf16"),
    ("gfx1250", "WMMA", (16, 16, 4, fx.Float32), "v_wmma_f32_16x16x4_f32"),
]


@pytest.mark.parametrize(("arch", "word", "arguments", "instruction"), ATOMS)
def test_an_atom_is_its_instruction(arch, word, arguments, instruction):
    kinds = arguments[3] if isinstance(arguments[3], tuple) else (arguments[3],) * 2
    default = fx.Float32 if kinds[0].is_float else fx.Int32
    acc = arguments[4] if len(arguments) > 4 else default
    launch = one_call(lambda: getattr(fx.rocdl, word)(*arguments), *kinds, acc)
    assert instruction in isa_of(launch, arch, np.zeros(64, np.float32), np.zeros((64, 16), np.float32))


def test_a_scaled_atom_takes_its_scales_as_state():
    op = lambda: fx.rocdl.cdna4.MFMA_Scale(16, 16, 128, fx.Float8E4M3FN, fx.Float4E2M1FN)  # noqa: E731
    launch = one_call(op, fx.Float8E4M3FN, fx.Float4E2M1FN, fx.Float32, scale_a=0x7F, scale_b=0x80)
    isa = isa_of(launch, "gfx950", np.zeros(64, np.float32), np.zeros((64, 16), np.float32))
    assert "v_mfma_scale_f32_16x16x128_f8f6f4" in isa


def test_signs_of_integers_reach_the_instruction():
    launch = one_call(lambda: fx.rocdl.WMMA(16, 16, 16, fx.Int8, signA=True), fx.Int8, fx.Int8, fx.Int32)
    isa = isa_of(launch, "gfx1100", np.zeros(64, np.float32), np.zeros((64, 16), np.float32))
    assert "neg_lo:[1,0,0]" in isa


@pytest.mark.parametrize(
    ("arch", "op", "error", "message"),
    [
        ("gfx1100", wmma(16, 16, 16, fx.Float32), FrontendError, "unsupported GFX11 WMMA configuration: 16x16x16"),
        ("gfx1201", wmma(16, 16, 32, fx.Float16), FrontendError, "GFX120X WMMA floating-point forms require M=N=K=16"),
        ("gfx1250", wmma(16, 16, 16, fx.Float16), FrontendError, "unsupported GFX1250 WMMA.*types: 16x16x32"),
        ("gfx1250", scaled(16, 16, 64), FrontendError, r"unsupported MNK for GFX1250 WMMA_Scale: 16x16x64 \(expected"),
        ("gfx942", mfma(32, 32, 8, fx.Float16, blocks=2), FrontendError, "no mfma<32x32x8.*blocks = 2"),
        ("gfx942", mfma(32, 32, 8, fx.Float16, blocks=0), FrontendError, "positive number of blocks, found 0"),
        ("gfx942", mfma(5, 5, 5, fx.Float32), FrontendError, "no mfma<5x5x5.*16x16x4"),
        ("gfx942", mfma(16, 16, 4, "f32"), FrontendError, "takes one element type"),
    ],
)
def test_what_the_target_lacks_is_refused_with_what_it_has(arch, op, error, message):
    with pytest.raises(error, match=message):
        isa_of(matmul_of(op, ((1, 1, 1), (1, 1, 1))), arch, *matrices(np.float32, np.float32))


@pytest.mark.parametrize(
    ("arch", "op", "dtype", "sums", "message"),
    [
        ("gfx942", mfma(16, 16, 32, fx.Float16), fx.Float16, (fx.Float32, 4), "gfx942 has no .*16x16x32.*gfx950"),
        ("gfx1250", wmma(16, 16, 32, fx.Int4), fx.Int4, (fx.Int32, 8), "gfx1250 has no .*16x16x32.*gfx1200, gfx1201"),
        ("gfx942", mfma(32, 32, 2, fx.BFloat16), fx.BFloat16, (fx.Float32, 16), "gfx942 has no .*32x32x2.*gfx90a"),
        ("gfx1100", mfma(16, 16, 4, fx.Float32), fx.Float32, (fx.Float32, 4, 1), "gfx1100 has no .*16x16x4.*gfx942"),
        ("gfx942", wmma(16, 16, 16, fx.Float16), fx.Float16, (fx.Float32, 8, 16), "gfx942 has no .*16x16x16.*gfx1100"),
        ("gfx950", wmma(16, 16, 32, fx.Float16), fx.Float16, (fx.Float32, 8, 16), "gfx950 has no .*16x16x32.*gfx1250"),
        ("gfx1201", scaled(16, 16, 128), fx.Float8E4M3FN, (fx.Float32, 8, 64), "gfx1201 has no .*gfx1250"),
        ("gfx942", scaled_mfma, fx.Float8E4M3FN, (fx.Float32, 4, 32), "gfx942 has no .*gfx950"),
        ("gfx942", mfma(16, 16, 32, FN), FN, (fx.Float32, 4), "gfx942 multiplies f8E4M3FNUZ and"),
        ("gfx950", mfma(16, 16, 32, FNUZ), FNUZ, (fx.Float32, 4), "gfx950 multiplies f8E4M3FN and"),
    ],
)
def test_an_atom_that_the_target_lacks_is_refused_where_it_is_used(arch, op, dtype, sums, message):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        tiled_mma = fx.make_tiled_mma(fx.make_mma_atom(op()), fx.make_layout((1, 1, 1), (1, 1, 1)))
        frags = [fx.make_rmem_tensor((*sums[2:], 1, 1) if sums[2:] else (8, 1, 1), dtype) for _ in range(2)]
        total = fx.make_rmem_tensor((sums[1], 1, 1), sums[0])
        fx.gemm(tiled_mma, total, *frags, total)

    @flyc.jit
    def launch(x: fx.Tensor):
        kernel(x).launch(grid=1, block=64)

    with pytest.raises(UnsupportedTargetError, match=message):
        isa_of(launch, arch, np.zeros(1, np.float32))


def test_the_state_of_a_tiled_product_is_that_of_its_atom():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        op = fx.rocdl.cdna4.MFMAScale(16, 16, 128, fx.Float8E4M3FN, opsel_a=1)
        tiled_mma = fx.make_tiled_mma(fx.make_mma_atom(op), fx.make_layout((1, 1, 1), (1, 1, 1)))
        frags = [fx.make_rmem_tensor((32, 1, 2), fx.Float8E4M3FN) for _ in range(2)]
        for frag in frags:
            frag.fill(fx.Float8E4M3FN(1))
        sums = fx.make_rmem_tensor((4, 1, 1), fx.Float32)
        sums.fill(0)
        scale = fx.Int32(fx.thread_idx.x)
        fx.gemm(tiled_mma, sums, *frags, sums, scale_a=scale, scale_b=0x7F)
        for i in fx.range_constexpr(4):
            y[fx.thread_idx.x, i] = sums[i]

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=64)

    isa = isa_of(launch, "gfx950", np.zeros(64, np.float32), np.zeros((64, 4), np.float32))
    assert isa.count("v_mfma_scale_f32_16x16x128_f8f6f4") == 2
    assert "op_sel:[1,0,0]" in isa


def test_tiled_copies_and_products_have_the_state_of_the_atom_they_are_made_of():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        copy_atom = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32).set_value("soffset", fx.Int32(5))
        tiled_copy = fx.make_tiled_copy(copy_atom, fx.make_layout((64, 1), (1, 1)), (64,))
        tiled = fx.make_tiled_mma(scaled_atom().set_value("scale_a", 7), fx.make_layout((1, 1, 1), (1, 1, 1)))
        for value in (tiled_copy, tiled, tiled.atom, tiled_copy.atom):
            assert fx.const_expr(not value.is_static)
        assert fx.const_expr(fx.make_tiled_mma(scaled_atom(), tiled.atom_layout).atom.is_static)

    def scaled_atom():
        return fx.make_mma_atom(fx.rocdl.cdna4.MFMAScale(16, 16, 128, fx.Float8E4M3FN))

    @flyc.jit
    def launch(x: fx.Tensor):
        kernel(x).launch(grid=1, block=64)

    text = launch.trace(np.zeros(64, np.float32), arch="gfx950").text
    for name in ("make_tiled_copy", "make_tiled_mma", "get_mma_atom", "get_copy_atom"):
        assert text.count(f'"fly.{name}"') == 1
