"""A vectorised add as a function of JAX: the same eager, in jax.jit, in jax.grad and on batches, equal to jnp.add.

Each thread adds four floats; what hangs over the end is added one by one.
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

VALUES, THREADS = 4, 64


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    n = fx.get_scalar(fx.size(c))
    first = (fx.block_idx.x * THREADS + fx.thread_idx.x) * VALUES
    for i in fx.range_constexpr(VALUES):
        if first + i < n:
            c[first + i] = a[first + i] + b[first + i]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    """c = a + b, for tensors of any rank."""
    blocks = fx.ceil_div(fx.get_scalar(fx.size(c)), VALUES * THREADS)
    add_kernel(a, b, c).launch(grid=blocks, block=THREADS)


def both_inputs(residuals: object, cotangent: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The derivative of a sum: what reaches the output reaches both inputs."""
    return cotangent, cotangent


# the output is like the first input; the kernel takes arrays of any rank, so batches are one more mode
vector_add = jax_kernel(add, out=lambda a, b: a, batchable=True, vjp=(None, both_inputs))


def check(rng: np.random.Generator, *shape: int) -> None:
    """Random sums against jnp.add, equal to the bit."""
    a, b = (jnp.asarray(rng.standard_normal(shape, dtype=np.float32)) for _ in range(2))
    np.testing.assert_array_equal(vector_add(a, b), jnp.add(a, b))
    np.testing.assert_array_equal(jax.jit(lambda a, b: vector_add(a, 2 * b) - 1)(a, b), a + 2 * b - 1)
    np.testing.assert_array_equal(jax.vmap(vector_add, in_axes=(0, None))(jnp.stack([a, b]), b), jnp.stack([a, b]) + b)
    gradient = jax.jit(jax.grad(lambda a: jnp.sum(vector_add(a, b) ** 2)))(a)
    np.testing.assert_allclose(gradient, 2 * (a + b), rtol=1e-6)


def main() -> None:
    rng = np.random.default_rng()
    print(f"jax {jax.__version__} on {jax.default_backend()}")
    for _ in range(2):
        shape = odd(rng, 200), odd(rng, 300)
        check(rng, *shape)
        print(f"{shape[0]} x {shape[1]}: equal to jnp.add, eager, in jax.jit, in batches and in gradients")


if __name__ == "__main__":
    main()
