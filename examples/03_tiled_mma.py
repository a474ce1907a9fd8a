"""A tiled matrix product C = A B^T for random odd sizes, and the same kernel on the matrix units of two AMD GPUs.

What multiplies is an argument: a scalar multiply-add on the CPU, an MFMA on gfx942, a WMMA on gfx1100. The kernel asks
the tiled MMA which elements of A, B and C a thread holds, whatever the instruction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from workbench import assert_close, choose_backend, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

K_STEPS = 4
COPIES = {16: fx.UniversalCopy16b, 32: fx.UniversalCopy32b}


def copy_inside(src: fx.Tensor, dst: fx.Tensor, crd: fx.Tensor, shape: fx.IntTuple, registers: fx.Tensor) -> None:
    """Copy the elements whose coordinates lie inside `shape`; the flags are shaped like `registers`."""
    inside = fx.make_fragment_like(registers, fx.Boolean)
    for i in fx.range_constexpr(fx.size(inside.shape)):
        inside[i] = fx.elem_less(crd[i], shape)
    fx.copy(fx.make_copy_atom(COPIES[src.dtype.width](), src.dtype), src, dst, pred=inside)


@flyc.kernel
def matmul_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_mma: fx.TiledMma) -> None:
    m, n, k = tiled_mma.tile_size_mnk
    tiles = (m, k * K_STEPS), (n, k * K_STEPS), (m, n)
    x, y = fx.block_idx.x, fx.block_idx.y

    # The tensors and their coordinates in tiles: (tile, tile, which tile, which tile).
    coordinates = [fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(t.shape)) for t in (a, b, c)]
    tiled_a, tiled_b, tiled_c = [fx.flat_divide(t, fx.make_tile(*s)) for t, s in zip((a, b, c), tiles, strict=True)]
    crd_a, crd_b, crd_c = [fx.flat_divide(t, fx.make_tile(*s)) for t, s in zip(coordinates, tiles, strict=True)]

    # What this thread holds of them, and registers for it.
    thread = tiled_mma.get_slice(fx.thread_idx.x)
    thread_c = thread.partition_C(tiled_c[None, None, x, y])
    frag_c = tiled_mma.make_fragment_C(thread_c)
    frag_c.fill(0)
    for step in range(fx.get_scalar(fx.ceil_div(a.shape[1], k * K_STEPS))):
        thread_a = thread.partition_A(tiled_a[None, None, x, step])
        thread_b = thread.partition_B(tiled_b[None, None, y, step])
        frag_a, frag_b = tiled_mma.make_fragment_A(thread_a), tiled_mma.make_fragment_B(thread_b)
        frag_a.fill(0)  # what lies outside adds nothing
        frag_b.fill(0)
        copy_inside(thread_a, frag_a, thread.partition_A(crd_a[None, None, x, step]), a.shape, frag_a)
        copy_inside(thread_b, frag_b, thread.partition_B(crd_b[None, None, y, step]), b.shape, frag_b)
        fx.gemm(tiled_mma, frag_c, frag_a, frag_b, frag_c)
    copy_inside(frag_c, thread_c, thread.partition_C(crd_c[None, None, x, y]), c.shape, frag_c)


@flyc.jit
def matmul(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, unit: fx.Constexpr[str] = "fma") -> None:
    if unit == "mfma":
        atom, atoms = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 4, fx.Float32)), fx.make_layout((2, 2, 1), (1, 2, 1))
        permutation = None
    elif unit == "wmma":
        atom, atoms = fx.make_mma_atom(fx.rocdl.WMMA(16, 16, 16, fx.Float16)), fx.make_layout((2, 2, 1), (1, 2, 1))
        permutation = None
    else:
        # 8 x 8 threads, and 4 x 2 elements of C for each
        atom, atoms = fx.make_mma_atom(fx.UniversalFMA(fx.Float32)), fx.make_layout((8, 8, 1), (8, 1, 1))
        permutation = fx.make_tile(32, 16, None)
    tiled_mma = fx.make_tiled_mma(atom, atoms, permutation)
    m, n, _ = tiled_mma.tile_size_mnk
    blocks = fx.ceil_div(c.shape, (m, n))
    threads = fx.size(tiled_mma.thr_layout_vmnk)
    matmul_kernel(a, b, c, tiled_mma).launch(grid=(blocks[0], blocks[1]), block=threads)


def check(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    """One random product against NumPy in float64."""
    a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((m, k), (n, k)))
    c = np.full((m, n), np.nan, np.float32)
    matmul(a, b, c)
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64).T, 1e-5)


def main() -> None:
    choose_backend()
    rng = np.random.default_rng()
    for _ in range(4):
        m, n, k = odd(rng, 120), odd(rng, 120), odd(rng, 120)
        check(rng, m, n, k)
        print(f"{m} x {n} x {k}: equal to NumPy's A @ B.T in float64, within 1e-5")
    for arch, unit, dtype in (("gfx942", "mfma", np.float32), ("gfx1100", "wmma", np.float16)):
        show_matrix_instructions(arch, unit, *(np.zeros((64, 64), kind) for kind in (dtype, dtype, np.float32)))


def show_matrix_instructions(arch: str, unit: str, *tensors: Any) -> None:
    """The same kernel for an AMD GPU that need not be here."""
    try:
        isa = matmul.trace(*tensors, unit, backend="rocm", arch=arch).lower().compile().disassemble()
    except ValueError as error:  # the backend is not installed
        print(f"{arch}: not compiled, {error}")
        return
    found = [line.split("//")[0].strip() for line in isa.splitlines() if f"v_{unit}" in line]
    assert found, f"no {unit} in the code for {arch}"
    print(f"{arch}: {len(found)} times {found[0]}")


if __name__ == "__main__":
    main()
