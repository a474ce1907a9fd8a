"""A tiled copy as a function of JAX: B = A^T in tiles of 16 x 32, equal to A.T, eager and in jax.jit.

The transposition is only a layout: the copy writes to B through a view with its modes exchanged.
"""

from __future__ import annotations

import sys

import numpy as np
from workbench import odd

import flydsl.compiler as flyc
import flydsl.expr as fx

try:
    import jax
    import jax.numpy as jnp

    from flydsl.jax import jax_kernel
except (ImportError, OSError) as error:
    sys.exit(f"this example needs JAX: pip install jax flydsl-jax flydsl-cpu ({error})")

TILE = (16, 32)


@flyc.kernel
def transpose_kernel(a: fx.Tensor, b: fx.Tensor, tiled_copy: fx.TiledCopy) -> None:
    # B seen with the coordinates of A, and the coordinates themselves, in tiles
    b_t = fx.make_view(fx.get_iter(b), fx.select(b.layout, [1, 0]))
    coordinates = fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(a.shape))
    block = (None, None, fx.block_idx.y, fx.block_idx.x)
    tile_a, tile_b, tile_crd = [fx.flat_divide(t, fx.make_tile(*TILE))[block] for t in (a, b_t, coordinates)]

    # what this thread copies, and which of it lies inside A
    thread = tiled_copy.get_slice(fx.thread_idx.x)
    source, target, crd = thread.partition_S(tile_a), thread.partition_D(tile_b), thread.partition_S(tile_crd)
    registers = fx.make_fragment_like(source)
    inside = fx.make_fragment_like(registers, fx.Boolean)
    for i in fx.range_constexpr(fx.size(inside.shape)):
        inside[i] = fx.elem_less(crd[i], a.shape)
    fx.copy(tiled_copy, source, registers, pred=inside)
    fx.copy(tiled_copy, registers, target, pred=inside)


@flyc.jit
def copy_transposed(a: fx.Tensor, b: fx.Tensor) -> None:
    """B = A^T."""
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    threads, values = fx.make_layout((4, 32), (32, 1)), fx.make_layout((4, 1), (1, 1))
    tiled_copy = fx.make_tiled_copy_tv(atom, threads, values)
    blocks = fx.ceil_div(a.shape, TILE)
    transpose_kernel(a, b, tiled_copy).launch(grid=(blocks[1], blocks[0]), block=128)


# the shape of the output follows from that of the input; a kernel of matrices takes a batch one by one
transpose = jax_kernel(
    copy_transposed, out=lambda a: jax.ShapeDtypeStruct((a.shape[1], a.shape[0]), a.dtype), batchable="sequential"
)


def check(rng: np.random.Generator, m: int, n: int) -> None:
    """One random matrix against jax."""
    a = jnp.asarray(rng.standard_normal((m, n), dtype=np.float32))
    np.testing.assert_array_equal(transpose(a), a.T)
    np.testing.assert_array_equal(jax.jit(lambda a: transpose(transpose(a)) + transpose(a.T))(a), 2 * a)
    batch = jnp.stack([a, -a, 2 * a])
    np.testing.assert_array_equal(jax.vmap(transpose)(batch), jnp.swapaxes(batch, 1, 2))


def main() -> None:
    rng = np.random.default_rng()
    print(f"jax {jax.__version__} on {jax.default_backend()}")
    for _ in range(2):
        m, n = odd(rng, 200), odd(rng, 200)
        check(rng, m, n)
        print(f"{m} x {n}: equal to jnp's A.T, eager, in jax.jit and in batches")


if __name__ == "__main__":
    main()
