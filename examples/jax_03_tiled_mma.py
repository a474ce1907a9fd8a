"""A tiled matrix product as a function of JAX: C = A B^T, equal to jnp's, with a derivative made of the same kernel.

Shapes are known when jax traces: `static_layout` makes them part of the code, and loops over tiles have known lengths.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx

try:
    import jax
    import jax.numpy as jnp

    from flydsl.jax import jax_kernel
except (ImportError, OSError) as error:
    sys.exit(f"this example needs JAX: pip install jax flydsl-jax flydsl-cpu ({error})")

K_STEPS = 4


def copy_inside(src: fx.Tensor, dst: fx.Tensor, crd: fx.Tensor, shape: fx.IntTuple, registers: fx.Tensor) -> None:
    """Copy the elements whose coordinates lie inside `shape`; the flags are shaped like `registers`."""
    inside = fx.make_fragment_like(registers, fx.Boolean)
    for i in fx.range_constexpr(fx.size(inside.shape)):
        inside[i] = fx.elem_less(crd[i], shape)
    fx.copy(fx.make_copy_atom(fx.UniversalCopy32b(), src.dtype), src, dst, pred=inside)


@flyc.kernel
def matmul_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, tiled_mma: fx.TiledMma) -> None:
    m, n, k = tiled_mma.tile_size_mnk
    tiles = (m, k * K_STEPS), (n, k * K_STEPS), (m, n)
    x, y = fx.block_idx.x, fx.block_idx.y

    # the tensors and their coordinates in tiles: (tile, tile, which tile, which tile)
    coordinates = [fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(t.shape)) for t in (a, b, c)]
    tiled_a, tiled_b, tiled_c = [fx.flat_divide(t, fx.make_tile(*s)) for t, s in zip((a, b, c), tiles, strict=True)]
    crd_a, crd_b, crd_c = [fx.flat_divide(t, fx.make_tile(*s)) for t, s in zip(coordinates, tiles, strict=True)]

    # what this thread holds of them, and registers for it
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
def multiply(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    """C = A B^T with 8 x 8 threads, and 4 x 2 elements of C for each."""
    atom, atoms = fx.make_mma_atom(fx.UniversalFMA(fx.Float32)), fx.make_layout((8, 8, 1), (8, 1, 1))
    tiled_mma = fx.make_tiled_mma(atom, atoms, fx.make_tile(32, 16, None))
    blocks = fx.ceil_div(c.shape, (32, 16))
    matmul_kernel(a, b, c, tiled_mma).launch(grid=(blocks[0], blocks[1]), block=64)


def backward(inputs: Any, cotangent: Any) -> tuple[Any, Any]:
    """The derivative of A B^T, by the same kernel: G B, and G^T A."""
    a, b = inputs
    return matmul(cotangent, b.T), matmul(cotangent.T, a.T)


matmul = jax_kernel(
    multiply,
    out=lambda a, b: jax.ShapeDtypeStruct((a.shape[0], b.shape[0]), a.dtype),
    static_layout=True,
    vjp=(None, backward),
    sharding_rule="m k, n k -> m n",  # devices that have rows of A, or of B, compute their own part of C
)


def check(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    """One random product against jnp and NumPy in float64."""
    a, b = (jnp.asarray(rng.standard_normal(shape, dtype=np.float32)) for shape in ((m, k), (n, k)))
    exact = np.asarray(a, np.float64) @ np.asarray(b, np.float64).T
    assert_close(matmul(a, b), exact, 1e-5)
    assert_close(jax.jit(lambda a, b: matmul(a, b) + jnp.dot(a, b.T, precision="highest"))(a, b), 2 * exact, 1e-5)
    found = jax.jit(jax.grad(lambda a, b: jnp.sum(matmul(a, b) ** 2), (0, 1)))(a, b)
    wanted = jax.grad(lambda a, b: jnp.sum(jnp.dot(a, b.T, precision="highest") ** 2), (0, 1))(a, b)
    for one, other in zip(found, wanted, strict=True):
        assert_close(one, np.asarray(other, np.float64), 1e-4)


def main() -> None:
    rng = np.random.default_rng()
    print(f"jax {jax.__version__} on {jax.default_backend()}")
    for _ in range(2):
        m, n, k = odd(rng, 100), odd(rng, 100), odd(rng, 100)
        check(rng, m, n, k)
        print(f"{m} x {n} x {k}: equal to jnp.dot(A, B.T), eager, in jax.jit and in gradients")


if __name__ == "__main__":
    main()
